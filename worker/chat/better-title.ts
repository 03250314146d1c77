/**
 * Replaces the first words of a new thread by the model's title, concurrently with the answer. If it fails, the next turn tries again.
 */
import type { ChatMessage } from '../contract/messages.ts'
import { firstQuestion } from '../contract/titles.ts'
import { improveTitle } from '../db/turn-endings.ts'
import type { Env } from '../env.ts'
import { logger } from '../lib/logger.ts'
import { notify } from '../user-sync/rpc.ts'
import type { VendorModel } from './model/types.ts'
import { later } from './storage.ts'
import { askForTitle, titleDelayMs, titleWaitMs } from './title.ts'
import type { ConnectionGate } from './tools/connection-gate.ts'
import type { Turn } from './turn-state.ts'

type Titled = Pick<Turn, 'generationId' | 'userId' | 'threadId' | 'title'>

/** `connections` is shared by all titles of the object. A title that waits too long is skipped. */
export function findBetterTitle(
  env: Env,
  turn: Titled,
  model: VendorModel,
  history: readonly ChatMessage[],
  connections: ConnectionGate,
): void {
  const { title: provisional, generationId } = turn
  if (provisional === null) return
  const find = async () => {
    const signal = AbortSignal.timeout(titleWaitMs)
    const title = await connections.run(() => untilAborted(signal, () => askForTitle(model, firstQuestion(history), signal)))
    const ownerId = title === null ? null : await improveTitle(env, turn, provisional, title)
    if (ownerId !== null) await notify(env, [ownerId])
  }
  later(titleDelayMs, () => void find().catch((error: unknown) => logger.error('title_failed', error, { generationId })))
}

/** Releases the connection when the time is up, even if the model ignores the signal. */
async function untilAborted<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  signal.throwIfAborted()
  const aborted = Promise.withResolvers<never>()
  signal.addEventListener('abort', () => aborted.reject(signal.reason), { once: true })
  return Promise.race([work(), aborted.promise])
}

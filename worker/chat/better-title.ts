/**
 * The model's title of a new thread, which takes the place of its first words as soon as it is there. Beside the answer, which never waits
 * for it; when it fails the first words stay, and the next answer looks again.
 */
import type { ChatMessage } from '../contract/messages.ts'
import { firstQuestion } from '../contract/titles.ts'
import { improveTitle } from '../db/turn-endings.ts'
import type { Env } from '../env.ts'
import { logger } from '../lib/logger.ts'
import { notify } from '../sync/notify.ts'
import type { VendorModel } from './models/vendor-model.ts'
import { later } from './storage.ts'
import { askForTitle, titleDelayMs, titleWaitMs } from './title.ts'
import type { ConnectionGate } from './tools/connection-gate.ts'
import type { Turn } from './turn-state.ts'

type Titled = Pick<Turn, 'generationId' | 'userId' | 'threadId' | 'title'>

/** `connections`: what the titles of all answers that are written here share. One that does not get its turn in time stays as it is. */
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

/** Whatever the model makes of the signal, the next one in line does not wait for it. */
async function untilAborted<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  signal.throwIfAborted()
  const aborted = Promise.withResolvers<never>()
  signal.addEventListener('abort', () => aborted.reject(signal.reason), { once: true })
  return Promise.race([work(), aborted.promise])
}

/**
 * Asks a small model for facts about the user, after a completed turn is settled. It reads what the user typed in the question and nothing else.
 * A fact counts only with the user's words for it.
 */
import { generateText, type ModelMessage } from 'ai'
import * as z from 'zod'
import type { Env } from '../../bindings.ts'
import { dayOf } from '../../contract/access.ts'
import { maxMemoryChars, maxMessageMemories } from '../../contract/limits.ts'
import { parsedJson } from '../../contract/parsed-json.ts'
import { isBlank } from '../../contract/text.ts'
import type { MemoryReading } from '../../contract/threads/turn.ts'
import { claimReading, storeMemories } from '../../db/memories.ts'
import { logger } from '../../lib/logger.ts'
import { notify } from '../../user-sync/rpc.ts'
import { memoryInstructions } from '../model/prompt.ts'
import type { SmallModel } from '../model/providers.ts'
import type { ProviderModel } from '../model/types.ts'
import { askSmallModel } from './small-question.ts'
import type { TurnRecord } from './turn-state.ts'

/** Reasoning counts too. */
const maxOutputTokens = 2000
/** Chosen: the facts are needed in the next conversation, not in this one. */
const readingWaitMs = 30_000

const answerSchema = z.object({ facts: z.array(z.object({ fact: z.string(), quote: z.string() })) })

const plain = (text: string): string => text.normalize('NFC').replace(/\s+/gu, ' ').trim()

/**
 * The facts in the model's answer that quote the message, each once and none that is known. Null if the answer is no such JSON, which may be inside a
 * block of code.
 */
export function factsIn(answer: string, { text, known }: MemoryReading): readonly string[] | null {
  const json = answer.slice(answer.indexOf('{'), answer.lastIndexOf('}') + 1)
  const parsed = answerSchema.safeParse(parsedJson(json))
  if (!parsed.success) return null
  const message = plain(text).toLowerCase()
  const isQuoted = (quote: string) => !isBlank(quote) && message.includes(plain(quote).toLowerCase())
  const found = new Map<string, string>()
  for (const { fact, quote } of parsed.data.facts) {
    const sentence = plain(fact.toWellFormed())
    if (isQuoted(quote) && !isBlank(sentence) && sentence.length <= maxMemoryChars) found.set(sentence.toLowerCase(), sentence)
  }
  for (const fact of known) found.delete(plain(fact).toLowerCase())
  return [...found.values()].slice(0, maxMessageMemories)
}

export async function askForFacts(model: ProviderModel, { text, known }: MemoryReading, signal: AbortSignal): Promise<readonly string[]> {
  const messages: ModelMessage[] = [{ role: 'user', content: JSON.stringify({ message: text, known }) }]
  const answer = await generateText({
    model,
    instructions: memoryInstructions,
    messages,
    maxOutputTokens,
    abortSignal: signal,
    maxRetries: 0,
  })
  const facts = factsIn(answer.text, { text, known })
  if (facts === null) logger.warn('memory_unreadable', { chars: answer.text.length, finish: answer.finishReason })
  return facts ?? []
}

/** Chosen: without a small model at its provider, a message is read by the model of the answer, and users do not pay for it. */
const maxMicroDollarsPerMillionTokens = 1_000_000

/** False for a model that is too expensive. A model without a price is one of the operator's own server. */
export const mayReadForFacts = ({ requested }: Pick<SmallModel, 'requested'>): boolean =>
  (requested?.inputMicroDollarsPerMillionTokens ?? 0) <= maxMicroDollarsPerMillionTokens

type ReadTurn = Pick<TurnRecord, 'generationId' | 'userId' | 'threadId' | 'parentId'>

/** Reads the question of the turn. Failures of the model are logged; the reading then ends without facts. Throws if D1 cannot be reached. */
export async function findMemories(env: Env, turn: ReadTurn, reading: MemoryReading, factModel: SmallModel): Promise<void> {
  const { generationId } = turn
  if (!(await claimReading(env, turn, dayOf(Date.now())))) return
  const { answer: texts, requests } = await askSmallModel<readonly string[]>(factModel, {
    waitMs: readingWaitMs,
    ask: (model, signal) => askForFacts(model, reading, signal),
    onFailure: (error) => {
      logger.error('memory_failed', error, { generationId })
      return []
    },
  })
  const ownerId = await storeMemories(env, turn, { texts, requests, nowMs: Date.now() })
  if (ownerId !== null) await notify(env, [ownerId])
}

/**
 * Asks a small model for the title of a new thread, concurrently with the answer. If it is slow or its text is unusable, the first words of the
 * message remain the title, and the next turn tries again.
 */
import { generateText } from 'ai'
import type { Env } from '../../bindings.ts'
import { cutAt } from '../../contract/text.ts'
import { cleanTitle, firstQuestion } from '../../contract/threads/titles.ts'
import type { StartTurn } from '../../contract/threads/turn.ts'
import { readTitle, recordTitle } from '../../db/turns.ts'
import { logger } from '../../lib/logger.ts'
import { notify } from '../../user-sync/rpc.ts'
import { isRejection } from '../model/middleware.ts'
import type { SmallModel } from '../model/providers.ts'
import type { ProviderModel } from '../model/types.ts'
import { askSmallModel } from './small-question.ts'
import { later, type TurnRecord } from './turn-state.ts'

/** Chosen: the subject of a longer message is in its beginning. */
const maxQuestionChars = 2000

/**
 * Output limits of the two requests. A title takes about ten tokens, but reasoning counts too, and not every model list names the models that
 * reason. If reasoning uses up the first limit, the second request has a higher limit and low effort. Some servers reject an effort; the second
 * request is then repeated without it.
 */
const allowances: readonly Allowance[] = [{ maxOutputTokens: 1000 }, { maxOutputTokens: 4000, reasoning: 'low' }]
type Allowance = { readonly maxOutputTokens: number; readonly reasoning?: 'low' }

/** Chosen: the title request starts this much later, because its CPU time would delay the request of the answer. */
const titleDelayMs = 50
/** Chosen: a later change of the title would confuse a user who recognises the thread by its first words. */
const titleWaitMs = 20_000

const titleInstructions = `Write a title for a conversation that begins with the message below.
At most six words, in the language of the message. No quotation marks, no colon, no Markdown. Answer with the title alone; do not answer the message.`

export async function askForTitle(model: ProviderModel, question: string, signal: AbortSignal): Promise<string | null> {
  const ask = async (allowance: Allowance) => {
    const { text, finishReason } = await generateText({
      model,
      instructions: titleInstructions,
      prompt: cutAt(question, maxQuestionChars),
      ...allowance,
      abortSignal: signal,
      maxRetries: 0,
    })
    // The text reached the output limit: it is reasoning without a tag, or an answer to the message.
    const isCutShort = finishReason === 'length'
    return { title: isCutShort ? null : cleanTitle(text), isCutShort }
  }
  for (const allowance of allowances) {
    const { reasoning, maxOutputTokens } = allowance
    const answer = await ask(allowance).catch((error: unknown) => {
      if (reasoning && isRejection(error)) return ask({ maxOutputTokens })
      throw error
    })
    if (!answer.isCutShort) return answer.title
  }
  return null
}

type TitledTurn = Pick<TurnRecord, 'generationId' | 'userId' | 'threadId' | 'title'>

/** Replaces the provisional title in the background. Failures are logged. */
export function findBetterTitle(
  env: Env,
  turn: TitledTurn,
  titleModel: SmallModel,
  { history, isCompared }: Pick<StartTurn, 'history' | 'isCompared'>,
): void {
  const { title: provisional, generationId } = turn
  if (provisional === null) return
  const logFailure = (error: unknown) => {
    logger.error('title_failed', error, { generationId })
    return null
  }
  const find = async () => {
    // Another answer of the comparison may have completed earlier.
    const current = isCompared ? await readTitle(env, turn) : provisional
    if (current !== null && current !== provisional) return
    const { answer: title, requests } = await askSmallModel(titleModel, {
      waitMs: titleWaitMs,
      ask: (model, signal) => askForTitle(model, firstQuestion(history), signal),
      onFailure: logFailure,
    })
    if ((title === null || title === provisional) && requests.length === 0) return
    const ownerId = await recordTitle(env, turn, { provisional, title, requests })
    if (ownerId !== null) await notify(env, [ownerId])
  }
  later(titleDelayMs, () => void find().catch(logFailure))
}

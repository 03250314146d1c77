/**
 * Writes the summary that a turn needs before its request, by the small model that also writes titles. The summary is stored first, so a later
 * attempt after a crash sends the stored one.
 */
import type { Env } from '../../bindings.ts'
import { budgetFor } from '../../contract/models/context-budget.ts'
import { maxSummaryTokens, withSummary } from '../../contract/models/context-window.ts'
import type { ModelRequest } from '../../contract/models/model-use.ts'
import { type SummaryJob, shortenedTo, summaryLimits } from '../../contract/models/summary-job.ts'
import { cutToTokens, textTokens } from '../../contract/models/token-estimates.ts'
import type { StartTurn } from '../../contract/threads/turn.ts'
import { noAnswer } from '../../db/errors.ts'
import { storeSummary } from '../../db/summaries.ts'
import { logger } from '../../lib/logger.ts'
import { withTimeout } from '../../lib/with-timeout.ts'
import { notify } from '../../user-sync/rpc.ts'
import { type RunHost, runModelForText } from '../model/call.ts'
import { summaryInstructions } from '../model/prompt.ts'
import type { SmallModel } from '../model/providers.ts'
import { answeredRequest, newRequest, type ReportedUsage } from '../model/usage.ts'
import { newMark, quoteUntrusted } from '../tools/untrusted.ts'
import { settleTimeoutMs } from './turn-state.ts'

/** Chosen: reasoning counts, too. The text itself is cut to `maxSummaryTokens`. */
const maxOutputTokens = 4_000

type SummaryHost = {
  readonly host: RunHost
  /** As `StoredTurn.addRequest`. */
  readonly addRequest: (request: ModelRequest) => (answered: ModelRequest) => void
}
type SummaryTurn = Pick<StartTurn, 'history' | 'generationId' | 'userId' | 'threadId' | 'model' | 'plan'>
export type SummarizedHistory = Pick<StartTurn, 'history' | 'isHistoryCut'>

/** The history with the summary, or null if none could be written. Its requests are recorded with those of the answer. */
export async function summarizedHistory(
  env: Env,
  { history, toSummarize, generationId, userId, threadId, model, plan }: SummaryTurn & { readonly toSummarize: SummaryJob },
  small: SmallModel,
  { host, addRequest }: SummaryHost,
): Promise<SummarizedHistory | null> {
  try {
    const isOfAnswer = small.requested?.provider === model.provider && small.requested.model === model.model
    const limits = summaryLimits(plan, budgetFor(plan, model), isOfAnswer)
    const text = await writeSummary(toSummarize, small, limits, { host, addRequest })
    if (text === null || host.signal.aborted) return null
    const { id, tokens } = toSummarize
    const stored = await withTimeout(settleTimeoutMs, storeSummary(env, { id, userId, threadId, text, tokens }, host.nowMs()), noAnswer)
    if (!stored) return null
    void notify(env, [stored.userId])
    return { history: withSummary(history, stored.text), isHistoryCut: false }
  } catch (error) {
    if (!host.signal.aborted) logger.error('summary_failed', error, { generationId })
    return null
  }
}

/** The fields that the requests of a summary share with those of the answer. Their cost is different, and their figures are reported otherwise. */
const callsOf = ({ writer, signal, nowMs, onRequest, telemetry }: RunHost): RunHost => ({
  ...{ writer, signal, nowMs },
  ...(onRequest && { onRequest }),
  ...(telemetry && { telemetry }),
})

/** Part after part, each with the summary of those before. */
async function writeSummary(
  { previous, messages }: SummaryJob,
  { model, requested }: SmallModel,
  { partTokens, maxTokens }: ReturnType<typeof summaryLimits>,
  { host, addRequest }: SummaryHost,
): Promise<string | null> {
  const onResponse = () => {
    if (!requested) return () => {}
    const record = addRequest(newRequest(requested))
    return (reported: ReportedUsage) => {
      const request = answeredRequest(reported, requested)
      record(request)
      host.spending?.used(request.microDollars ?? 0)
    }
  }
  let summary = previous
  const mark = newMark()
  for (const part of partsOf(shortenedTo(messages, maxTokens), partTokens)) {
    const content = [
      ...(summary === null ? [] : [quoteUntrusted(mark, 'the earlier summary', summary)]),
      quoteUntrusted(mark, 'the conversation', part),
    ].join('\n\n')
    const answer = await runModelForText(
      { model, instructions: summaryInstructions, messages: [{ role: 'user', content }], maxOutputTokens },
      { ...callsOf(host), onResponse },
    )
    if (!('text' in answer)) {
      if (answer.outcome.ending === 'failed') throw answer.outcome.error
      return null
    }
    summary = cutToTokens(answer.text, maxSummaryTokens)
  }
  return summary
}

const names = { user: 'User', assistant: 'Assistant' } as const

/** The conversation as text, in parts of at most this size. A message begins a new part if the rest of the last one is too small for it. */
function partsOf(messages: SummaryJob['messages'], maxTokens: number): readonly string[] {
  const parts: string[] = []
  let left = 0
  for (const { role, text } of messages) {
    let rest = text === '' ? '' : `${names[role]}: ${text}\n\n`
    const tokens = textTokens(rest)
    if (tokens <= left) {
      parts.push(`${parts.pop() ?? ''}${rest}`)
      left -= tokens
      continue
    }
    while (rest !== '') {
      const part = cutToTokens(rest, maxTokens)
      parts.push(part)
      rest = rest.slice(part.length)
      left = maxTokens - textTokens(part)
    }
  }
  return parts
}

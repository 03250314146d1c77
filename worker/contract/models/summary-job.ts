/** The text that a small model reads to summarise the beginning of a thread. */
import type { Plan } from '../access.ts'
import { filesOf } from '../files/files.ts'
import { type ChatMessage, textOf } from '../threads/messages.ts'
import type { Budget } from './context-budget.ts'
import { maxSummaryTokens, type PathSummary } from './context-window.ts'
import type { TokenPrices } from './model-use.ts'
import { smallModels } from './small-models.ts'
import { cutToTokens, instructionTokens, messageTokens, textTokens } from './token-estimates.ts'

type SummarizedMessage = { readonly role: ChatMessage['role']; readonly text: string }

export type SummaryJob = {
  /** The last message that the summary covers. */
  readonly id: string
  /** The text of the older summary that it continues. */
  readonly previous: string | null
  /** The messages after those of the older summary, oldest first. */
  readonly messages: readonly SummarizedMessage[]
  /** Of all messages that the summary covers, without its own. */
  readonly tokens: number
}

/** Chosen: well below the context windows of the small models, which overlook more in a longer text. */
const summaryPartTokens = 40_000
/**
 * The parts that a turn reads at most. Chosen: they cost as much as a credit of the plan may (`planBudgets`), and those of PRO are a thread of
 * 300,000 tokens. A longer history is shortened.
 */
const maxParts: { readonly [P in Plan]: number } = { guest: 3, free: 5, pro: 8 }
/** Chosen: the parts if the model of the answer writes the summary, which may be expensive. Each costs at most as much as a request. */
const maxPartsOfAnswerModel = 2

/** The size of a part, and of all parts. `isOfAnswer`: the model of the answer writes the summary. */
export function summaryLimits(plan: Plan, { inputTokens }: Budget, isOfAnswer: boolean) {
  const partTokens = isOfAnswer ? Math.min(inputTokens, summaryPartTokens) : summaryPartTokens
  return { partTokens, maxTokens: partTokens * (isOfAnswer ? maxPartsOfAnswerModel : maxParts[plan]) }
}

type SummarizedModel = { readonly [Field in keyof TokenPrices]?: TokenPrices[Field] | undefined } & {
  readonly provider?: string | undefined
}

/** The highest cost of the requests of a summary, in micro-dollars. 0 if the model that writes it has no price. */
export function summaryCost(plan: Plan, model: SummarizedModel, tokens: number): number {
  if (tokens === 0) return 0
  const small: SummarizedModel | undefined = isSummarizing(model.provider) ? smallModels[model.provider] : undefined
  const { inputMicroDollarsPerMillionTokens: input, outputMicroDollarsPerMillionTokens: output } = small ?? model
  if (input == null || output == null) return 0
  const parts = Math.min(small ? maxParts[plan] : maxPartsOfAnswerModel, Math.ceil(tokens / summaryPartTokens))
  const read = Math.min(tokens, parts * summaryPartTokens) + parts * (maxSummaryTokens + instructionTokens)
  return Math.ceil((read * input + parts * maxSummaryTokens * output) / 1_000_000)
}

const isSummarizing = (provider: string | undefined): provider is keyof typeof smallModels =>
  provider !== undefined && Object.hasOwn(smallModels, provider)

/** The summary of `history` up to the message before `from`. */
export function summaryJob(
  history: readonly ChatMessage[],
  from: number,
  summaries: readonly PathSummary[],
  plan: Plan,
): SummaryJob | null {
  const covered = history.slice(0, from)
  const last = covered.at(-1)
  if (!last) return null
  const byId = new Map(summaries.map((summary) => [summary.id, summary]))
  const at = covered.findLastIndex(({ id }) => byId.has(id))
  const messages = covered.slice(at + 1).map(summarized)
  return {
    id: last.id,
    previous: byId.get(covered[at]?.id ?? '')?.text ?? null,
    messages: shortenedTo(messages, maxParts[plan] * summaryPartTokens),
    tokens: covered.reduce((sum, message) => sum + messageTokens(message), 0),
  }
}

/** Files are named. */
function summarized(message: ChatMessage): SummarizedMessage {
  const names = filesOf(message).map(({ name }) => `[File: ${name}]`)
  return { role: message.role, text: [...names, textOf(message)].join('\n').trim() }
}

/** Cuts the longest messages until all of them fit. */
export function shortenedTo(messages: readonly SummarizedMessage[], maxTokens: number): readonly SummarizedMessage[] {
  const sizes = messages.map(({ text }) => textTokens(text))
  let limit = maxTokens
  while (limit > 0 && sizes.reduce((sum, size) => sum + Math.min(size, limit), 0) > maxTokens) limit = Math.floor(limit * 0.9)
  return messages.map(({ role, text }, index) => ({ role, text: (sizes[index] ?? 0) > limit ? `${cutToTokens(text, limit)} […]` : text }))
}

/**
 * How many tokens one request may send to a model and receive from it, by plan and model, and how many a message has. The budget bounds the
 * cost of a credit (credit-cost.ts).
 */
import { creditsFor, type ModelAccess, type Plan } from './access.ts'
import { fileKindOf, isFilePart } from './files.ts'
import { type ChatMessage, type FilePart, type MessagePart, textOf } from './messages.ts'
import { type CachingModel, cacheWritePrice } from './prompt-caching.ts'
import { cutAt } from './text-end.ts'

export type PricedModel = ModelAccess &
  CachingModel & {
    readonly inputMicroDollarsPerMillionTokens?: number | null | undefined
    readonly outputMicroDollarsPerMillionTokens?: number | null | undefined
    readonly contextTokens?: number | null | undefined
    readonly maxOutputTokens?: number | null | undefined
  }

export type Budget = { readonly inputTokens: number; readonly outputTokens: number }

type PlanBudget = {
  readonly most: Budget
  /** Lower bound even for an expensive model, because a smaller budget makes a model useless. */
  readonly least: Budget
  /** The highest cost of a credit in one request, as long as `least` allows it. */
  readonly microDollarsPerCredit: number
}

/** Chosen: a long conversation for PRO, an average one for the other plans. A message with the most images fits. */
export const planBudgets: { readonly [P in Plan]: PlanBudget } = {
  guest: {
    most: { inputTokens: 20_000, outputTokens: 4_000 },
    least: { inputTokens: 8_000, outputTokens: 4_000 },
    microDollarsPerCredit: 20_000,
  },
  free: {
    most: { inputTokens: 32_000, outputTokens: 8_000 },
    least: { inputTokens: 8_000, outputTokens: 4_000 },
    microDollarsPerCredit: 30_000,
  },
  pro: {
    most: { inputTokens: 128_000, outputTokens: 16_000 },
    least: { inputTokens: 16_000, outputTokens: 8_000 },
    microDollarsPerCredit: 50_000,
  },
}

/** Chosen: the smallest context window of the models in use. Applies if a connected server does not report a window. */
const unknownContextTokens = 32_000
const contextTokensOf = ({ contextTokens }: PricedModel): number => contextTokens ?? unknownContextTokens

/** Half of the cost limit of a message is for output; the input gets what the output leaves. */
export function budgetFor(plan: Plan, model: PricedModel): Budget {
  const { most, least, microDollarsPerCredit } = planBudgets[plan]
  const money = creditsFor(model) * microDollarsPerCredit
  const outputPrice = (model.outputMicroDollarsPerMillionTokens ?? 0) / 1_000_000
  // The worst case: all input is written to the cache.
  const inputPrice = cacheWritePrice(model, (model.inputMicroDollarsPerMillionTokens ?? 0) / 1_000_000)
  const context = contextTokensOf(model)
  const affordableOutput = between(least.outputTokens, money / 2 / outputPrice, most.outputTokens)
  // At least half of the context window stays for the input.
  const outputTokens = Math.floor(Math.min(affordableOutput, model.maxOutputTokens ?? affordableOutput, context / 2))
  const affordableInput = between(least.inputTokens, (money - outputTokens * outputPrice) / inputPrice, most.inputTokens)
  return { inputTokens: Math.floor(Math.min(affordableInput, context - outputTokens)), outputTokens }
}

/**
 * The most input tokens of a request whose last message is long. A message cannot be shortened, so it may use the largest budget of the plan,
 * also with an expensive model.
 */
export const longestMessageTokens = (plan: Plan, model: PricedModel): number =>
  Math.min(planBudgets[plan].most.inputTokens, contextTokensOf(model) - budgetFor(plan, model).outputTokens)

/** Chosen: requests of a thorough answer, which searches, reads pages in two steps and answers. */
const toolRequests = 4
/** Chosen: what the tools return in these requests on average. Two searches and three pages in English are 16,000 tokens. */
const toolResultTokens = 16_000
/** Chosen: the steps before the answer write calls and reasoning. */
const toolOutputs = 3

/**
 * The tokens of all requests of a turn with tools. The first request has tools whatever it costs; later ones have tools while two more requests
 * of their size fit. The model then answers with what it has.
 */
export const toolBudget = ({ inputTokens, outputTokens }: Budget): Budget => ({
  inputTokens: toolRequests * (inputTokens + toolResultTokens),
  outputTokens: toolOutputs * outputTokens,
})

/** A model without a price makes `value` infinite or NaN; only the limits of the plan apply to it. */
const between = (least: number, value: number, most: number): number =>
  Number.isFinite(value) ? Math.min(most, Math.max(least, value)) : most

/** Chosen: overestimates English (4 bytes a token) and matches code and Chinese, so an estimate is rarely too low. */
const bytesPerToken = 3
/** The largest count of Anthropic for an image of 1,568 × 1,568 pixels, at 750 pixels a token. */
const imageTokens = 3_300
/**
 * Chosen: Anthropic counts 1,500 to 3,000 tokens for the text of a page, and its image
 * (https://platform.claude.com/docs/en/build-with-claude/pdf-support, 2026-11-27). Gemini counts 258.
 */
const pageTokens = 2_000
/** Chosen: a page of 50 KB. For PDFs whose pages are unknown. */
const documentBytesPerToken = 25
/**
 * The limit for a page that a tool reads, in addition to `maxPageChars`. Chosen: 12,000 characters of English are 4,000 tokens. A page in Chinese
 * ends after 6,000 characters, which say as much.
 */
export const maxPageTokens = 6_000
/** Chosen: the system prompt without the user's own texts, and the descriptions of the tools. */
export const instructionTokens = 1_500
const messageOverheadTokens = 10

/** Bytes of a UTF-16 unit in UTF-8. A surrogate is half of a character of four bytes. */
const bytesOf = (code: number): number => (code < 0x80 ? 1 : code < 0x800 || (code >= 0xd800 && code < 0xe000) ? 2 : 3)

export function textTokens(text: string): number {
  let bytes = 0
  for (let index = 0; index < text.length; index += 1) bytes += bytesOf(text.charCodeAt(index))
  return Math.ceil(bytes / bytesPerToken)
}

/** The beginning of a text, of at most this many tokens. */
export function cutToTokens(text: string, tokens: number): string {
  let bytes = 0
  for (let index = 0; index < text.length; index += 1) {
    bytes += bytesOf(text.charCodeAt(index))
    if (bytes > tokens * bytesPerToken) return cutAt(text, index)
  }
  return text
}

/**
 * An estimate. A model receives only the text of an answer. An answer without text is a research, which is sent as a description of its
 * steps.
 */
export function messageTokens(message: { readonly parts: readonly MessagePart[] }): number {
  const text = textOf(message)
  const files = message.parts.filter(isFilePart)
  const words = text === '' && files.length === 0 ? JSON.stringify(message.parts) : text
  return messageOverheadTokens + textTokens(words) + files.reduce((sum, file) => sum + fileTokens(file), 0)
}

export function fileTokens({ mediaType, sizeBytes = 0, pages }: FilePart): number {
  const kind = fileKindOf(mediaType)
  if (kind === 'image') return imageTokens
  if (kind === 'document' && pages !== undefined) return pages * pageTokens
  return Math.ceil(sizeBytes / (kind === 'document' ? documentBytesPerToken : bytesPerToken))
}

/** True for a message that is not sent. */
export const isMessageTooLong = (message: Pick<ChatMessage, 'parts'>, plan: Plan, model: PricedModel): boolean =>
  messageTokens(message) > longestMessageTokens(plan, model) - instructionTokens

/** The fields of one event of the OpenAI protocol, from the forms that servers send. */
import { isRecord } from '../../contract/is-record.ts'
import { cutOf, isFault } from './errors.ts'

export type Fields = Readonly<Record<string, unknown>>

export type ChatDelta = {
  /** The server has sent a `message` in place of a `delta`. */
  readonly isMessage: boolean
  readonly text: string
  readonly reasoning: string
  readonly calls: readonly unknown[]
  /** Fields that the packages may read, such as the signatures of Google. */
  readonly others: Fields
}

export function deltaOf(choice: Fields): ChatDelta {
  const { message, text } = choice
  const delta = isRecord(choice.delta) ? choice.delta : { content: choice.delta }
  const fields = isRecord(message) && isEmpty(delta) ? message : delta
  const { role: _role, content, refusal, tool_calls, function_call, reasoning_content: _content, reasoning: _reasoning, ...others } = fields
  const parts = contentOf(content)
  const refused = typeof refusal === 'string' ? refusal : ''
  const calls = Array.isArray(tool_calls) ? tool_calls : [tool_calls, isRecord(function_call) ? { function: function_call } : null]
  return {
    isMessage: fields === message,
    // A legacy completion has its text in the choice.
    text: parts.text + refused || (fields === delta && typeof text === 'string' ? text : ''),
    reasoning: reasoningIn(fields) || parts.reasoning,
    calls: calls.filter(isRecord),
    others,
  }
}

const isEmpty = (delta: Fields): boolean =>
  Object.entries(delta).every(
    ([name, value]) => name === 'role' || value == null || value === '' || (Array.isArray(value) && !value.length),
  )

/** Text, a number, or a list of parts of text, thoughts and refusals (Mistral, Cohere). */
function contentOf(content: unknown): { readonly text: string; readonly reasoning: string } {
  if (typeof content === 'string') return { text: content, reasoning: '' }
  if (typeof content === 'number' || typeof content === 'boolean') return { text: String(content), reasoning: '' }
  const items = Array.isArray(content) ? content : [content]
  const isThought = (item: unknown) => isRecord(item) && ['thinking', 'reasoning'].includes(String(item.type))
  return {
    text: textIn(items.filter((item) => !isThought(item))),
    reasoning: textIn(items.filter(isThought)),
  }
}

/** The fields of a part that may have its text. */
const textFields = ['text', 'summary', 'content', 'thinking', 'refusal', 'value']
/** Chosen: Mistral nests two levels. */
const maxTextLevels = 4

function textIn(value: unknown, levels = maxTextLevels): string {
  if (typeof value === 'string') return value
  if (levels === 0) return ''
  if (Array.isArray(value)) return value.map((item) => textIn(item, levels - 1)).join('')
  if (!isRecord(value)) return ''
  return textFields.map((name) => textIn(value[name], levels - 1)).find((text) => text !== '') ?? ''
}

/** The same thoughts may be in several fields. */
const reasoningFields = ['reasoning_content', 'reasoning', 'reasoning_text', 'thinking', 'reasoning_details', 'thinking_blocks']

const reasoningIn = (delta: Fields): string => reasoningFields.map((name) => textIn(delta[name])).find((text) => text !== '') ?? ''

/**
 * Null for none, which some servers send as a text. Any other word means that the model has ended its answer: servers name the mark, the
 * template or the protocol of another provider.
 */
export function reasonOf(given: unknown, hasCalls: () => boolean): string | null {
  const reason = String((isRecord(given) ? given.type : given) ?? '').toLowerCase()
  if (['', 'null', 'none'].includes(reason)) return null
  if (isFault(reason)) return reason
  const cut = cutOf(reason)
  if (cut) return cut === 'model_length' ? 'length' : 'content_filter'
  return /^(?:tool|function)/.test(reason) || hasCalls() ? 'tool_calls' : 'stop'
}

const countNames = {
  prompt_tokens: ['prompt_tokens', 'input_tokens', 'prompt_eval_count'],
  completion_tokens: ['completion_tokens', 'output_tokens', 'eval_count'],
  total_tokens: ['total_tokens'],
} as const

/** The token counts: of the event, of its choice (Moonshot), of Groq, or as Ollama's own routes send them. */
export function usageOf(value: Fields, choice: Fields | null): Fields | null {
  const groq = isRecord(value.x_groq) ? value.x_groq.usage : null
  const own = value.eval_count === undefined ? null : value
  const usage = [value.usage, choice?.usage, groq, own].find(isRecord)
  if (!usage) return null
  const counts = Object.entries(countNames).map(([name, names]) => [name, names.map((each) => countOf(usage[each])).find(isNumber)])
  const { prompt_tokens_details: prompt, completion_tokens_details: completion } = usage
  return {
    ...(usage === value ? {} : usage),
    ...Object.fromEntries(counts),
    prompt_tokens_details: detailsOf(prompt),
    completion_tokens_details: detailsOf(completion),
  }
}

const isNumber = (value: unknown): value is number => typeof value === 'number'

const countOf = (value: unknown): number | undefined => {
  const count = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  return isNumber(count) && Number.isFinite(count) ? count : undefined
}

const detailsOf = (details: unknown): Fields | undefined =>
  isRecord(details) ? Object.fromEntries(Object.entries(details).map(([name, value]) => [name, countOf(value)])) : undefined

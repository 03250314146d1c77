/**
 * A chat message as it is stored in `message.message` and drawn on the page.
 * The part shapes are those of the AI SDK's UI messages, so that its tools read them; the metadata is ours.
 */
import type { ReadonlyJSONValue } from '@rocicorp/zero'
import type { RefusalCode } from './errors.ts'
import type { TurnMode } from './modes.ts'
import type { ResearchPayment } from './research-cost.ts'

export type TextPart = {
  readonly type: 'text'
  readonly text: string
  readonly state?: 'streaming' | 'done'
}

export type ReasoningPart = {
  readonly type: 'reasoning'
  readonly text: string
  readonly state?: 'streaming' | 'done'
  /** How long the model thought, measured where it was read; absent while it thinks. */
  readonly durationMs?: number
}

/** An empty block that opens and closes at once is a habit of some vendors, not a thought. */
const shortestThoughtMs = 500

/** Whether there is anything to show of it: thoughts that were not told took their time all the same. */
export const hasBeenThought = ({ text, durationMs }: ReasoningPart): boolean => text !== '' || (durationMs ?? 0) >= shortestThoughtMs

export type FilePart = {
  readonly type: 'file'
  readonly mediaType: string
  readonly url: string
  readonly filename?: string
  /** Of a file that is stored here. */
  readonly sizeBytes?: number
}

export type SourcePart = {
  readonly type: 'source-url'
  readonly sourceId: string
  readonly url: string
  readonly title?: string
}

/** One tool call. `output` and `errorText` exclude each other; neither is there while it runs. */
export type ToolPart = {
  readonly type: `tool-${string}`
  readonly toolCallId: string
  readonly state: 'input-streaming' | 'input-available' | 'output-available' | 'output-error'
  readonly input?: ReadonlyJSONValue
  readonly output?: ReadonlyJSONValue
  readonly errorText?: string
}

export type StepPart = { readonly type: 'step-start' }

export type MessagePart = TextPart | ReasoningPart | FilePart | SourcePart | ToolPart | StepPart

/** How a generation ended; each ends in exactly one way. */
export type Ending = 'completed' | 'stopped' | 'interrupted' | 'failed'

/** Why an answer failed, in a code the interface turns into a sentence and a way out. */
export type FailureCode =
  | 'model_refused_key'
  | 'model_out_of_funds'
  | 'model_busy'
  | 'model_error'
  | 'model_unreachable'
  | 'model_silent'
  | 'model_nonsense'
  | 'model_no_stream'
  | 'model_empty'
  | 'conversation_too_long'
  | 'model_length'
  | 'model_filtered'
  | 'answer_too_long'
  | 'made_file_too_large'
  | 'made_file_not_kept'
  | 'search_failed'
  | 'answer_too_slow'

export type AnswerMetadata = {
  readonly modelId: string
  readonly modelName: string
  readonly modelIcon: string
  readonly ending: Ending
  /** Credits charged for this answer; 0 when nothing was produced. */
  readonly credits: number
  /** Absent: chat. Answering again uses the same. */
  readonly mode?: TurnMode
  /** Of a research that broke: what was paid for it, until something is made of it. */
  readonly paid?: ResearchPayment
  /** Answered by the built-in demo model because no vendor is configured. */
  readonly demo?: true
  readonly failure?: {
    readonly code: FailureCode | RefusalCode
    readonly message: string
  }
  readonly durationMs?: number
}

export type UserMessage = {
  readonly id: string
  readonly role: 'user'
  readonly parts: readonly MessagePart[]
}

export type AnswerMessage = {
  readonly id: string
  readonly role: 'assistant'
  readonly parts: readonly MessagePart[]
  readonly metadata: AnswerMetadata
}

export type ChatMessage = UserMessage | AnswerMessage

/** The text of a message as a person would copy it: its text parts, a blank line between. */
export const textOf = (message: { readonly parts: readonly MessagePart[] }): string =>
  message.parts.flatMap((part) => (part.type === 'text' && 'text' in part ? [part.text] : [])).join('\n\n')

/** Which part holds the sentence that an answer broke off in; -1 where a tool was used or a file made behind its last word, or nothing was said. */
export function openTextIn(parts: readonly MessagePart[]): number {
  const last = parts.findLastIndex((part) => part.type === 'text')
  return parts.slice(last + 1).some((part) => 'toolCallId' in part || part.type === 'file') ? -1 : last
}

/** A chat message as stored in `message.message`. Parts have the shapes of the AI SDK's UI messages; the metadata is ours. */
import type { ReadonlyJSONValue } from '@rocicorp/zero'
import type { RefusalCode } from '../errors.ts'
import type { AnswerFigures, TotalUse } from '../models/model-use.ts'
import type { TurnMode } from '../models/modes.ts'
import type { CallFailure } from '../tools/call-failures.ts'
import type { GivenMemory } from './memories.ts'

type TextPart = {
  readonly type: 'text'
  readonly text: string
  readonly state?: 'streaming' | 'done'
}

export type ReasoningPart = {
  readonly type: 'reasoning'
  readonly text: string
  readonly state?: 'streaming' | 'done'
  /** Duration of the reasoning, measured where the stream is read. Absent while the model reasons. */
  readonly durationMs?: number
}

export type FilePart = {
  readonly type: 'file'
  readonly mediaType: string
  readonly url: string
  readonly filename?: string
  /** Present for a stored file. */
  readonly sizeBytes?: number
  /** Absent for other files than PDFs. */
  readonly pages?: number
}

export type SourcePart = {
  readonly type: 'source-url'
  readonly sourceId: string
  readonly url: string
  readonly title?: string
}

/** The source of a tool: the web, or a server of the user. */
export type ToolSourceName = { readonly id: string; readonly name: string }

/** The user's decision on a call. `approved` is absent until then. */
export type ToolApproval = {
  /** Id of the row in `approval`. */
  readonly id: string
  readonly approved?: boolean
  /** Why the user denied the call. */
  readonly reason?: string
  /** The user changed the input. */
  readonly isChanged?: true
  /** The server of the tool asked the user during the call. `approved`: the user answered. */
  readonly isInput?: true
}

/** How far a running call is, as its server reports it. */
export type ToolProgress = { readonly progress: number; readonly total?: number; readonly message?: string }

/**
 * One tool call. At most one of `output` and `errorCode` is present; both are absent while the call runs, waits for the user's approval or was
 * denied.
 */
export type ToolPart = {
  readonly type: `tool-${string}`
  readonly toolCallId: string
  /** The name of the tool for users. */
  readonly title?: string
  /** Absent: the web, or a step of a research. */
  readonly source?: ToolSourceName
  readonly state:
    | 'input-streaming'
    | 'input-available'
    | 'approval-requested'
    | 'approval-responded'
    | 'output-available'
    | 'output-error'
    | 'output-denied'
  readonly input?: ReadonlyJSONValue
  readonly output?: ReadonlyJSONValue
  /** Both of a failed call. The text is for the model. */
  readonly errorCode?: CallFailure
  readonly errorText?: string
  /** Absent for a call that needed no approval. */
  readonly approval?: ToolApproval
  /** While the call runs. Never stored. */
  readonly progress?: ToolProgress
}

type StepPart = { readonly type: 'step-start' }

export type MessagePart = TextPart | ReasoningPart | FilePart | SourcePart | ToolPart | StepPart

/** How a generation ended. Each generation has exactly one ending. */
export type Ending = 'completed' | 'stopped' | 'interrupted' | 'failed'

/**
 * `credits`: total paid for this research. `by`: the answer that paid first. Continuations copy the payment, and a completed research
 * removes it from all copies.
 */
export type ResearchPayment = { readonly by: string; readonly credits: number }

/** A file that a provider refused, by the id of the stored file. A file that a model made has no name. */
export type RefusedFile = { readonly id: string; readonly name: string }

/** Failure codes of an answer. The page maps each to a sentence and an action. */
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
  | 'credits_spent'
  | 'answer_too_long'
  | 'made_file_too_large'
  | 'made_file_not_kept'
  | 'search_failed'
  | 'answer_too_slow'
  | 'file_refused'

export type AnswerMetadata = {
  readonly modelId: string
  readonly modelName: string
  readonly modelIcon: string
  readonly ending: Ending
  /** Credits charged for this answer; 0 when nothing was produced. */
  readonly credits: number
  /** Absent: chat. A regenerated answer uses the same mode. */
  readonly mode?: TurnMode
  /** Where the text in its context came from (contract/tools/taint.ts). Absent: from the user alone. */
  readonly origins?: readonly string[]
  /** Payment for an interrupted research that has not been completed yet. */
  readonly paid?: ResearchPayment
  /** True for an answer from an imported file: no model of this server wrote it. */
  readonly imported?: true
  /** True for an answer of the demo model, which runs if no provider is configured. */
  readonly demo?: true
  readonly failure?: {
    readonly code: FailureCode | RefusalCode
    /** How long the provider asks to wait. */
    readonly retryInMs?: number
    /** For `file_refused`: later requests of the thread to the same model leave these files out. */
    readonly files?: readonly RefusedFile[]
  }
  /** Files of the conversation that this answer was requested without, because the model refused them before. */
  readonly omittedFiles?: readonly RefusedFile[]
  /** The request left out the beginning of the thread, and no summary of it could be written. */
  readonly isHistoryCut?: true
  readonly durationMs?: number
  /** From the start of the turn to the first text or file; absent without one. */
  readonly firstWordMs?: number
  /** What its requests to the model used. Absent for the demo model and for copies of a fork. */
  readonly use?: TotalUse
  /** The sums of the turns before approvals of the user, whose answers this one replaced. The other figures are those of the last turn. */
  readonly earlier?: AnswerFigures
  /** The names of the models that answered, if a fallback is among them. Absent: `modelName` answered. */
  readonly answeredBy?: readonly string[]
  /** The facts about the user that its requests contained, as they were then. */
  readonly memories?: readonly GivenMemory[]
}

export type UserMessage = {
  readonly id: string
  readonly role: 'user'
  readonly parts: readonly MessagePart[]
  /** Its model was chosen for this message alone: the thread does not continue with it (rule T7 in `worker/turns/SPEC.md`). */
  readonly isModelForOnce?: true
  /**
   * The user typed all of its text in a composer while memory was on. Absent for text that may be from others: pasted, inserted, imported or copied.
   */
  readonly isTyped?: true
  /**
   * Set if another user, or an imported file, wrote it, or if the user inserted a prompt of a server or of another member of an organization
   * (contract/tools/taint.ts). The page of the user reports inserted prompts.
   */
  readonly origins?: readonly string[]
}

export type AnswerMessage = {
  readonly id: string
  readonly role: 'assistant'
  readonly parts: readonly MessagePart[]
  readonly metadata: AnswerMetadata
}

export type ChatMessage = UserMessage | AnswerMessage

/** The text of a message for the clipboard: its text parts, separated by blank lines. */
export const textOf = (message: { readonly parts: readonly MessagePart[] }): string =>
  message.parts.flatMap((part) => (part.type === 'text' && 'text' in part ? [part.text] : [])).join('\n\n')

/** Index of the text part that an interrupted answer can continue. -1 if a tool call or file follows the last text, or without any text. */
export function openTextIn(parts: readonly MessagePart[]): number {
  const last = parts.findLastIndex((part) => part.type === 'text')
  return parts.slice(last + 1).some((part) => 'toolCallId' in part || part.type === 'file') ? -1 : last
}

/**
 * Messages between `UserSync` and the `Generation` object that writes an answer. The generation id is the id of the future answer message,
 * and `thread.streamId` while the answer is written.
 */
import type { Plan } from '../access.ts'
import type { RefusalCode } from '../errors.ts'
import type { Fallback } from '../models/fallbacks.ts'
import type { AnswerFigures } from '../models/model-use.ts'
import type { TurnMode } from '../models/modes.ts'
import type { Quote } from '../models/quote.ts'
import type { SummaryJob } from '../models/summary-job.ts'
import type { RowOf } from '../schema.ts'
import type { DecidedCall } from '../tools/approvals.ts'
import type { ToolGrant } from '../tools/taint.ts'
import type { GivenMemory } from './memories.ts'
import type { ChatMessage, MessagePart, RefusedFile, ResearchPayment } from './messages.ts'

/** The command that starts a turn. */
export type StartTurn = {
  readonly generationId: string
  readonly userId: string
  readonly threadId: string
  /** The user message being answered. */
  readonly parentId: string
  /** The messages that are sent, oldest first. The last one is `parentId`. */
  readonly history: readonly ChatMessage[]
  /** Files of `history` that the model refused before. They are named and not sent. */
  readonly omittedFiles?: readonly RefusedFile[]
  /** True if older messages of the thread do not fit and `history` has no summary of them. */
  readonly isHistoryCut?: boolean
  /** The summary that the turn writes first, in place of the gap in `history`. */
  readonly toSummarize?: SummaryJob
  /** Parts of the interrupted answer that this turn continues. The new answer begins with them. */
  readonly continued?: readonly MessagePart[]
  /** The decided calls of `continued`. The allowed ones are made before the model is called. */
  readonly decided?: readonly DecidedCall[] | undefined
  /** Tools that the user allowed for the thread. */
  readonly grants?: readonly ToolGrant[]
  /** The answer that this one replaces when it ends. */
  readonly replacesId?: string
  /** The figures of the replaced answer. */
  readonly earlier?: AnswerFigures
  /** Payment of the research that the turn continues. */
  readonly paid?: ResearchPayment | null
  /** `credits`: reserved for the turn. */
  readonly model: RowOf<'model'>
  /** As quoted when the turn was opened. Absent if the row of the turn has no quote: it costs what is reserved. */
  readonly price?: Pick<Quote, 'minimum' | 'expected'> & { readonly planMicroDollars: number }
  /** Models that may answer instead if `model` fails. */
  readonly fallbacks: readonly Fallback[]
  readonly mode: TurnMode
  readonly plan: Plan
  /** An effort level of the model, or null if it has none. */
  readonly effort: string | null
  /** Ids of the sources of tools whose switch was moved in the thread (`isSourceOn`). */
  readonly offTools?: readonly string[]
  /** Of all text in the thread before the turn's own calls, also of messages that are left out (contract/tools/taint.ts). Absent: none. */
  readonly origins?: readonly string[]
  /** Ids of the tool servers that the turn may use. */
  readonly toolServerIds?: readonly string[]
  /** Ids of the connected sessions. For a short time, a reader with one of these sessions needs no lookup in D1. */
  readonly sessions?: readonly string[]
  /** True if a title should be generated: the thread has none, or only the provisional one. */
  readonly needsTitle: boolean
  /** Other models answer the same question. The first answer that completes asks for the title. */
  readonly isCompared?: boolean
  /** The text that the end of the turn reads to find facts about the user. */
  readonly reading?: MemoryReading
  readonly profile: {
    readonly name: string
    readonly nickname?: string | null | undefined
    readonly biography?: string | null | undefined
    readonly instructions?: string | null | undefined
    /** The project of the thread. */
    readonly project?: TurnProject | undefined
    /** The facts about the user that the model receives. */
    readonly memories?: readonly GivenMemory[]
  }
}

/** `text`: what the user typed. `known`: facts that shall not be found again. */
export type MemoryReading = { readonly text: string; readonly known: readonly string[] }

export type TurnProject = {
  readonly name: string
  readonly instructions?: string | null | undefined
  /** Names of its files that the first user message of `history` begins with, and of those that are too long for this model. */
  readonly files?: readonly string[]
  readonly omittedFiles?: readonly string[]
}

/** The part of the command that the generation needs. */
export type GenerationInput = Pick<
  StartTurn,
  | 'history'
  | 'omittedFiles'
  | 'isHistoryCut'
  | 'model'
  | 'fallbacks'
  | 'mode'
  | 'plan'
  | 'effort'
  | 'profile'
  | 'offTools'
  | 'origins'
  | 'grants'
  | 'toolServerIds'
>

/** The newest messages that fit into `maxChars`. The question is always included. */
export function newestOf(history: readonly ChatMessage[], maxChars: number): readonly ChatMessage[] {
  let chars = 0
  const first = history.findLastIndex((message) => {
    chars += JSON.stringify(message).length
    return chars > maxChars
  })
  return history.slice(Math.min(first + 1, history.length - 1))
}

/** Reason why a recorded turn cannot start. */
export type StartFailure = Extract<RefusalCode, 'model_not_installed' | 'message_over_budget'>

/** RPC interface of a `Generation` object, whose id is the `objectId` of its turn. All calls are idempotent. */
export interface GenerationCalls {
  /** Starts the answer, or confirms that it is running or has ended. Returns after the command is stored. */
  start(command: StartTurn): Promise<void>
  /** Stops the answer. A generation that never started ends as stopped. */
  stop(generationId: string, userId: string): Promise<void>
  /**
   * Ends an orphaned generation as interrupted, even if its start command never arrived. With `reason`, the generation ends as failed for
   * this reason.
   */
  recover(generationId: string, userId: string, reason?: StartFailure): Promise<void>
}

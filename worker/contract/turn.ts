/**
 * What passes between the object of a user and the object in which their answers are written: an order for one answer.
 * The id of the generation is the id of the answer message to come, and `thread.streamId` while it is written.
 */
import type { RefusalCode } from './errors.ts'
import type { ChatMessage, MessagePart } from './messages.ts'
import type { TurnMode } from './modes.ts'
import type { ResearchPayment } from './research-cost.ts'
import type { RowOf } from './schema.ts'

export type TurnOrder = {
  readonly generationId: string
  readonly userId: string
  readonly threadId: string
  /** The user message being answered. */
  readonly parentId: string
  /** From the first message to `parentId`, oldest first. */
  readonly history: readonly ChatMessage[]
  /** Parts of an interrupted answer that this one continues; they stand at the start of the new answer. */
  readonly continued?: readonly MessagePart[]
  /** What was paid for the research that they are of. */
  readonly paid?: ResearchPayment | null
  readonly model: RowOf<'model'>
  readonly mode: TurnMode
  /** One of the model's levels; null when it has none. */
  readonly effort: string | null
  /** The sessions that are connected now: who proves to be of one needs no look into the record to read this answer, for a moment. */
  readonly sessions?: readonly string[]
  /** Whether a title is worth looking for: the thread has none, or goes by its first words. */
  readonly untitled: boolean
  readonly person: {
    readonly name: string
    readonly nickname?: string | null | undefined
    readonly biography?: string | null | undefined
    readonly instructions?: string | null | undefined
  }
}

/** The end of a conversation that is longer than fits; its question is always kept. */
export function newestOf(history: readonly ChatMessage[], maxChars: number): readonly ChatMessage[] {
  let chars = 0
  const first = history.findLastIndex((message) => {
    chars += JSON.stringify(message).length
    return chars > maxChars
  })
  return history.slice(Math.min(first + 1, history.length - 1))
}

/** Why a turn that is recorded can no longer be ordered, where nobody took it back. */
export type OrderFailure = Extract<RefusalCode, 'model_not_installed'>

/** The RPC face of a `Generation` object, named by the `writer` of its turn. All calls are idempotent. */
export interface GenerationCalls {
  /** Starts the answer, or makes sure that one already ordered is running or sealed. Returns when the order is stored. */
  ensure(order: TurnOrder): Promise<void>
  /** Asks it to stop; a generation that never started ends as stopped. */
  stop(generationId: string, userId: string): Promise<void>
  /** Ends what nobody works on as interrupted, also when its order never arrived; `reason`: why there can be none, which it failed of then. */
  recover(generationId: string, userId: string, reason?: OrderFailure): Promise<void>
}

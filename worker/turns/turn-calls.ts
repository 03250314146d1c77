/**
 * The commands to generations, derived from rows only, so there is no outbox to lose. A command is for a thread that waits for an answer
 * and a turn that is open in D1. Commands are idempotent, so repeated ones are harmless.
 */
import { deletedTurnMs } from '../contract/limits.ts'
import type { RowOf } from '../contract/schema.ts'
import type { OrderFailure, TurnOrder } from '../contract/turn.ts'
import type { ReservedTurn } from '../db/turns.ts'
import type { Change, Engine } from '../sync/engine/types.ts'
import { turnOrder } from './turn-order.ts'

/** `writer`: the id of the object that receives the command. */
export type TurnCall = { readonly generationId: string; readonly writer: string } & (
  | { readonly type: 'ensure'; readonly order: TurnOrder }
  /** Also for a turn whose question was deleted: a generation that never started ends by stopping it. */
  | { readonly type: 'stop' }
  /** For a turn whose model left the catalogue. An answer that is being written continues. */
  | { readonly type: 'fail'; readonly reason: OrderFailure }
)

type Thread = RowOf<'thread'>

/** Threads with an open turn. */
export const threadsInFlight = (engine: Engine, openTurns: readonly ReservedTurn[]): readonly Thread[] =>
  openTurns.flatMap(({ threadId }) => (engine.get('thread', { id: threadId }) as unknown as Thread | undefined) ?? [])

export const changedThreads = (changes: readonly Pick<Change, 'table' | 'row'>[]): readonly Thread[] =>
  changes.flatMap(({ table, row }) => (table === 'thread' && row !== null ? [row as unknown as Thread] : []))

export function turnCalls(
  rows: Pick<Engine, 'get' | 'run'>,
  userId: string,
  threads: readonly Thread[],
  openTurns: readonly ReservedTurn[],
  nowMs = Date.now(),
): readonly TurnCall[] {
  return threads.flatMap(({ status, streamId, deletedAt }): TurnCall[] => {
    if (status !== 'submitted' && status !== 'stopping') return []
    const turn = openTurns.find(({ generationId }) => generationId === streamId)
    // The turn has ended; the thread's next state arrives with the feed.
    if (!turn) return []
    const { generationId, writer } = turn
    const isGone = deletedAt != null && nowMs >= deletedAt + deletedTurnMs
    const isWanted = status === 'submitted' && !isGone
    const order = isWanted ? turnOrder(rows, userId, turn, nowMs) : null
    if (order) return [{ type: 'ensure', generationId, writer, order }]
    const isModelGone = isWanted && rows.get('model', { id: turn.modelId }) === undefined
    return [isModelGone ? { type: 'fail', generationId, writer, reason: 'model_not_installed' } : { type: 'stop', generationId, writer }]
  })
}

/**
 * Which generations have to be told something, derived from rows alone: there is no outbox to lose. A thread that says it waits for an
 * answer, and a turn that the record calls open, are one call; calls are idempotent, so too many are harmless.
 */
import { deletedTurnMs } from '../../contract/limits.ts'
import type { RowOf } from '../../contract/schema.ts'
import { type OrderFailure, type TurnOrder, writerOf } from '../../contract/turn.ts'
import type { FeedChange } from '../../db/feed.ts'
import type { ReservedTurn } from '../../db/turns.ts'
import type { Change, Engine } from '../engine/types.ts'
import { Overlay } from '../push/overlay.ts'
import { syncedTables } from '../synced-tables.ts'
import { turnOrder } from '../turn-order.ts'

/** `writer` names the object that it goes to. */
export type TurnCall = { readonly generationId: string; readonly writer: string } & (
  | { readonly type: 'ensure'; readonly order: TurnOrder }
  /** Also for a turn whose question is gone: stopping is how a generation that never started ends. */
  | { readonly type: 'stop' }
  /** For a turn whose model left the catalogue, which is nothing that its person did. An answer that is being written goes on. */
  | { readonly type: 'fail'; readonly reason: OrderFailure }
)

type Thread = RowOf<'thread'>

/** Threads whose answer the record still waits for. */
export const threadsInFlight = (engine: Engine, openTurns: readonly ReservedTurn[]): readonly Thread[] =>
  openTurns.flatMap(({ threadId }) => (engine.get('thread', { id: threadId }) as unknown as Thread | undefined) ?? [])

export const changedThreads = (changes: readonly Pick<Change, 'table' | 'row'>[]): readonly Thread[] =>
  changes.flatMap(({ table, row }) => (table === 'thread' && row !== null ? [row as unknown as Thread] : []))

export function turnCalls(
  rows: Overlay,
  userId: string,
  threads: readonly Thread[],
  openTurns: readonly ReservedTurn[],
  nowMs = Date.now(),
): readonly TurnCall[] {
  return threads.flatMap(({ status, streamId, deletedAt }): TurnCall[] => {
    if (status !== 'submitted' && status !== 'stopping') return []
    const turn = openTurns.find(({ generationId }) => generationId === streamId)
    // Ended already: the thread's next state is on its way through the feed.
    if (!turn) return []
    const { generationId } = turn
    const writer = writerOf(turn)
    const isGone = deletedAt != null && nowMs >= deletedAt + deletedTurnMs
    const isWanted = status === 'submitted' && !isGone
    const order = isWanted ? turnOrder(rows, userId, turn) : null
    if (order) return [{ type: 'ensure', generationId, writer, order }]
    const isModelGone = isWanted && rows.get('model', turn.modelId) === undefined
    return [isModelGone ? { type: 'fail', generationId, writer, reason: 'model_not_installed' } : { type: 'stop', generationId, writer }]
  })
}

type News = { readonly changes: readonly FeedChange[]; readonly openTurns: readonly ReservedTurn[] }

/**
 * Orders for turns that a batch has opened, read from its answer before that is in the replica: what the object stores from there on, its
 * orders wait for. `known` are the turns that were open before.
 */
export function firstOrders(
  engine: Engine,
  userId: string,
  { changes, openTurns }: News,
  known: readonly ReservedTurn[],
): readonly TurnCall[] {
  const opened = openTurns.filter(({ generationId }) => known.every((turn) => turn.generationId !== generationId))
  if (opened.length === 0) return []
  const rows = new Overlay(engine, syncedTables)
  for (const { table, id, row } of changes) rows.set(table, id.id, row)
  return turnCalls(rows, userId, changedThreads(changes), opened).filter(({ type }) => type === 'ensure')
}

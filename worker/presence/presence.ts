/**
 * Maintains the `presence` rows of the replica: one for each browser and open thread. A thread is open while a connection desires `threads.one`.
 * D1 does not have the rows. After a wake or a new import, the next connection creates them again.
 */
import { type RowOf, zql } from '../contract/schema.ts'
import type { Change } from '../sync/engine/types.ts'
import type { Feature } from '../sync/object/app.ts'
import type { UserContext } from '../sync/object/context.ts'
import type { Connection } from '../sync/state/connections.ts'
import { activeQueries } from '../sync/state/live-queries.ts'
import type { UserState } from '../sync/state/user-state.ts'
import { rowsOf } from '../user-sync/replica-rows.ts'

type Open = RowOf<'presence'>
type Source = Pick<UserContext, 'state' | 'connections' | 'userId'>

const table = 'presence'

export class Presence implements Feature {
  readonly #context: Source

  constructor(context: Source) {
    this.#context = context
  }

  onQueries(): void {
    const { engine } = this.#context.state
    const stored = new Set(rowsOf(engine, zql.presence).map(({ id }) => id))
    const open = openRows(this.#context)
    const opened = [...open.values()].filter(({ id }) => !stored.has(id)).map((row): Change => ({ table, id: { id: row.id }, row }))
    const closed = [...stored].filter((id) => !open.has(id)).map((id): Change => ({ table, id: { id }, row: null }))
    if (opened.length + closed.length > 0) engine.apply([...opened, ...closed])
  }
}

/** Keyed by the id of the row. A browser has one row for a thread, also if several tabs show it. */
function openRows({ state, connections, userId }: Source): ReadonlyMap<string, Open> {
  const groups = Map.groupBy(
    connections.all().filter(({ isInited }) => isInited),
    ({ groupID }) => groupID,
  )
  // No other browser would show the rows.
  if (groups.size < 2) return new Map()
  const rows = [...groups].flatMap(([groupId, ofGroup]) =>
    ofGroup.flatMap((connection) =>
      openThreadsOf(state, connection).map((threadId): Open => {
        return { id: `${groupId}/${threadId}`, userId, threadId, groupId, userAgent: connection.userAgent }
      }),
    ),
  )
  return new Map(rows.map((row) => [row.id, row]))
}

/** The threads that a connection shows: the arguments of its desired queries `threads.one`. */
export const openThreadsOf = (state: UserState, connection: Connection): readonly string[] =>
  activeQueries(state, connection).flatMap(({ name, args: [args] }) =>
    // The query's schema has checked its arguments.
    name === 'threads.one' ? [(args as { readonly threadId: string }).threadId] : [],
  )

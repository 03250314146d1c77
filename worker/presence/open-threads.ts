/** The threads that a connection shows: the arguments of its desired queries `threads.one`. */

import type { Connection } from '../sync/state/connections.ts'
import { activeQueries } from '../sync/state/live-queries.ts'
import type { UserState } from '../sync/state/user-state.ts'

export const openThreadsOf = (state: UserState, connection: Connection): readonly string[] =>
  activeQueries(state, connection).flatMap(({ name, args: [args] }) =>
    // The query's schema has checked its arguments.
    name === 'threads.one' ? [(args as { readonly threadId: string }).threadId] : [],
  )

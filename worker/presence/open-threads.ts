/** The threads that a connection shows: the arguments of its desired queries `threads.one`. */
import { activeQueries } from '../sync/state/desired-queries.ts'
import type { Session } from '../sync/state/sessions.ts'
import type { UserState } from '../sync/state/user-state.ts'

export const openThreadsOf = (state: UserState, session: Session): readonly string[] =>
  activeQueries(state, session).flatMap(({ name, args: [args] }) =>
    // The query's schema has checked its arguments.
    name === 'threads.one' ? [(args as { readonly threadId: string }).threadId] : [],
  )

/** The mutation rate limit in the object: who is told to wait, and the moment at which everybody who was comes back. */
import { mutationRateLimited } from '../protocol/error.ts'
import type { PushedMutation } from '../push/pending.ts'
import type { UserContext } from '../user-context.ts'
import { type Allowance, admit } from './admit.ts'

export function admitPush({ state, sessions, quota }: UserContext, pushed: readonly PushedMutation[], nowMs: number): Allowance {
  return admit(pushed, {
    isLimited: (socket) => sessions.of(socket)?.isLimited ?? false,
    lastMutationID: (groupID, clientID) => state.clients.lastMutationID(groupID, clientID),
    take: (wanted) => quota.take(wanted, nowMs),
  })
}

/** The connections stay open: a client that hears this keeps its mutations, and sends them again when it connects again. */
export async function limitPush(context: UserContext, refused: readonly PushedMutation[], nowMs: number): Promise<void> {
  const { state, sessions, quota, alarm } = context
  if (refused.length === 0) return
  for (const socket of new Set(refused.map((item) => item.socket))) {
    const session = sessions.of(socket)
    if (session) sessions.send(sessions.update(session, { isLimited: true }), ['error', mutationRateLimited])
  }
  const known = state.meta.deadline('quota')
  const at = quota.reopensAt(refused.length, known, nowMs)
  if (at === known) return
  state.sql.transaction(() => {
    quota.store()
    state.meta.setDeadline('quota', at)
  })
  await alarm.arm()
}

/** Nothing makes a client send a refused mutation again except a new one or a new connection; so it gets a new connection. */
export function reopen({ state, sessions }: UserContext): void {
  state.meta.setDeadline('quota', null)
  for (const session of sessions.all()) if (session.isLimited) sessions.close(session, 1000, 'writes are accepted again')
}

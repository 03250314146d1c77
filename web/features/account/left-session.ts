/**
 * The session that somebody is about to log in again from. A new one takes its place, and it would stay in the list without a browser that
 * has it. It is ended once this browser has the new one: a moment earlier, other tabs would find themselves without any.
 */
import type { SessionsBody } from '../../../worker/contract/http.ts'
import { authCall } from '../../lib/auth-call.ts'

const key = 'parley:left-session'

type Own = { readonly id: string; readonly userId: string }

const ownSession = async (): Promise<Own | null> => {
  const own = await authCall<{ session: Own } | null>('get-session')
  return own.ok ? (own.body?.session ?? null) : null
}

/** By its ids: what would let somebody in is kept nowhere. */
export async function rememberSession(): Promise<void> {
  const own = await ownSession()
  if (own) sessionStorage.setItem(key, `${own.userId} ${own.id}`)
}

/**
 * Does nothing while this browser still has it, or has one of another person: somebody who has picked the wrong account picks the right one
 * next. What fails is tried again by whoever asks next.
 */
export async function endLeftSession(): Promise<void> {
  const [userId, id] = sessionStorage.getItem(key)?.split(' ') ?? []
  if (userId === undefined) return
  const own = await ownSession()
  if (own?.userId !== userId || own.id === id) return
  const list = await authCall<SessionsBody>('list-sessions')
  if (!list.ok) return
  const left = list.body.find((session) => session.id === id)
  if (left && !(await authCall('revoke-session', { token: left.token })).ok) return
  sessionStorage.removeItem(key)
}

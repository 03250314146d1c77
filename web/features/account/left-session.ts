/**
 * The session that somebody is about to log in again from. A new one takes its place, and it would stay in the list without a browser that
 * has it. It is ended once this browser has the new one: a moment earlier, other tabs would find themselves without any.
 */
import type { SessionsBody } from '../../../worker/contract/http.ts'
import { authCall } from '../../lib/auth-call.ts'

const key = 'parley:left-session'

const ownId = async (): Promise<string | null> => {
  const own = await authCall<{ session: { id: string } } | null>('get-session')
  return own.ok ? (own.body?.session.id ?? null) : null
}

/** By its id: what would let somebody in is kept nowhere. */
export async function rememberSession(): Promise<void> {
  const id = await ownId()
  if (id !== null) sessionStorage.setItem(key, id)
}

/** Does nothing while this browser still has it, and lets go of one of another person. What fails is tried again by whoever asks next. */
export async function endLeftSession(): Promise<void> {
  const left = sessionStorage.getItem(key)
  if (left === null) return
  const [list, own] = await Promise.all([authCall<SessionsBody>('list-sessions'), ownId()])
  if (!list.ok || own === null || own === left) return
  const session = list.body.find(({ id }) => id === left)
  if (session && !(await authCall('revoke-session', { token: session.token })).ok) return
  sessionStorage.removeItem(key)
}

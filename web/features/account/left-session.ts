/**
 * Sessions that the user is replacing by logging in again. The old session would remain in the list without a browser. It is ended after
 * this browser has the new session; ended earlier, other tabs would be signed out.
 */
import * as z from 'zod/mini'
import type { SessionsBody } from '../../../worker/contract/http.ts'
import { authCall } from '../../lib/auth-call.ts'

const key = 'parley:left-session'

const ownSchema = z.object({ id: z.string(), userId: z.string() })
const leftSchema = z.array(ownSchema)

type Own = z.infer<typeof ownSchema>

/** Chosen: bounds the stored list. */
const maxLeft = 20

const ownSession = async (): Promise<Own | null> => {
  const own = await authCall<{ session: Own } | null>('get-session')
  return own.ok ? (own.body?.session ?? null) : null
}

function leftSessions(): readonly Own[] {
  try {
    return leftSchema.parse(JSON.parse(sessionStorage.getItem(key) ?? '[]'))
  } catch {
    // An earlier version stored too few fields.
    sessionStorage.removeItem(key)
    return []
  }
}

function keep(left: readonly Own[]): void {
  if (left.length === 0) sessionStorage.removeItem(key)
  else sessionStorage.setItem(key, JSON.stringify(left.slice(-maxLeft)))
}

/**
 * Stores ids only, no credentials. Entries of other users stay: a user who selected the wrong account at the provider selects the right one
 * next.
 */
export async function rememberSession(): Promise<void> {
  const own = await ownSession()
  if (own) keep([...leftSessions().filter(({ id }) => id !== own.id), { id: own.id, userId: own.userId }])
}

/** Ends the replaced sessions of the current user, never the session of this browser. The next call retries failures. */
export async function endLeftSession(): Promise<void> {
  if (leftSessions().length === 0) return
  const own = await ownSession()
  if (!own) return
  const ended = leftSessions().filter(({ id, userId }) => userId === own.userId && id !== own.id)
  if (ended.length === 0) return
  const list = await authCall<SessionsBody>('list-sessions')
  if (!list.ok) return
  for (const { id } of ended) {
    const left = list.body.find((session) => session.id === id)
    if (left && !(await authCall('revoke-session', { token: left.token })).ok) continue
    keep(leftSessions().filter((session) => session.id !== id))
  }
}

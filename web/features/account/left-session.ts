/**
 * The sessions that somebody was about to log in again from. A new one takes the place of each, and it would stay in the list without a browser
 * that has it. It is ended once this browser has the new one: a moment earlier, other tabs would find themselves without any.
 */
import * as z from 'zod/mini'
import type { SessionsBody } from '../../../worker/contract/http.ts'
import { authCall } from '../../lib/auth-call.ts'

const key = 'parley:left-session'

const ownSchema = z.object({ id: z.string(), userId: z.string() })
const leftSchema = z.array(ownSchema)

type Own = z.infer<typeof ownSchema>

/** Ours: nobody tries so often, and a list grows no longer. */
const maxLeft = 20

const ownSession = async (): Promise<Own | null> => {
  const own = await authCall<{ session: Own } | null>('get-session')
  return own.ok ? (own.body?.session ?? null) : null
}

function leftSessions(): readonly Own[] {
  try {
    return leftSchema.parse(JSON.parse(sessionStorage.getItem(key) ?? '[]'))
  } catch {
    // What an earlier version kept does not say enough.
    sessionStorage.removeItem(key)
    return []
  }
}

function keep(left: readonly Own[]): void {
  if (left.length === 0) sessionStorage.removeItem(key)
  else sessionStorage.setItem(key, JSON.stringify(left.slice(-maxLeft)))
}

/** By its ids: what would let somebody in is kept nowhere. Those of other people stay: whoever picked the wrong account picks the right one next. */
export async function rememberSession(): Promise<void> {
  const own = await ownSession()
  if (own) keep([...leftSessions().filter(({ id }) => id !== own.id), { id: own.id, userId: own.userId }])
}

/** Ends what the person who is here has left, never what this browser still has. What fails is tried again by whoever asks next. */
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

/**
 * Sessions that the user is replacing by logging in again. The old session would remain in the list without a browser. It is ended after
 * this browser has the new session; ended earlier, other tabs would be signed out.
 */
import * as z from 'zod/mini'
import type { SessionsBody } from '../../../worker/contract/http.ts'
import { authCall } from '../../lib/auth-call.ts'
import { readFromTab, storeInTab } from '../../lib/browser-storage.ts'

const key = 'parley:replaced-sessions'

const sessionSchema = z.object({ id: z.string(), userId: z.string() })
const sessionsSchema = z.array(sessionSchema)

type SessionId = z.infer<typeof sessionSchema>

/** Chosen: bounds the stored list. */
const maxStored = 20

const ownSession = async (): Promise<SessionId | null> => {
  const own = await authCall<{ session: SessionId } | null>('get-session')
  return own.ok ? (own.body?.session ?? null) : null
}

/** Empty if the stored value is invalid. */
const replacedSessions = (): readonly SessionId[] => sessionsSchema.safeParse(readFromTab(key)).data ?? []

const store = (replaced: readonly SessionId[]): void => storeInTab(key, replaced.length === 0 ? null : replaced.slice(-maxStored))

/**
 * Stores ids only, no credentials. Entries of other users stay: a user who selected the wrong account at the provider selects the right one
 * next.
 */
export async function rememberSession(): Promise<void> {
  const own = await ownSession()
  if (own) store([...replacedSessions().filter(({ id }) => id !== own.id), { id: own.id, userId: own.userId }])
}

/** Ends the replaced sessions of the current user, never the session of this browser. The next call retries failures. */
export async function endReplacedSessions(): Promise<void> {
  if (replacedSessions().length === 0) return store([])
  const own = await ownSession()
  if (!own) return
  const ended = replacedSessions().filter(({ id, userId }) => userId === own.userId && id !== own.id)
  if (ended.length === 0) return
  const list = await authCall<SessionsBody>('list-sessions')
  if (!list.ok) return
  for (const { id } of ended) {
    const replaced = list.body.find((session) => session.id === id)
    if (replaced && !(await authCall('revoke-session', { token: replaced.token })).ok) continue
    store(replacedSessions().filter((session) => session.id !== id))
  }
}

/** Sessions in the directory. better-auth deletes the row of a session that ends; the token itself carries its expiry. */
import { and, eq, ne } from 'drizzle-orm'
import { type DatabaseBindings, directoryDb, orm } from './shards.ts'
import { session, user } from './tables/people.ts'

export const sessionStatement = (db: D1Database, sessionId: string, userId: string): D1PreparedStatement =>
  db.prepare('select 1 found from session where id = ? and userId = ?').bind(sessionId, userId)

export const readIsSignedIn = (result: D1Result | undefined): boolean => (result?.results.length ?? 0) > 0

/** Removes all sessions of a user but one, and returns their ids. */
export async function removeSessionsBut(env: DatabaseBindings, userId: string, keptId: string | null): Promise<readonly string[]> {
  const removed = await orm(directoryDb(env))
    .delete(session)
    .where(and(eq(session.userId, userId), keptId === null ? undefined : ne(session.id, keptId)))
    .returning({ id: session.id })
  return removed.map(({ id }) => id)
}

export type StoredSession = {
  readonly userId: string
  readonly sessionId: string
  readonly isAnonymous: boolean
  readonly expiresAtMs: number
}

/** The session with the token of a cookie, and whether its user is a guest. */
export async function readSession(db: D1Database, token: string): Promise<StoredSession | null> {
  const [row] = await orm(db)
    .select({ sessionId: session.id, userId: session.userId, expiresAt: session.expiresAt, isAnonymous: user.isAnonymous })
    .from(session)
    .innerJoin(user, eq(user.id, session.userId))
    .where(eq(session.token, token))
  if (!row) return null
  const { expiresAt, isAnonymous, ...ids } = row
  return { ...ids, isAnonymous: isAnonymous === true, expiresAtMs: expiresAt.getTime() }
}

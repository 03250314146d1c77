/** Whether somebody is still signed in. better-auth deletes a session's row when it ends; when it runs out is the token's business. */
import { type DatabaseBindings, directoryDb } from './shards.ts'

export const sessionStatement = (db: D1Database, sessionId: string, userId: string): D1PreparedStatement =>
  db.prepare('select 1 found from session where id = ? and userId = ?').bind(sessionId, userId)

export const readIsSignedIn = (result: D1Result | undefined): boolean => (result?.results.length ?? 0) > 0

/** All of a person's but one, however many there are. Returns their ids. */
export async function removeSessionsBut(env: DatabaseBindings, userId: string, keptId: string | null): Promise<readonly string[]> {
  const statement = directoryDb(env).prepare('delete from session where userId = ? and id is not ? returning id')
  const { results } = await statement.bind(userId, keptId).all<{ id: string }>()
  return results.map(({ id }) => id)
}

export type StoredSession = {
  readonly userId: string
  readonly sessionId: string
  readonly isAnonymous: boolean
  readonly expiresAtMs: number
}

/** The session of a cookie's token, with what is to be known of its person. */
export async function readSession(db: D1Database, token: string): Promise<StoredSession | null> {
  const row = await db
    .prepare(
      `select s.id sessionId, s.userId, s.expiresAt expiresAtMs, u.isAnonymous is 1 isAnonymous
         from session s join user u on u.id = s.userId
        where s.token = ?`,
    )
    .bind(token)
    .first<Omit<StoredSession, 'isAnonymous'> & { readonly isAnonymous: number }>()
  return row && { ...row, isAnonymous: row.isAnonymous === 1 }
}

/** Sessions in the directory, and the public keys that sign their tokens. better-auth deletes the row of a session that ends; the token itself carries its expiry. */
import { and, eq, ne } from 'drizzle-orm'
import { type DatabaseBindings, directoryDb, orm } from './shards.ts'
import { jwks, session } from './tables/users.ts'

export const sessionStatement = (db: D1Database, sessionId: string, userId: string): D1PreparedStatement =>
  db.prepare('select 1 found from session where id = ? and userId = ?').bind(sessionId, userId)

export const readIsSignedIn = (result: D1Result | undefined): boolean => (result?.results.length ?? 0) > 0

/** False once the session was deleted. */
export const isLiveSession = async (
  env: DatabaseBindings,
  { sessionId, userId }: { readonly sessionId: string; readonly userId: string },
): Promise<boolean> => (await sessionStatement(directoryDb(env), sessionId, userId).first()) !== null

/** Removes all sessions of a user but one, and returns their ids. */
export async function removeSessionsBut(env: DatabaseBindings, userId: string, keptId: string | null): Promise<readonly string[]> {
  const removed = await orm(directoryDb(env))
    .delete(session)
    .where(and(eq(session.userId, userId), keptId === null ? undefined : ne(session.id, keptId)))
    .returning({ id: session.id })
  return removed.map(({ id }) => id)
}

type SigningKey = { readonly kid: string; readonly alg: string | null; readonly publicKeyJson: string }

export function readSigningKeys(env: DatabaseBindings): Promise<SigningKey[]> {
  return orm(directoryDb(env)).select({ kid: jwks.id, alg: jwks.alg, publicKeyJson: jwks.publicKey }).from(jwks)
}

/** Whether somebody is still signed in. better-auth deletes a session's row when it ends; when it runs out is the token's business. */

export const sessionStatement = (db: D1Database, sessionId: string, userId: string): D1PreparedStatement =>
  db.prepare('select 1 found from session where id = ? and userId = ?').bind(sessionId, userId)

export const readIsSignedIn = (result: D1Result | undefined): boolean => (result?.results.length ?? 0) > 0

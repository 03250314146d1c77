/** Reads and writes tool servers of one user, and their sealed credentials. Every statement checks the owner. */
import { and, asc, eq, lte, sql } from 'drizzle-orm'
import { contentDb, type DatabaseBindings, orm } from './shards.ts'
import { toolServer, toolServerSecret } from './tables/tool-servers.ts'

export type ToolServerRow = typeof toolServer.$inferSelect
export type ToolServerChanges = Partial<Omit<ToolServerRow, 'id' | 'userId' | 'createdAt'>>

export const readToolServers = (env: DatabaseBindings, userId: string): Promise<readonly ToolServerRow[]> =>
  orm(contentDb(env, userId)).select().from(toolServer).where(eq(toolServer.userId, userId)).orderBy(asc(toolServer.createdAt))

export async function readToolServer(env: DatabaseBindings, userId: string, id: string): Promise<ToolServerRow | null> {
  const [row] = await orm(contentDb(env, userId)).select().from(toolServer).where(isOwn(userId, id))
  return row ?? null
}

/** A repeated insert changes nothing. False if another user has a server with this id. */
export async function insertToolServer(env: DatabaseBindings, row: ToolServerRow, sealed: string): Promise<boolean> {
  const db = orm(contentDb(env, row.userId))
  await db.batch([
    db.insert(toolServer).values(row).onConflictDoNothing(),
    db.insert(toolServerSecret).values({ id: row.id, userId: row.userId, sealed }).onConflictDoNothing(),
  ])
  return (await readToolServer(env, row.userId, row.id)) !== null
}

export const updateToolServer = (env: DatabaseBindings, userId: string, id: string, changes: ToolServerChanges): Promise<unknown> =>
  orm(contentDb(env, userId)).update(toolServer).set(changes).where(isOwn(userId, id))

/** A trigger deletes the credentials. Returns them as they were at that moment, or null. */
export async function deleteToolServer(env: DatabaseBindings, userId: string, id: string): Promise<string | null> {
  const db = orm(contentDb(env, userId))
  const [secrets] = await db.batch([
    db.select({ sealed: toolServerSecret.sealed }).from(toolServerSecret).where(isOwnSecret(userId, id)),
    db.delete(toolServer).where(isOwn(userId, id)),
  ])
  return secrets[0]?.sealed ?? null
}

const isOwn = (userId: string, id: string) => and(eq(toolServer.id, id), eq(toolServer.userId, userId))

export type SealedSecret = { readonly sealed: string; readonly version: number }

export async function readSealed(env: DatabaseBindings, userId: string, id: string): Promise<SealedSecret | null> {
  const { sealed, version } = toolServerSecret
  const [row] = await orm(contentDb(env, userId)).select({ sealed, version }).from(toolServerSecret).where(isOwnSecret(userId, id))
  return row ?? null
}

/** False if another request has written since `version` was read. */
export async function writeSealed(
  env: DatabaseBindings,
  userId: string,
  id: string,
  { sealed, version, endsRenewal }: SealedSecret & { readonly endsRenewal: boolean },
): Promise<boolean> {
  const written = await orm(contentDb(env, userId))
    .update(toolServerSecret)
    .set({ sealed, version: sql`${toolServerSecret.version} + 1`, ...(endsRenewal && { renewingUntil: 0 }) })
    .where(and(isOwnSecret(userId, id), eq(toolServerSecret.version, version)))
    .returning({ id: toolServerSecret.id })
  return written.length > 0
}

/** True if this request may renew the token that was read with `version`. */
export async function claimRenewal(
  env: DatabaseBindings,
  userId: string,
  id: string,
  { version, nowMs, forMs }: { readonly version: number; readonly nowMs: number; readonly forMs: number },
): Promise<boolean> {
  const claimed = await orm(contentDb(env, userId))
    .update(toolServerSecret)
    .set({ renewingUntil: nowMs + forMs })
    .where(and(isOwnSecret(userId, id), eq(toolServerSecret.version, version), lte(toolServerSecret.renewingUntil, nowMs)))
    .returning({ id: toolServerSecret.id })
  return claimed.length > 0
}

const isOwnSecret = (userId: string, id: string) => and(eq(toolServerSecret.id, id), eq(toolServerSecret.userId, userId))

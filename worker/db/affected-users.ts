/** The users whose rows a write to the directory changed, read from its feed: callers need no list of users to notify. */
import { and, eq, gt, inArray, like, max, ne, sql } from 'drizzle-orm'
import { scopeMark } from './feed-tables.ts'
import { type DatabaseBindings, directoryDb, orm } from './shards.ts'
import { member } from './tables/organizations.ts'
import { directoryChange } from './tables/sync.ts'

export async function directoryWatermark(env: DatabaseBindings): Promise<number> {
  const [row] = await orm(directoryDb(env))
    .select({ seq: max(directoryChange.seq) })
    .from(directoryChange)
  return row?.seq ?? 0
}

/** The id after `user:` or `org:`. */
const idOf = (scope: string) => scope.slice(scope.indexOf(':') + 1)

/** Organizations that a user joined or left. */
export async function organizationsMovedSince(env: DatabaseBindings, watermark: number): Promise<string[]> {
  const rows = await orm(directoryDb(env))
    .selectDistinct({ scope: directoryChange.rowId })
    .from(directoryChange)
    .where(and(gt(directoryChange.seq, watermark), eq(directoryChange.tbl, scopeMark)))
  return rows.map(({ scope }) => idOf(scope))
}

/**
 * Users of the scopes that changed, as far as they exist. Members of a deleted organization are not found here. The result may include users
 * whom only a concurrent write concerned.
 */
export async function usersAffectedSince(env: DatabaseBindings, watermark: number): Promise<string[]> {
  const db = orm(directoryDb(env))
  const isNew = gt(directoryChange.seq, watermark)
  const scopes = await db
    .select({ scope: directoryChange.scope, isDeleted: sql<number>`max(${directoryChange.tbl} = 'user' and ${directoryChange.op} = 'd')` })
    .from(directoryChange)
    .where(and(isNew, ne(directoryChange.scope, '*')))
    .groupBy(directoryChange.scope)
  const changed = db
    .select({ organizationId: sql`substr(${directoryChange.scope}, 5)` })
    .from(directoryChange)
    .where(and(isNew, like(directoryChange.scope, 'org:%')))
  const members = await db.selectDistinct({ userId: member.userId }).from(member).where(inArray(member.organizationId, changed))
  const users = scopes.flatMap(({ scope, isDeleted }) => (scope.startsWith('user:') && !isDeleted ? [idOf(scope)] : []))
  return [...new Set([...users, ...members.map(({ userId }) => userId)])]
}

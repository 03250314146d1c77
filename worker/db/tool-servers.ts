/** Reads and writes tool servers of a user or an organization, and their sealed credentials. Every statement checks the owner. */
import { and, asc, eq, exists, getTableColumns, inArray, lte, type SQL, sql } from 'drizzle-orm'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'
import { mayManageServers, organizationRoleNames } from '../contract/organizations/organization.ts'
import { readBeneficiaries } from './customers.ts'
import { contentDb, type DatabaseBindings, directoryDb, orm, runBatch } from './shards.ts'
import { member, organization, organizationToolServer, organizationToolServerSecret } from './tables/organizations.ts'
import { toolServer, toolServerSecret } from './tables/tool-servers.ts'
import { keepForRevocation } from './token-revocations.ts'

/** The id of a user, or an organization. */
export type ServerOwner = string | OrganizationOwner

type OrganizationOwner = {
  readonly organizationId: string
  /** The rows count as missing unless this user is a member now, or may manage servers. Absent: Parley itself reads or writes. */
  readonly by?: { readonly userId: string; readonly as: 'member' | 'manager' }
}

export type ToolServerRow = Omit<typeof toolServer.$inferSelect, 'userId'>
export type ToolServerChanges = Partial<Omit<ToolServerRow, 'id' | 'createdAt'>>

/** The users whose rows change with a server. */
export const readersOf = async (env: DatabaseBindings, owner: ServerOwner): Promise<readonly string[]> =>
  typeof owner === 'string' ? [owner] : readBeneficiaries(directoryDb(env), { kind: 'organization', id: owner.organizationId })

/** The owner for what Parley does with a server whose user was checked: a renewed token is stored also if the membership has just ended. */
export const withoutUser = (owner: ServerOwner): ServerOwner =>
  typeof owner === 'string' ? owner : { organizationId: owner.organizationId }

/** The organization whose server has this id. */
export async function readOrganizationOf(env: DatabaseBindings, id: string): Promise<string | null> {
  const [row] = await orm(directoryDb(env))
    .select({ organizationId: organizationToolServer.organizationId })
    .from(organizationToolServer)
    .where(eq(organizationToolServer.id, id))
  return row?.organizationId ?? null
}

export async function readToolServers(env: DatabaseBindings, owner: ServerOwner): Promise<readonly ToolServerRow[]> {
  const { db, server, isOwned } = rowsOf(env, owner)
  return db.select().from(server).where(isOwned).orderBy(asc(server.createdAt))
}

export type MemberServer = ToolServerRow & { readonly organizationId: string; readonly organization: string }

/** The servers with these ids of the organizations that the user is a member of now. */
export const readMemberServers = (env: DatabaseBindings, userId: string, ids: readonly string[]): Promise<readonly MemberServer[]> =>
  orm(directoryDb(env))
    // D1 returns one value for two columns of the same name.
    .select({ ...getTableColumns(organizationToolServer), organization: sql<string>`${organization.name}`.as('organization') })
    .from(organizationToolServer)
    .innerJoin(organization, eq(organization.id, organizationToolServer.organizationId))
    .innerJoin(member, and(eq(member.organizationId, organization.id), eq(member.userId, userId)))
    .where(sql`${organizationToolServer.id} in (select value from json_each(${JSON.stringify(ids)}))`)
    .orderBy(asc(organizationToolServer.createdAt))

export async function readToolServer(env: DatabaseBindings, owner: ServerOwner, id: string): Promise<ToolServerRow | null> {
  const { db, server, isOwn } = rowsOf(env, owner)
  const [row] = await db.select().from(server).where(isOwn(server, id))
  return row ?? null
}

/** A repeated insert changes nothing. False if another owner has a server with this id, or the user may not add one. */
export async function insertToolServer(env: DatabaseBindings, owner: ServerOwner, row: ToolServerRow, sealed: string): Promise<boolean> {
  const { db, server, secret, isOwn, mayUse, ownerColumns } = rowsOf(env, owner)
  const host = new URL(row.url).host
  await db.batch([
    db
      .insert(server)
      .select(selectValues(server, { ...row, ...ownerColumns, host }, mayUse))
      .onConflictDoNothing(),
    db
      .insert(secret)
      .select(
        selectValues(
          secret,
          { id: row.id, ...ownerColumns, sealed, version: 1, renewingUntil: 0 },
          exists(db.select({ id: server.id }).from(server).where(isOwn(server, row.id))),
        ),
      )
      .onConflictDoNothing(),
  ])
  return (await readToolServer(env, owner, row.id)) !== null
}

export async function updateToolServer(
  env: DatabaseBindings,
  owner: ServerOwner,
  id: string,
  changes: ToolServerChanges,
): Promise<unknown> {
  const { db, server, isOwn } = rowsOf(env, owner)
  return db.update(server).set(changes).where(isOwn(server, id))
}

/** False if the tools are no longer `before`, so that of two requests that change them one reads again. */
export async function updateTools(
  env: DatabaseBindings,
  owner: ServerOwner,
  { id, tools: before }: Pick<ToolServerRow, 'id' | 'tools'>,
  changes: ToolServerChanges,
): Promise<boolean> {
  const { db, server, isOwn } = rowsOf(env, owner)
  const written = await db
    .update(server)
    .set(changes)
    .where(and(isOwn(server, id), eq(server.tools, before)))
    .returning({ id: server.id })
  return written.length > 0
}

/** The credentials are deleted with it, and kept as they are at that moment for the revocation. Returns the database. */
export async function deleteToolServer(env: DatabaseBindings, owner: ServerOwner, id: string, nowMs: number): Promise<D1Database> {
  const { database, db, server, secret, isOwn } = rowsOf(env, owner)
  await runBatch(database, [keepForRevocation(secret, isOwn(secret, id), nowMs), db.delete(server).where(isOwn(server, id))])
  return database
}

export type SealedSecret = { readonly sealed: string; readonly version: number }

export async function readSealed(env: DatabaseBindings, owner: ServerOwner, id: string): Promise<SealedSecret | null> {
  const { db, secret, isOwn } = rowsOf(env, owner)
  const { sealed, version } = secret
  const [row] = await db.select({ sealed, version }).from(secret).where(isOwn(secret, id))
  return row ?? null
}

/** False if another request has written since `version` was read. `changes`: of the server's row, in the same batch, so that both have one writer. */
export async function writeSealed(
  env: DatabaseBindings,
  owner: ServerOwner,
  id: string,
  { sealed, version, endsRenewal, changes }: SealedSecret & { readonly endsRenewal: boolean; readonly changes?: ToolServerChanges },
): Promise<boolean> {
  const { database, db, server, secret, isOwn } = rowsOf(env, owner)
  const isNewest = and(isOwn(secret, id), eq(secret.version, version))
  const hasNewest = exists(db.select({ id: secret.id }).from(secret).where(isNewest))
  const change =
    changes &&
    db
      .update(server)
      .set(changes)
      .where(and(isOwn(server, id), hasNewest))
  const write = db
    .update(secret)
    .set({ sealed, version: sql`${secret.version} + 1`, ...(endsRenewal && { renewingUntil: 0 }) })
    .where(isNewest)
    .returning({ id: secret.id })
  const results = await runBatch(database, [...(change ? [change] : []), write])
  return (results.at(-1)?.results.length ?? 0) > 0
}

/** True if this request may renew the token that was read with `version`. */
export async function claimRenewal(
  env: DatabaseBindings,
  owner: ServerOwner,
  id: string,
  { version, nowMs, forMs }: { readonly version: number; readonly nowMs: number; readonly forMs: number },
): Promise<boolean> {
  const { db, secret, isOwn } = rowsOf(env, owner)
  const claimed = await db
    .update(secret)
    .set({ renewingUntil: nowMs + forMs })
    .where(and(isOwn(secret, id), eq(secret.version, version), lte(secret.renewingUntil, nowMs)))
    .returning({ id: secret.id })
  return claimed.length > 0
}

type ServerTable = typeof toolServer | typeof toolServerSecret

/** The database and the tables of an owner, and the conditions on them. */
function rowsOf(env: DatabaseBindings, owner: ServerOwner) {
  if (typeof owner === 'string') {
    const database = contentDb(env, owner)
    return {
      ...{ database, db: orm(database) },
      server: toolServer,
      secret: toolServerSecret,
      ownerColumns: { userId: owner },
      mayUse: sql`true`,
      isOwned: eq(toolServer.userId, owner) as SQL | undefined,
      isOwn: (table: ServerTable, id: string) => and(eq(table.id, id), eq(table.userId, owner)),
    }
  }
  const database = directoryDb(env)
  const db = orm(database)
  const { organizationId, by } = owner
  const mayUse = by
    ? exists(
        db
          .select({ id: member.id })
          .from(member)
          .where(
            and(
              ...[eq(member.organizationId, organizationId), eq(member.userId, by.userId)],
              by.as === 'manager' ? inArray(member.role, organizationRoleNames.filter(mayManageServers)) : undefined,
            ),
          ),
      )
    : sql`true`
  const isOf = (table: object) => and(eq((table as typeof organizationToolServer).organizationId, organizationId), mayUse)
  return {
    ...{ database, db },
    // The columns that the statements name are the same (tables/tool-server-columns.ts).
    server: organizationToolServer as unknown as typeof toolServer,
    secret: organizationToolServerSecret as unknown as typeof toolServerSecret,
    ownerColumns: { organizationId },
    mayUse,
    isOwned: isOf(organizationToolServer),
    isOwn: (table: ServerTable, id: string) => and(eq(table.id, id), isOf(table)),
  }
}

/** Selects one row for an insert, or none if the condition is false. Values without a column are ignored. */
const selectValues = (table: SQLiteTable, row: Readonly<Record<string, unknown>>, condition: SQL): SQL =>
  sql`select ${sql.join(
    Object.entries(getTableColumns(table)).map(([name, column]) => sql`${sql.param(row[name] ?? null, column)}`),
    sql`, `,
  )} where ${condition}`

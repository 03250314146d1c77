/** Statements on organizations that better-auth does not have. */
import { and, eq, exists, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import { type DatabaseBindings, directoryDb, orm, runBatch } from './shards.ts'
import { invitation, member, organization, organizationToolServerSecret, team } from './tables/organizations.ts'
import { user } from './tables/users.ts'
import { keepForRevocation } from './token-revocations.ts'

/**
 * Members, invitations, teams, the customer and tool servers are deleted by cascade. The feed has rows for the organization only, so the ids of the
 * members, whom it does not name, are returned.
 */
export async function deleteOrganization(env: DatabaseBindings, organizationId: string, nowMs: number): Promise<readonly string[]> {
  const database = directoryDb(env)
  const db = orm(database)
  const [members] = await runBatch(database, [
    db.select({ userId: member.userId }).from(member).where(eq(member.organizationId, organizationId)),
    keepForRevocation(organizationToolServerSecret, eq(organizationToolServerSecret.organizationId, organizationId), nowMs),
    db.delete(organization).where(eq(organization.id, organizationId)),
  ])
  return (members?.results ?? []).map(({ userId }) => String(userId))
}

export const countMemberships = (env: DatabaseBindings, userId: string): Promise<number> =>
  orm(directoryDb(env)).$count(member, eq(member.userId, userId))

/** True if the user has at least `max` memberships that are older than the membership of this organization. */
export async function isBeyond(env: DatabaseBindings, organizationId: string, userId: string, max: number): Promise<boolean> {
  const db = orm(directoryDb(env))
  const joined = db
    .select({ rowid: sql`rowid` })
    .from(member)
    .where(and(eq(member.organizationId, organizationId), eq(member.userId, userId)))
  return (await db.$count(member, and(eq(member.userId, userId), sql`rowid < ${joined}`))) >= max
}

export async function metadataOf(env: DatabaseBindings, organizationId: string): Promise<string | null> {
  const db = orm(directoryDb(env))
  const [found] = await db.select({ metadata: organization.metadata }).from(organization).where(eq(organization.id, organizationId))
  return found?.metadata ?? null
}

/** True for an invitation to this user's address, whatever its status. */
export async function isInvitationTo(env: DatabaseBindings, invitationId: string, userId: string): Promise<boolean> {
  const found = await orm(directoryDb(env))
    .select({ id: invitation.id })
    .from(invitation)
    .innerJoin(user, sql`lower(${user.email}) = lower(${invitation.email})`)
    .where(and(eq(invitation.id, invitationId), eq(user.id, userId)))
  return found.length > 0
}

/** Null for an invitation that does not exist. `isMember`: the user is a member of its organization. */
export async function readInvitation(env: DatabaseBindings, id: string, userId: string | null) {
  const [found] = await orm(directoryDb(env))
    .select({
      ...{ organizationId: organization.id, organization: organization.name },
      ...{ email: invitation.email, role: invitation.role, status: invitation.status, expiresAt: invitation.expiresAt },
      ...{ inviter: { name: user.name, email: user.email }, memberId: member.id },
    })
    .from(invitation)
    .innerJoin(organization, eq(organization.id, invitation.organizationId))
    .innerJoin(user, eq(user.id, invitation.inviterId))
    .leftJoin(member, and(eq(member.organizationId, organization.id), eq(member.userId, userId ?? '')))
    .where(eq(invitation.id, id))
  return found && { ...found, isMember: found.memberId !== null }
}

type Named = {
  readonly userId: string
  readonly organizationId?: string | undefined
  readonly organizationSlug?: string | undefined
  readonly memberId?: string | undefined
  readonly teamId?: string | undefined
  readonly invitationId?: string | undefined
}

/** True if all that a call names belongs to one organization of the user. An invitation or a team may be named without its organization. */
export async function isWithinOrganization(env: DatabaseBindings, named: Named): Promise<boolean> {
  const db = orm(directoryDb(env))
  const own = alias(member, 'own')
  const contains = (table: typeof member | typeof team | typeof invitation, id: string | undefined) =>
    id === undefined
      ? undefined
      : exists(
          db
            .select({ id: table.id })
            .from(table)
            .where(and(eq(table.id, id), eq(table.organizationId, organization.id))),
        )
  const found = await db
    .select({ id: organization.id })
    .from(own)
    .innerJoin(organization, eq(organization.id, own.organizationId))
    .where(
      and(
        eq(own.userId, named.userId),
        named.organizationId === undefined ? undefined : eq(organization.id, named.organizationId),
        named.organizationSlug === undefined ? undefined : eq(organization.slug, named.organizationSlug),
        contains(member, named.memberId),
        contains(team, named.teamId),
        contains(invitation, named.invitationId),
      ),
    )
    .limit(1)
  return found.length > 0
}

/** Organizations in the directory, beside what better-auth reads and writes of them. */
import { type DatabaseBindings, directoryDb } from './shards.ts'

type Named = {
  readonly userId: string
  readonly organizationId?: string | undefined
  readonly organizationSlug?: string | undefined
  readonly memberId?: string | undefined
  readonly teamId?: string | undefined
  readonly invitationId?: string | undefined
}

/** One statement: the rows of its members, invitations, teams and customer go by cascade. */
export async function deleteOrganization(env: DatabaseBindings, organizationId: string): Promise<void> {
  await directoryDb(env).prepare('delete from organization where id = ?').bind(organizationId).run()
}

export async function countMemberships(env: DatabaseBindings, userId: string): Promise<number> {
  const found = await directoryDb(env)
    .prepare('select count(*) memberships from member where userId = ?')
    .bind(userId)
    .first<number>('memberships')
  return found ?? 0
}

/** Whether as many memberships of this person are older than the one here. */
export async function isBeyond(env: DatabaseBindings, organizationId: string, userId: string, max: number): Promise<boolean> {
  const older = await directoryDb(env)
    .prepare(
      `select count(*) older from member
       where userId = ?2 and rowid < (select rowid from member where organizationId = ?1 and userId = ?2)`,
    )
    .bind(organizationId, userId)
    .first<number>('older')
  return (older ?? 0) >= max
}

/** Whether everything that a call names lies in one organization of the person who calls. What is not named restricts nothing; an invitation or a team may be named without its organization. */
export async function isWithinOrganization(env: DatabaseBindings, named: Named): Promise<boolean> {
  const found = await directoryDb(env)
    .prepare(
      `select 1 from member mine join organization on organization.id = mine.organizationId
       where mine.userId = ?1
         and (?2 is null or organization.id = ?2)
         and (?3 is null or organization.slug = ?3)
         and (?4 is null or exists (select 1 from member where id = ?4 and organizationId = organization.id))
         and (?5 is null or exists (select 1 from team where id = ?5 and organizationId = organization.id))
         and (?6 is null or exists (select 1 from invitation where id = ?6 and organizationId = organization.id))
       limit 1`,
    )
    .bind(
      named.userId,
      named.organizationId ?? null,
      named.organizationSlug ?? null,
      named.memberId ?? null,
      named.teamId ?? null,
      named.invitationId ?? null,
    )
    .first()
  return found !== null
}

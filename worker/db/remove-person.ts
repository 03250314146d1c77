/**
 * The end of a person's rows. Content goes first and in slices; the user's own row, whose going ends every session, is left to the caller
 * and goes last: whoever dies on the way is found again by it, and starts over. The feeds keep ids for a while, and nothing else.
 */
import { forgottenContent, ownedContent } from './hand-over.ts'
import { contentDb, type DatabaseBindings, directoryDb } from './shards.ts'
import type { TurnRef } from './turn-endings.ts'

/** Threads of one statement, each with its messages and their rows of the feed; chosen by us, well under D1's 30 s. */
const sliceThreads = 20

/** Turns of this person that are being written. */
export async function openTurnsOf(env: DatabaseBindings, userId: string): Promise<TurnRef[]> {
  const { results } = await contentDb(env, userId)
    .prepare("select id generationId, writer from generation where userId = ? and status = 'open'")
    .bind(userId)
    .all<TurnRef>()
  return results
}

export async function removeContent(env: DatabaseBindings, userId: string, nowMs: number): Promise<void> {
  const db = contentDb(env, userId)
  for (;;) {
    const { results } = await db
      .prepare('delete from thread where id in (select id from thread where userId = ?1 limit ?2) returning id')
      .bind(userId, sliceThreads)
      .all()
    if (results.length < sliceThreads) break
  }
  // Usage before the ledger, which is guarded as long as there is one.
  const rest = ['setting', 'usage', ...ownedContent.filter((table) => table !== 'thread'), ...forgottenContent]
  await db.batch([
    // What still arrives for a guest who had become this account has nowhere to go on to.
    db
      .prepare('insert or ignore into departure (userId, startedAt) select guestId, ?2 from handover where accountId = ?1')
      .bind(userId, nowMs),
    ...rest.map((table) => db.prepare(`delete from ${table} where userId = ?`).bind(userId)),
    db.prepare('delete from handover where accountId = ?').bind(userId),
  ])
}

/** Names of organizations that others would be left in without an owner. */
export async function readOrphanedBy(env: DatabaseBindings, userId: string): Promise<string[]> {
  const { results } = await directoryDb(env)
    .prepare(
      `select organization.name from member mine join organization on organization.id = mine.organizationId
       where mine.userId = ?1 and instr(mine.role, 'owner') > 0
         and exists (select 1 from member where organizationId = mine.organizationId and userId <> ?1)
         and not exists (select 1 from member where organizationId = mine.organizationId and userId <> ?1 and instr(role, 'owner') > 0)`,
    )
    .bind(userId)
    .all<{ name: string }>()
  return results.map(({ name }) => name)
}

/** Organizations with nobody else in them. */
export async function readOrganizationsAlone(env: DatabaseBindings, userId: string): Promise<string[]> {
  const { results } = await directoryDb(env).prepare(`select id from organization where ${isAloneSql}`).bind(userId).all<{ id: string }>()
  return results.map(({ id }) => id)
}

const isAloneSql = `id in (select organizationId from member where userId = ?1)
  and not exists (select 1 from member where organizationId = organization.id and userId <> ?1)`

/** What the directory knows of a person beside the rows that go with the user's own: empty organizations, invitations, codes, mail. */
export async function removeTraces(env: DatabaseBindings, userId: string): Promise<void> {
  const db = directoryDb(env)
  const email = await db.prepare('select email from user where id = ?').bind(userId).first<string>('email')
  await db.batch([
    db.prepare(`delete from organization where ${isAloneSql}`).bind(userId),
    db.prepare('delete from invitation where email = ?').bind(email),
    // A link's row holds the address; a code's row is named by it, exactly: another's address may end in this one.
    db
      .prepare("delete from verification where identifier = 'sign-in-otp-' || ?1 or json_valid(value) and value ->> 'email' = ?1")
      .bind(email),
    db.prepare('delete from outbox where recipient = ?').bind(email),
  ])
}

/** Before content goes: whoever is signed in would go on sending. */
export async function removeSessions(env: DatabaseBindings, userId: string): Promise<void> {
  await directoryDb(env).prepare('delete from session where userId = ?').bind(userId).run()
}

/** For guests, whom nobody deletes through better-auth. */
export async function removeGuestUser(env: DatabaseBindings, userId: string): Promise<void> {
  await directoryDb(env).prepare('delete from user where id = ? and isAnonymous = 1').bind(userId).run()
}

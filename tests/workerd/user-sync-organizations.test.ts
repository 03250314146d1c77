// Rows of an organization reach its members and leave them with few feed rows and reads. Rules: worker/user-sync/SPEC.md, A4 and A9.
import { expect, test } from 'vitest'
import { maxOrganizationMembers } from '../../worker/contract/limits.ts'
import { feedStatement } from '../../worker/db/feed.ts'
import { evict, inside, stubOf } from './sync-object.ts'
import { connected, env, freshId, newUser, type SyncUser } from './sync-wire.ts'
import { directoryKey } from './watched-user-sync.ts'

const mine = { hash: 'mine', name: 'organizations.mine', args: [] }

/** Rows of organizations in the replica, by table. */
const heldRows = (who: SyncUser) =>
  inside(who, (_object, { storage }) =>
    Object.fromEntries(
      ['organization', 'organizationCustomer', 'member', 'memberProfile', 'invitation', 'team', 'teamMember'].map((table) => [
        table,
        Number(storage.sql.exec(`select count(*) n from "${table}"`).one().n),
      ]),
    ),
  )
const nothing = { organization: 0, organizationCustomer: 0, member: 0, memberProfile: 0, invitation: 0, team: 0, teamMember: 0 }

type Scene = { readonly organizationId: string; readonly users: readonly SyncUser[] }

/** An organization with a customer, a pending invitation and a team; every user is a member of both. */
async function organizationOf(count: number): Promise<Scene> {
  const organizationId = freshId('organization')
  const users: SyncUser[] = []
  while (users.length < count) users.push(await newUser())
  const insert = (sql: string, ...values: unknown[]) => env.DB.prepare(sql).bind(...values)
  await env.DB.batch([
    insert('insert into organization (id, name, createdAt) values (?, ?, 1)', organizationId, 'Before'),
    insert('insert into organizationCustomer (id, organizationId) values (?1, ?1)', organizationId),
    insert("insert into team (id, name, organizationId, createdAt) values (?1, 'Makers', ?1, 1)", organizationId),
    insert(
      `insert into invitation (id, organizationId, email, role, expiresAt, createdAt, inviterId)
       values (?1, ?1, 'invited@example.test', 'member', 9e15, 1, ?2)`,
      organizationId,
      users[0]?.userId,
    ),
    ...users.flatMap(({ userId }, i) => [
      joinStatement(organizationId, userId, i === 0 ? 'owner' : 'member'),
      enterStatement(organizationId, userId),
    ]),
  ])
  return { organizationId, users }
}
const joinStatement = (organizationId: string, userId: string, role = 'member') =>
  env.DB.prepare('insert into member (id, organizationId, userId, role, createdAt) values (?, ?, ?, ?, 1)').bind(
    freshId('member'),
    organizationId,
    userId,
    role,
  )
const enterStatement = (teamId: string, userId: string) =>
  env.DB.prepare('insert into teamMember (id, teamId, userId) values (?, ?, ?)').bind(freshId('place'), teamId, userId)
const leaveStatements = (organizationId: string, userId: string) => [
  env.DB.prepare('delete from teamMember where teamId = ? and userId = ?').bind(organizationId, userId),
  env.DB.prepare('delete from member where organizationId = ? and userId = ?').bind(organizationId, userId),
]

test('[A9] a user who joins gets all rows of the organization, and loses them all by leaving', async () => {
  const { organizationId, users } = await organizationOf(2)
  const late = await newUser()
  const wire = await connected(late, { queries: [mine] })
  expect(await heldRows(late)).toEqual(nothing)
  await joinStatement(organizationId, late.userId).run()
  await stubOf(late).notify()
  await wire.until(() => wire.rowsOf('member').length === 3, 'the members')
  const all = { organization: 1, organizationCustomer: 1, member: 3, memberProfile: 3, invitation: 1, team: 1, teamMember: users.length }
  expect(await heldRows(late)).toEqual(all)

  // Left and joined again before the object reads the feed; a team was deleted in between.
  await env.DB.batch([
    ...leaveStatements(organizationId, late.userId),
    env.DB.prepare('delete from team where id = ?').bind(organizationId),
    joinStatement(organizationId, late.userId),
  ])
  await stubOf(late).notify()
  await wire.settled()
  expect(await heldRows(late)).toEqual({ ...all, team: 0, teamMember: 0 })

  // Joined and left again before it reads the feed.
  await env.DB.batch([...leaveStatements(organizationId, late.userId), joinStatement(organizationId, late.userId)])
  await env.DB.batch(leaveStatements(organizationId, late.userId))
  await env.DB.prepare('update organization set name = ? where id = ?').bind('Renamed', organizationId).run()
  await stubOf(late).notify()
  await wire.settled()
  expect(await heldRows(late)).toEqual(nothing)
  expect([wire.rowsOf('organization'), wire.rowsOf('member')]).toEqual([[], []])
  await wire.close()
})

test('[A9] the rows of a deleted organization leave all its members', async () => {
  const { organizationId, users } = await organizationOf(3)
  const wires = await Promise.all(users.map((who) => connected(who, { queries: [mine] })))
  for (const wire of wires) expect(wire.rowsOf('member')).toHaveLength(3)
  await env.DB.prepare('delete from organization where id = ?').bind(organizationId).run()
  for (const [i, who] of users.entries()) {
    await stubOf(who).notify()
    await wires[i]?.settled()
    expect(await heldRows(who)).toEqual(nothing)
    expect(wires[i]?.rowsOf('organization')).toEqual([])
    await wires[i]?.close()
  }
})

test('[A9] a deleted team leaves every replica with its members, by one feed row', async () => {
  const { organizationId, users } = await organizationOf(20)
  const [who] = users
  if (!who) throw new Error('a member')
  const wire = await connected(who, { queries: [mine] })
  expect(await heldRows(who)).toMatchObject({ team: 1, teamMember: 20 })
  const end = (await feedEnd()) ?? 0
  await env.DB.prepare('delete from team where id = ?').bind(organizationId).run()
  expect(await feedEnd()).toBe(end + 1)
  await stubOf(who).notify()
  await wire.settled()
  expect(await heldRows(who)).toMatchObject({ member: 20, team: 0, teamMember: 0 })
  await wire.close()
})

const manyMembers = process.env.PARLEY_LONG ? maxOrganizationMembers : 50

test('[A4] [A9] a rename reaches all members by one feed row and one read of each database for each member', async () => {
  const { organizationId, users } = await organizationOf(manyMembers)
  for (const who of users) await inside(who, (_object, { storage }) => storage.kv.put(directoryKey, true))
  await Promise.all(users.map(evict))
  const wires = await Promise.all(users.map((who) => connected(who, { queries: [mine] })))
  const batches = () => Promise.all(users.map((who) => inside(who, ({ watch }) => watch.batches.length)))
  const before = await batches()
  const end = (await feedEnd()) ?? 0
  await env.DB.prepare('update organization set name = ? where id = ?').bind('After', organizationId).run()
  expect(await feedEnd()).toBe(end + 1)
  // The rows that D1 reads for one member do not depend on the number of members.
  const read = await feedStatement(env.DB, 'directory', users[0]?.userId ?? '', { seq: end, atMs: null }, [organizationId]).all()
  expect(read.meta.rows_read).toBeLessThan(30)
  const renamedAtMs = Date.now()
  await Promise.all(users.map((who) => stubOf(who).notify()))
  await Promise.all(wires.map((wire) => wire.until(() => wire.rowsOf('organization')[0]?.name === 'After', 'the new name')))
  console.info(JSON.stringify({ members: users.length, rowsRead: read.meta.rows_read, tookMs: Date.now() - renamedAtMs }))
  expect(await batches()).toEqual(before.map((count) => count + 2))
  await Promise.all(wires.map((wire) => wire.close()))
})
const feedEnd = () => env.DB.prepare('select max(seq) n from directoryChange').first<number>('n')

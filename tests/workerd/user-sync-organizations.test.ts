// Rows of an organization reach its members and leave them with few feed rows and reads. Rules: worker/user-sync/SPEC.md, A4 and A9.
import { expect, test } from 'vitest'
import { inside, stubOf } from './sync-object.ts'
import { connected, env, freshId, newUser, type SyncUser } from './sync-wire.ts'

const mine = { hash: 'mine', name: 'organizations.mine', args: [] }

/** Rows of organizations in the replica, by table. */
const heldRows = (who: SyncUser) =>
  inside(who, (_object, { storage }) =>
    Object.fromEntries(Object.keys(nothing).map((table) => [table, Number(storage.sql.exec(`select count(*) n from "${table}"`).one().n)])),
  )
const nothing = {
  ...{ organization: 0, organizationCustomer: 0, organizationToolServer: 0, member: 0, memberProfile: 0 },
  ...{ invitation: 0, team: 0, teamMember: 0 },
}

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
    insert(
      `insert into organizationToolServer (id, organizationId, host, name, url, login, state, tools, createdAt, checkedAt)
       values (?1, ?1, 'sea.example.org', 'Sea', 'https://sea.example.org/secret-key', 'none', 'ready', '[]', 1, 1)`,
      organizationId,
    ),
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
  const all = {
    organization: 1,
    organizationCustomer: 1,
    organizationToolServer: 1,
    member: 3,
    memberProfile: 3,
    invitation: 1,
    team: 1,
    teamMember: users.length,
  }
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

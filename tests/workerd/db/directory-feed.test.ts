// The feed of the directory: how many rows a change adds, and in which scope.
import { beforeEach, describe, expect, test } from 'vitest'
import { maxOrganizationMembers } from '../../../worker/contract/limits.ts'
import { newId } from '../../../worker/db/new-id.ts'
import { feedEnd, feedOf, insert, insertStatement, memberRow, organizationRow, userRow } from '../../support/rows.ts'
import { env } from '../bindings.ts'

const { DB } = env
const run = (sql: string, ...binds: (string | number | null)[]) =>
  DB.prepare(sql)
    .bind(...binds)
    .run()

async function newUser(): Promise<string> {
  const user = userRow()
  await insert(DB, 'user', user)
  return String(user.id)
}

async function newUsers(count: number): Promise<string[]> {
  const rows = Array.from({ length: count }, () => userRow())
  await DB.batch(rows.map((row) => insertStatement(DB, 'user', row)))
  return rows.map(({ id }) => String(id))
}

async function join(organizationId: string, userId: string): Promise<string> {
  const member = memberRow(organizationId, userId)
  await insert(DB, 'member', member)
  return String(member.id)
}

let since = 0
/** Every row added to the feed since, sorted. */
const added = async () => (await feedOf(DB, 'directoryChange', null, since)).sort()

test('a row of a user is in the scope of the user', async () => {
  since = await feedEnd(DB, 'directoryChange')
  const id = await newUser()
  await run('update user set name = ? where id = ?', 'Ada', id)
  await run('delete from user where id = ?', id)
  expect(await feedOf(DB, 'directoryChange', null, since)).toEqual(['i', 'u', 'd'].map((op) => `user:${id} ${op} user:${id}`))
})

test('a customer that gets another user leaves one scope and enters the other', async () => {
  const [id, other, customer] = [await newUser(), await newUser(), newId()]
  since = await feedEnd(DB, 'directoryChange')
  await insert(DB, 'userCustomer', { id: customer, userId: id })
  await run('update userCustomer set subscription = ? where id = ?', '{}', customer)
  await run('update userCustomer set userId = ? where id = ?', other, customer)
  await run('delete from userCustomer where id = ?', customer)
  const ofCustomer = (userId: string, ...ops: string[]) => ops.map((op) => `user:${userId} ${op} userCustomer:${customer}`)
  expect(await added()).toEqual([...ofCustomer(id, 'i', 'u', 'd'), ...ofCustomer(other, 'i', 'd')].sort())
})

test('a model is in the scope of all users', async () => {
  since = await feedEnd(DB, 'directoryChange')
  await run('update model set credits = 3 where id = ?', 'kimi-k2')
  expect(await added()).toEqual(['* u model:kimi-k2'])
})

describe('an organization of two', () => {
  let [organizationId, customer, ada, ben] = ['', '', '', '']
  let benMember = ''

  beforeEach(async () => {
    const organization = organizationRow()
    organizationId = String(organization.id)
    customer = newId()
    ada = await newUser()
    ben = await newUser()
    await insert(DB, 'organization', organization)
    await insert(DB, 'organizationCustomer', { id: customer, organizationId })
    await join(organizationId, ada)
    benMember = await join(organizationId, ben)
    since = await feedEnd(DB, 'directoryChange')
  })

  const shared = (op: string, row: string) => `org:${organizationId} ${op} ${row}`
  const mark = (userId: string, op: string) => `user:${userId} ${op} scope:org:${organizationId}`
  const membership = (op: string, id: string) => [shared(op, `member:${id}`), shared(op, `memberProfile:${id}`)]

  test('a change of a shared row adds one row', async () => {
    await run('update organization set name = ? where id = ?', 'Renamed', organizationId)
    await run('update organizationCustomer set subscription = ? where id = ?', '{}', customer)
    await run('update member set role = ? where id = ?', 'admin', benMember)
    await run('update user set name = ? where id = ?', 'Renamed', ben)
    expect(await added()).toEqual(
      [
        shared('u', `organization:${organizationId}`),
        shared('u', `organizationCustomer:${customer}`),
        shared('u', `member:${benMember}`),
        shared('u', `memberProfile:${benMember}`),
        `user:${ben} u user:${ben}`,
      ].sort(),
    )
  })

  test('an update that changes nothing adds no row', async () => {
    await run('update organization set name = name, logo = null where id = ?', organizationId)
    await run('update member set role = role where organizationId = ?', organizationId)
    expect(await added()).toEqual([])
  })

  test('a join adds the member, the profile and the scope', async () => {
    const eve = await newUser()
    since = await feedEnd(DB, 'directoryChange')
    const eveMember = await join(organizationId, eve)
    expect(await added()).toEqual([...membership('i', eveMember), mark(eve, 'i')].sort())
  })

  test('a removal adds the same rows with op d', async () => {
    await run('delete from member where id = ?', benMember)
    expect(await added()).toEqual([...membership('d', benMember), mark(ben, 'd')].sort())
  })

  test('a deleted user leaves the organization', async () => {
    await run('delete from user where id = ?', ben)
    expect(await added()).toEqual([...membership('d', benMember), mark(ben, 'd'), `user:${ben} d user:${ben}`].sort())
  })

  test('a membership that gets another user removes the scope of one and adds it to the other', async () => {
    const heir = await newUser()
    since = await feedEnd(DB, 'directoryChange')
    await run('update member set userId = ? where id = ?', heir, benMember)
    expect(await added()).toEqual(
      [
        shared('u', `member:${benMember}`),
        shared('d', `memberProfile:${benMember}`),
        shared('i', `memberProfile:${benMember}`),
        mark(ben, 'd'),
        mark(heir, 'i'),
      ].sort(),
    )
  })

  test('a customer that gets another organization leaves one scope and enters the other', async () => {
    const other = organizationRow()
    await insert(DB, 'organization', other)
    since = await feedEnd(DB, 'directoryChange')
    await run('update organizationCustomer set organizationId = ? where id = ?', String(other.id), customer)
    expect(await added()).toEqual(
      [shared('d', `organizationCustomer:${customer}`), `org:${other.id} i organizationCustomer:${customer}`].sort(),
    )
  })

  test('a deleted team adds one row, also for its members', async () => {
    const [team, ...places] = [newId(), newId(), newId()]
    await insert(DB, 'team', { id: team, name: 'Makers', organizationId, createdAt: 1 })
    await insert(DB, 'teamMember', { id: places[0] ?? '', teamId: team, userId: ada })
    await insert(DB, 'teamMember', { id: places[1] ?? '', teamId: team, userId: ben })
    expect(await added()).toEqual([shared('i', `team:${team}`), ...places.map((id) => shared('i', `teamMember:${id}`))].sort())
    since = await feedEnd(DB, 'directoryChange')
    await run('delete from teamMember where id = ?', places[0] ?? '')
    await run('delete from team where id = ?', team)
    expect(await added()).toEqual([shared('d', `team:${team}`), shared('d', `teamMember:${places[0]}`)].sort())
  })

  test('deleting it adds a row for the organization and one that ends its scope', async () => {
    await run('delete from organization where id = ?', organizationId)
    expect(await added()).toEqual([shared('d', `organization:${organizationId}`), shared('d', `scope:org:${organizationId}`)].sort())
    expect(await DB.prepare('select id from member where organizationId = ?').bind(organizationId).first()).toBeNull()
  })

  test('a user cannot be a member twice', async () => {
    await expect(insert(DB, 'member', memberRow(organizationId, ben))).rejects.toThrow(/UNIQUE/)
  })
})

test('the feed of a full organization: 3 rows for each join, 2 for deleting it with 50 teams of 50 members', async () => {
  const organization = organizationRow()
  const organizationId = String(organization.id)
  await insert(DB, 'organization', organization)
  const users = await newUsers(maxOrganizationMembers)
  await join(organizationId, users[0] ?? '')
  since = await feedEnd(DB, 'directoryChange')
  await DB.batch(users.slice(1).map((userId) => insertStatement(DB, 'member', memberRow(organizationId, userId))))
  expect(await added()).toHaveLength(3 * (maxOrganizationMembers - 1))
  const teams = Array.from({ length: 50 }, () => newId())
  await DB.batch(teams.map((id) => insertStatement(DB, 'team', { id, name: 'A team', organizationId, createdAt: 1 })))
  for (const teamId of teams)
    await DB.batch(users.slice(0, 50).map((userId) => insertStatement(DB, 'teamMember', { id: newId(), teamId, userId })))
  since = await feedEnd(DB, 'directoryChange')
  await run('delete from organization where id = ?', organizationId)
  expect(await added()).toHaveLength(2)
  const left = 'select (select count(*) from team where organizationId = ?1) + (select count(*) from member where organizationId = ?1) n'
  expect(await DB.prepare(left).bind(organizationId).first('n')).toBe(0)
})

// The directory's feed: a row concerns everybody who may see it, and membership decides who that is.
import { beforeEach, describe, expect, test } from 'vitest'
import { newId } from '../../../worker/db/new-id.ts'
import { feedEnd, feedOf, insert, lastOps, memberRow, organizationRow, userRow } from '../../support/rows.ts'
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

async function join(organizationId: string, userId: string): Promise<string> {
  const member = memberRow(organizationId, userId)
  await insert(DB, 'member', member)
  return String(member.id)
}

test('a user row is its own business', async () => {
  const id = await newUser()
  await run('update user set name = ? where id = ?', 'Ada', id)
  await run('delete from user where id = ?', id)
  expect(await feedOf(DB, 'directoryChange', id)).toEqual([`i user:${id}`, `u user:${id}`, `d user:${id}`])
})

test('a customer is its user’s business', async () => {
  const [id, other, customer] = [await newUser(), await newUser(), newId()]
  const since = await feedEnd(DB, 'directoryChange')
  await insert(DB, 'userCustomer', { id: customer, userId: id })
  await run('update userCustomer set subscription = ? where id = ?', '{}', customer)
  await run('update userCustomer set userId = ? where id = ?', other, customer)
  await run('delete from userCustomer where id = ?', customer)
  expect(await feedOf(DB, 'directoryChange', id, since)).toEqual(['i', 'u', 'd'].map((op) => `${op} userCustomer:${customer}`))
  expect(await feedOf(DB, 'directoryChange', other, since)).toEqual(['i', 'd'].map((op) => `${op} userCustomer:${customer}`))
})

test('a model is everybody’s business', async () => {
  const since = await feedEnd(DB, 'directoryChange')
  await run('update model set credits = 3 where id = ?', 'kimi-k2')
  expect(await feedOf(DB, 'directoryChange', '*', since)).toEqual(['u model:kimi-k2'])
})

describe('an organization of two', () => {
  let [organizationId, customer, ada, ben] = ['', '', '', '']
  let [adaMember, benMember] = ['', '']
  let since = 0

  beforeEach(async () => {
    const organization = organizationRow()
    organizationId = String(organization.id)
    customer = newId()
    ada = await newUser()
    ben = await newUser()
    await insert(DB, 'organization', organization)
    await insert(DB, 'organizationCustomer', { id: customer, organizationId })
    adaMember = await join(organizationId, ada)
    benMember = await join(organizationId, ben)
    since = await feedEnd(DB, 'directoryChange')
  })

  const opsOf = (userId: string) => lastOps(DB, 'directoryChange', userId, since)
  /** A membership and who it is to the others. */
  const membership = (op: string, id: string) => [`${op} member:${id}`, `${op} memberProfile:${id}`]
  const everything = (op: string, ...members: string[]) =>
    [
      `${op} organization:${organizationId}`,
      `${op} organizationCustomer:${customer}`,
      ...members.flatMap((id) => membership(op, id)),
    ].sort()

  test('its changes reach both', async () => {
    await run('update organization set name = ? where id = ?', 'Renamed', organizationId)
    await run('update organizationCustomer set subscription = ? where id = ?', '{}', customer)
    await run('update member set role = ? where id = ?', 'admin', benMember)
    const expected = [`u member:${benMember}`, `u organization:${organizationId}`, `u organizationCustomer:${customer}`]
    expect(await opsOf(ada)).toEqual(expected)
    expect(await opsOf(ben)).toEqual(expected)
  })

  test('who joins sees everything, and is seen by everybody', async () => {
    const eve = await newUser()
    since = await feedEnd(DB, 'directoryChange')
    const eveMember = await join(organizationId, eve)
    expect(await opsOf(eve)).toEqual(everything('i', adaMember, benMember, eveMember))
    expect(await opsOf(ada)).toEqual(membership('i', eveMember))
  })

  test('who leaves sees nothing any more, and is seen by nobody', async () => {
    await run('delete from member where id = ?', benMember)
    expect(await opsOf(ben)).toEqual(everything('d', adaMember, benMember))
    expect(await opsOf(ada)).toEqual(membership('d', benMember))
  })

  test('who leaves and comes back sees everything again', async () => {
    await run('delete from member where id = ?', benMember)
    const again = await join(organizationId, ben)
    expect(await opsOf(ben)).toEqual([...membership('d', benMember), ...everything('i', adaMember, again)].sort())
  })

  test('deleting it takes everything from everybody', async () => {
    await run('delete from organization where id = ?', organizationId)
    expect(await opsOf(ada)).toEqual(everything('d', adaMember, benMember))
    expect(await opsOf(ben)).toEqual(everything('d', adaMember, benMember))
    expect(await DB.prepare('select id from member where organizationId = ?').bind(organizationId).first()).toBeNull()
  })

  test('a deleted user leaves it', async () => {
    await run('delete from user where id = ?', ben)
    expect(await opsOf(ada)).toEqual(membership('d', benMember))
  })

  test('a membership handed to another user: one left, one joined', async () => {
    const heir = await newUser()
    since = await feedEnd(DB, 'directoryChange')
    await run('update member set userId = ? where id = ?', heir, benMember)
    expect(await opsOf(ben)).toEqual(everything('d', adaMember, benMember))
    expect(await opsOf(heir)).toEqual(everything('i', adaMember, benMember))
    expect(await opsOf(ada)).toEqual(membership('i', benMember))
  })

  test('its customer handed to another organization', async () => {
    const other = organizationRow()
    const eve = await newUser()
    await insert(DB, 'organization', other)
    await join(String(other.id), eve)
    since = await feedEnd(DB, 'directoryChange')
    await run('update organizationCustomer set organizationId = ? where id = ?', String(other.id), customer)
    expect(await opsOf(ada)).toEqual([`d organizationCustomer:${customer}`])
    expect(await opsOf(eve)).toEqual([`u organizationCustomer:${customer}`])
  })

  test('nobody is a member twice', async () => {
    await expect(insert(DB, 'member', memberRow(organizationId, ben))).rejects.toThrow(/UNIQUE/)
  })
})

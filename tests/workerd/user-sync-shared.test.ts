// Rows of several users and rows that change their owner: several objects, one database, and notifications of the product's own writers.
// Rules: worker/user-sync/SPEC.md, A4; worker/sync/SPEC.md, F1 and F5.

import { beforeAll, expect, test } from 'vitest'
import { Browser, signInByCode } from './auth/browser.ts'
import { evict, inside, stubOf } from './sync-object.ts'
import { connected, connectWire, env, freshId, models, newUser, type SyncUser, type Wire } from './sync-wire.ts'

const mine = { hash: 'mine', name: 'organizations.mine', args: [] }

type Account = SyncUser & { readonly browser: Browser; readonly email: string }

async function account(name: string): Promise<Account> {
  const browser = new Browser()
  const email = `${name}@example.test`
  const { userId } = await signInByCode(browser, email)
  const { token } = await browser.json<{ token: string }>('/api/auth/token')
  return { userId, token, browser, email }
}

let [owner, member, otherUser]: readonly Account[] = []
beforeAll(async () => {
  owner = await account('owner')
  member = await account('member')
  otherUser = await account('stranger')
})

const seen = (wire: Wire) => [
  wire.rowsOf('organization').map(({ name }) => name),
  wire.rowsOf('member').length,
  wire.rowsOf('organizationCustomer').length,
]

test('[A4] an organization reaches its members, awake or evicted, and a removed member loses it', async () => {
  if (!owner || !member || !otherUser) throw new Error('three users')
  const wires = await Promise.all([owner, member, otherUser].map((who) => connected(who, { queries: [mine] })))
  const [owners, members, otherUsers] = wires
  if (!owners || !members || !otherUsers) throw new Error('three browsers')
  const post = <T>(who: Account, path: string, body: object) => who.browser.json<T>(`/api/auth/organization/${path}`, { body })
  const { id: organizationId } = await post<{ id: string }>(owner, 'create', { name: 'Acme', slug: 'acme' })
  await owners.until(() => seen(owners)[1] === 1, 'the new organization')
  const { id: invitationId } = await post<{ id: string }>(owner, 'invite-member', { email: member.email, role: 'member', organizationId })
  const { member: joined } = await post<{ member: { id: string } }>(member, 'accept-invitation', { invitationId })
  await Promise.all([owners, members].map((wire) => wire.until(() => wire.rowsOf('member').length === 2, 'both members')))
  expect(seen(members)).toEqual([['Acme'], 2, 0])

  // Evicted, with open sockets.
  await evict(member)
  await post(owner, 'update', { organizationId, data: { name: 'Acme 2' } })
  await members.until(() => members.rowsOf('organization')[0]?.name === 'Acme 2', 'the new name')

  await evict(member)
  await post(owner, 'remove-member', { memberIdOrEmail: joined.id, organizationId })
  await members.until(() => members.rowsOf('organization').length === 0, 'leaving')
  await owners.until(() => owners.rowsOf('member').length === 1, 'one member less')
  expect(seen(members)).toEqual([[], 0, 0])
  expect(seen(otherUsers)).toEqual([[], 0, 0])
  for (const who of [member, otherUser]) {
    const held = await inside(who, (_object, { storage }) =>
      storage.sql.exec('select (select count(*) from organization) + (select count(*) from member) n').one(),
    )
    expect(held).toEqual({ n: 0 })
  }
  for (const wire of wires) await wire.close()
})

test('[A4] deleting an organization notifies its former members', async () => {
  if (!owner || !member) throw new Error('two users')
  const [owners, members] = [await connected(owner, { queries: [mine] }), await connected(member, { queries: [mine] })]
  const post = <T>(who: Account, path: string, body: object) => who.browser.json<T>(`/api/auth/organization/${path}`, { body })
  const { id: organizationId } = await post<{ id: string }>(owner, 'create', { name: 'Short', slug: 'short-lived' })
  const { id: invitationId } = await post<{ id: string }>(owner, 'invite-member', { email: member.email, role: 'member', organizationId })
  await post(member, 'accept-invitation', { invitationId })
  const hasIt = (wire: Wire) => wire.rowsOf('organization').some(({ id }) => id === organizationId)
  for (const wire of [owners, members]) await wire.until(() => hasIt(wire), 'the organization')
  await post(owner, 'delete', { organizationId })
  for (const wire of [owners, members]) await wire.until(() => !hasIt(wire), 'the end of the organization')
  await owners.close()
  await members.close()
})

test('[A4] a new catalogue reaches all users after a deploy', async () => {
  const [awake, asleep] = [await newUser(), await newUser()]
  const one = await connected(awake, { queries: [models] })
  const two = await connected(asleep, { queries: [models] })
  await evict(asleep)
  const id = freshId('model')
  await env.DB.batch([
    env.DB.prepare(
      `insert into model (id, name, model, provider, description, icon, credits, position, createdAt, updatedAt)
       values (?, 'New', 'm', 'gateway', '', 'i', 1, 901, 1, 1)`,
    ).bind(id),
    env.DB.prepare("update model set name = 'Renamed' where id = 'kimi-k2'"),
  ])
  // Evicted during all of it: the first message after the wake pulls.
  await two.confirmed(two.mutate('settings.update', { nickname: 'Woken' }))
  expect([two.row('model', id)?.name, two.row('model', 'kimi-k2')?.name]).toEqual(['New', 'Renamed'])
  await inside(awake, (_object, state) => state.abort('replaced by a deploy')).catch(() => undefined)
  await one.untilClosed()
  const back = await one.reconnect()
  await back.receives('pokeEnd')
  expect([back.row('model', id)?.name, back.row('model', 'kimi-k2')?.name]).toEqual(['New', 'Renamed'])
  expect(back.rowOps).toBe(2)
  await back.close()
  await two.close()
})

test('[F5] a notification for an unknown user does nothing', async () => {
  const user = { userId: freshId('nobody'), token: '' }
  await stubOf(user).notify()
  const refused = await connectWire({ ...user, token: 'x' }, {})
  expect(await refused.receives('error')).toMatchObject({ kind: 'Unauthorized' })
})

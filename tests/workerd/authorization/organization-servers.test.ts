// Every action on a tool server of an organization, by role: owners and admins manage it, members only see it, and to others it does not exist.
import { beforeAll, describe, expect, test } from 'vitest'
import { organizationServerRequestsPerHour } from '../../../worker/contract/limits.ts'
import { newId } from '../../../worker/db/new-id.ts'
import { countHit } from '../../../worker/db/rate-limit-hits.ts'
import { env } from '../bindings.ts'
import { connected } from '../sync-wire.ts'
import { type Ids, missingIdsOf, type Scene, setScene, type TestUser } from './scene.ts'

type Ask = { readonly path: (ids: Ids) => string; readonly method: string; readonly body?: (ids: Ids) => object }

const of =
  (action = '') =>
  ({ organizationServerId }: Ids) =>
    `/api/tool-servers/${organizationServerId}${action}`

/** Nothing listens at the addresses. `answer`: for owners and admins. */
const asks: { readonly [action: string]: Ask & { readonly answer: number } } = {
  add: {
    ...{ path: () => '/api/tool-servers', method: 'POST', answer: 200 },
    body: ({ organizationId }) => ({ id: newId(), url: 'http://127.0.0.1:9/mcp', organizationId }),
  },
  check: { path: of('/refresh'), method: 'POST', answer: 200 },
  rename: { path: of(), method: 'PATCH', body: () => ({ name: 'Ours' }), answer: 204 },
  'switch a tool off': { path: of(), method: 'PATCH', body: () => ({ off: ['echo'] }), answer: 204 },
  'accept a changed tool': {
    ...{ path: of(), method: 'PATCH', answer: 409 },
    body: () => ({ accept: { name: 'missing', digest: '0'.repeat(64) } }),
  },
  'set headers': { path: of('/headers'), method: 'PUT', body: () => ({ headers: { 'x-key': 'ours' } }), answer: 200 },
  'log in': { path: of('/login'), method: 'POST', answer: 200 },
  'log out': { path: of('/logout'), method: 'POST', answer: 204 },
  remove: { path: of(), method: 'DELETE', answer: 204 },
}

let scene: Scene
let ids: Ids
const begin = async () => {
  scene = await setScene()
  ids = scene.ids
}
beforeAll(begin)

const call = async ({ browser }: Pick<TestUser, 'browser'>, { path, method, body }: Ask, named: Ids) => {
  const response = await browser.call(path(named), { method, ...(body && { body: body(named) }) })
  return { status: response.status, text: await response.text() }
}

/** All rows about servers of organizations. */
const stored = async () =>
  JSON.stringify(
    await Promise.all(
      ['organizationToolServer', 'organizationToolServerSecret'].map((table) => env.DB.prepare(`select * from ${table} order by id`).all()),
    ).then((all) => all.map(({ results }) => results)),
  )

describe.each(Object.entries(asks))('%s', (_, asked) => {
  test('a member is refused, and nothing changes', async () => {
    const before = await stored()
    const { status, text } = await call(scene.otherUsers.fellow, asked, ids)
    expect([status, text]).toEqual([403, expect.stringContaining('not_authorized')])
    expect(await stored()).toBe(before)
  })

  test.each(['account', 'removed', 'guest'] as const)('to a user who is “%s” it does not exist', async (who) => {
    const before = await stored()
    const user = scene.otherUsers[who]
    const answer = await call(user, asked, ids)
    expect(answer).toEqual(await call(user, asked, missingIdsOf()))
    if (who === 'guest') expect(answer.status).toBe(403)
    else expect(answer.status).toBe(asked.method === 'DELETE' ? 204 : 404)
    expect(await stored()).toBe(before)
  })

  test.each(['owner', 'admin'] as const)('as the %s', async (who) => {
    const { status, text } = await call(who === 'owner' ? scene.owner : scene.otherUsers.admin, asked, ids)
    expect(status, text).toBe(asked.answer)
  })
})

test('an admin who becomes a member manages no more, and a guessed answer of a login leads to the personal page', async () => {
  await begin()
  const { admin } = scene.otherUsers
  const answer = (user: TestUser) => user.browser.call(`/api/tool-servers/callback?code=x&state=${ids.organizationServerId}.x`)
  const pageOf = async (user: TestUser) => (await answer(user)).headers.get('location')
  expect(await pageOf(admin)).toBe(`/team/${ids.organizationId}/tools?login=expired`)
  await env.DB.prepare(`update member set role = 'member' where userId = ?`).bind(admin.userId).run()
  expect(await pageOf(admin)).toBe('/account/tools?login=expired')
  expect(await pageOf(scene.otherUsers.account)).toBe('/account/tools?login=expired')
  expect((await call(admin, { path: of(), method: 'PATCH', body: () => ({ name: 'Mine' }) }, ids)).status).toBe(403)
})

test('the owners and admins of an organization share a limit of requests, which others cannot use up', async () => {
  await begin()
  const rename: Ask = { path: of(), method: 'PATCH', body: () => ({ name: 'Ours' }) }
  await countHit(env, `organization-servers:${ids.organizationId}`, 3600, Date.now(), organizationServerRequestsPerHour - 1)
  await call(scene.otherUsers.fellow, rename, ids)
  await call(scene.otherUsers.account, rename, ids)
  expect((await call(scene.owner, rename, ids)).status).toBe(204)
  expect((await call(scene.otherUsers.admin, rename, ids)).status).toBe(429)
})

test('members get its row without address and credentials, and lose it with the membership or the server', async () => {
  await begin()
  const query = { hash: 'servers', name: 'toolServers.ofOrganizations', args: [] }
  const { fellow, admin } = scene.otherUsers
  const [wire, managing] = [await connected(fellow, { queries: [query] }), await connected(admin, { queries: [query] })]
  for (const one of [wire, managing]) {
    await one.until(() => one.rowsOf('organizationToolServer').length === 1, 'the server')
    expect(JSON.stringify([...one.rows])).not.toContain('secret-key')
    expect(one.row('organizationToolServer', ids.organizationServerId)).toMatchObject({ host: '127.0.0.1:9', name: 'A server' })
  }
  await call(admin, { path: of(), method: 'PATCH', body: () => ({ name: 'Tides' }) }, ids)
  await wire.until(() => wire.row('organizationToolServer', ids.organizationServerId)?.name === 'Tides', 'the new name')

  const body = { organizationId: ids.organizationId, memberIdOrEmail: `${fellow.userId}-member` }
  expect((await admin.browser.call('/api/auth/organization/remove-member', { body })).status).toBe(200)
  await wire.until(() => wire.rowsOf('organizationToolServer').length === 0, 'no server of a former organization')
  await call(scene.owner, { path: of(), method: 'DELETE' }, ids)
  await managing.until(() => managing.rowsOf('organizationToolServer').length === 0, 'no removed server')
})

test('the servers of an organization end with it, and are in no export', async () => {
  await begin()
  const exported = await (await scene.owner.browser.call('/api/account/export')).text()
  expect(exported).not.toMatch(new RegExp(`secret-key|${ids.organizationServerId}`))
  const { organizationId } = ids
  expect((await scene.owner.browser.call('/api/auth/organization/delete', { body: { organizationId } })).status).toBe(200)
  expect(await stored()).not.toContain(ids.organizationServerId)
})

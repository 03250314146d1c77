// Tool servers of an organization: who may manage and use them, also while roles and memberships change during a request.
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  addServer,
  changeServer,
  endLogin,
  finishLogin,
  type Manager,
  refreshServer,
  removeServer,
  setHeaders,
  startLogin,
} from '../../../../../worker/chat/tools/mcp/manage-servers.ts'
import { type ServerContext, serverSources } from '../../../../../worker/chat/tools/mcp/server-source.ts'
import { ToolFailure } from '../../../../../worker/chat/tools/tool-failure.ts'
import { maxToolServers, organizationToolCallsPerHour } from '../../../../../worker/contract/limits.ts'
import { newId } from '../../../../../worker/db/new-id.ts'
import { deleteOrganization } from '../../../../../worker/db/organizations.ts'
import { countHit } from '../../../../../worker/db/rate-limit-hits.ts'
import { readSealed, readToolServer, readToolServers, type ServerOwner } from '../../../../../worker/db/tool-servers.ts'
import { createNodeD1, type NodeD1 } from '../../../../support/node-d1.ts'
import { type OAuthPeer, startOAuthServer } from '../../../../support/peers/oauth-server.ts'
import { echoTool, startToolServer, type ToolServerPeer, type ToolServerScript } from '../../../../support/peers/tool-server.ts'
import { insert, memberRow, organizationRow, userRow } from '../../../../support/rows.ts'

const authSecret = 'a secret of the tests that is long enough'
const redirectUrl = 'http://localhost:8787/api/tool-servers/callback'

let DB: NodeD1
let organizationId = ''
/** Roles in the organization; the stranger has another one. */
let [owner, admin, member, stranger] = ['', '', '', '']
let stops: (() => Promise<void>)[] = []
beforeEach(async () => {
  DB = createNodeD1()
  ;[organizationId, owner, admin, member, stranger] = [newId(), newId(), newId(), newId(), newId()]
  await insert(DB, 'organization', organizationRow({ id: organizationId, name: 'Harbour' }))
  for (const [id, role] of Object.entries({ [owner]: 'owner', [admin]: 'admin', [member]: 'member', [stranger]: null })) {
    await insert(DB, 'user', userRow({ id }))
    if (role !== null) await insert(DB, 'member', memberRow(organizationId, id, { role }))
  }
})
afterEach(async () => {
  await Promise.all(stops.map((stop) => stop()))
  stops = []
})

const run = (sql: string, ...values: unknown[]) =>
  DB.prepare(sql)
    .bind(...values)
    .run()
const demote = (userId: string) => run(`update member set role = 'member' where userId = ?`, userId)
const leave = (userId: string) => run('delete from member where userId = ? and organizationId = ?', userId, organizationId)

const managed = (userId: string): ServerOwner => ({ organizationId, by: { userId, as: 'manager' } })
const managerOf = (userId: string, send: typeof fetch = fetch): Manager => ({
  ...{ env: { DB }, authSecret, owner: managed(userId), nowMs: Date.now() },
  egress: { send, isLocalAllowed: true },
})

async function startServer(script: ToolServerScript = {}): Promise<ToolServerPeer> {
  const peer = await startToolServer(script)
  stops.push(peer.stop)
  return peer
}
async function add(url: string, headers: Record<string, string> = {}): Promise<string> {
  const id = newId()
  expect(await addServer(managerOf(admin), { id, url, name: 'Sea', headers })).toBeNull()
  return id
}
const rowOf = (id: string) => readToolServer({ DB }, { organizationId }, id)
/** Every value in D1, as text. */
const everything = async (): Promise<string> => {
  const tables = await DB.prepare(`select name from sqlite_master where type = 'table'`).all<{ name: string }>()
  const rows = await Promise.all(tables.results.map(({ name }) => DB.prepare(`select * from "${name}"`).all()))
  return JSON.stringify(rows.map(({ results }) => results))
}

describe('management', () => {
  test('owners and admins manage the same servers, and their headers are sealed', async () => {
    const { url, hits } = await startServer()
    const id = await add(url, { 'x-api-key': 'secret-key' })
    expect(await everything()).not.toContain('secret-key')
    expect(hits.some(({ headers }) => headers['x-api-key'] === 'secret-key')).toBe(true)
    expect(await changeServer(managerOf(owner), id, { name: 'Tides', off: ['echo'] })).toBeNull()
    expect(await refreshServer(managerOf(owner), id)).toEqual({ state: 'ready', failure: null })
    expect(await rowOf(id)).toMatchObject({ name: 'Tides', off: ['echo'], headerNames: ['x-api-key'], host: new URL(url).host })
    expect(await readToolServers({ DB }, owner)).toEqual([])
    await removeServer(managerOf(owner), id)
    expect([await rowOf(id), await readSealed({ DB }, { organizationId }, id)]).toEqual([null, null])
  })

  test('for everybody else its servers are missing, and nothing changes', async () => {
    const { url, hits } = await startServer()
    const id = await add(url, { 'x-api-key': 'secret-key' })
    const tryAll = async (userId: string) => {
      const before = [await everything(), hits.length]
      const manager = managerOf(userId)
      expect(await refreshServer(manager, id)).toBeNull()
      expect(await setHeaders(manager, id, { 'x-key': 'mine' })).toBeNull()
      expect(await changeServer(manager, id, { name: 'Mine' })).toBe('not_found')
      expect(await startLogin(manager, id, { sessionId: 's', redirectUrl })).toBeNull()
      expect(await endLogin(manager, id)).toBe(false)
      await removeServer(manager, id)
      expect([await everything(), hits.length]).toEqual(before)
    }
    await demote(admin)
    for (const userId of [member, admin, stranger]) await tryAll(userId)
    await leave(admin)
    await tryAll(admin)
  })

  test('a server is not stored if the admin is demoted, or the organization deleted, while Parley connects', async () => {
    const { url } = await startServer()
    for (const end of [() => demote(admin), () => deleteOrganization({ DB }, organizationId, Date.now())]) {
      const manager = managerOf(admin, async (...request) => {
        await end()
        return fetch(...request)
      })
      expect(await addServer(manager, { id: newId(), url, name: '', headers: {} })).toBe('taken')
    }
    expect(await DB.prepare('select count(*) n from organizationToolServer').first()).toEqual({ n: 0 })
    expect(await DB.prepare('select count(*) n from organizationToolServerSecret').first()).toEqual({ n: 0 })
  })

  test('D1 refuses more servers than the limit', async () => {
    const { url } = await startServer()
    for (let i = 0; i < maxToolServers; i++) await add(url)
    expect(await addServer(managerOf(owner), { id: newId(), url, name: '', headers: {} })).toBe('limit')
  })
})

describe('logins', () => {
  let oauth: OAuthPeer
  const guarded = async (): Promise<string> => {
    oauth = await startOAuthServer()
    stops.push(oauth.stop)
    const peer = await startServer({ fault: oauth.guard(() => peer.url) })
    return add(peer.url)
  }
  const begin = async (userId: string, id: string): Promise<URLSearchParams> => {
    const started = await startLogin(managerOf(userId), id, { sessionId: `session of ${userId}`, redirectUrl })
    if (!started || !('address' in started)) throw new Error(`no address: ${JSON.stringify(started)}`)
    return oauth.approve(started.address)
  }
  const finish = (userId: string, params: URLSearchParams, send?: typeof fetch) =>
    finishLogin(managerOf(userId, send), params, `session of ${userId}`)
  /** Does something between the answer of the token endpoint and the write of what it returned. */
  const afterTokens =
    (act: () => Promise<unknown>): typeof fetch =>
    async (input, init) => {
      const response = await fetch(input, init)
      if (String(input instanceof Request ? input.url : input).endsWith('/token')) await act()
      return response
    }
  const asked = (path: string) => oauth.asked.filter((one) => one === path).length

  test('of two admins who log in at once, the one who began last completes', async () => {
    const id = await guarded()
    const [first, second] = [await begin(admin, id), await begin(owner, id)]
    expect(await finish(admin, first)).toBeNull()
    expect(await finish(admin, second)).toBeNull()
    expect(await finish(owner, second)).toEqual({ id, failure: null })
    expect(asked('/token authorization_code')).toBe(1)
    expect(await rowOf(id)).toMatchObject({ state: 'ready', login: 'oauth' })
  })

  test('an admin who is demoted between the begin and the end of a login completes nothing', async () => {
    const id = await guarded()
    const params = await begin(admin, id)
    await demote(admin)
    expect(await finish(admin, params)).toBeNull()
    expect(asked('/token authorization_code')).toBe(0)
    expect(await rowOf(id)).toMatchObject({ state: 'login' })
  })

  test('tokens that arrive after the demotion are revoked and not stored', async () => {
    const id = await guarded()
    const params = await begin(admin, id)
    const demoted = afterTokens(() => demote(admin))
    expect((await finish(admin, params, demoted))?.failure).not.toBeNull()
    expect(oauth.revoked).toHaveLength(2)
    expect(await refreshServer(managerOf(owner), id)).toEqual({ state: 'login', failure: 'refused' })
  })

  test('a token that is renewed for an admin who is demoted meanwhile is stored for the organization', async () => {
    const id = await guarded()
    await finish(admin, await begin(admin, id))
    oauth.expireTokens()
    await refreshServer(
      managerOf(
        admin,
        afterTokens(() => demote(admin)),
      ),
      id,
    )
    expect(await refreshServer(managerOf(owner), id)).toEqual({ state: 'ready', failure: null })
    expect(asked('/token refresh_token')).toBe(1)
  })

  test('deleting the organization deletes servers and credentials', async () => {
    const id = await guarded()
    await finish(admin, await begin(admin, id))
    await deleteOrganization({ DB }, organizationId, Date.now())
    expect([await rowOf(id), await readSealed({ DB }, { organizationId }, id)]).toEqual([null, null])
  })
})

describe('calls of members', () => {
  let changed: ServerOwner[] = []
  const contextOf = (userId: string): ServerContext => ({
    ...{ env: { DB }, authSecret, userId, egress: { send: fetch, isLocalAllowed: true }, nowMs: Date.now, hasImages: true },
    onChange: async (of) => void changed.push(of),
  })
  beforeEach(() => {
    changed = []
  })
  const toolOf = async (userId: string, id: string) => {
    const [source] = await serverSources(contextOf(userId), [id])
    const [tool] = source?.tools ?? []
    if (!tool) throw new Error('the server has a tool')
    return () => tool.execute({ text: 'hi' }, { toolCallId: 'call', signal: new AbortController().signal })
  }
  const failureOf = async (work: Promise<unknown>): Promise<string> => {
    const error = await work.then(
      () => null,
      (thrown: unknown) => thrown,
    )
    expect(error).toBeInstanceOf(ToolFailure)
    return (error as ToolFailure).message
  }

  test('a member calls with the key of the organization, beside own servers and those of another organization', async () => {
    const peer = await startServer({
      fault: ({ headers }, response) => headers['x-api-key'] !== 'secret-key' && !!response.writeHead(401).end(),
    })
    const id = await add(peer.url, { 'x-api-key': 'secret-key' })
    const other = newId()
    await insert(DB, 'organization', organizationRow({ id: other, name: 'Pier' }))
    await insert(DB, 'member', memberRow(other, member, { role: 'owner' }))
    const [own, ofOther] = [newId(), newId()]
    const open = await startServer()
    await addServer({ ...managerOf(member), owner: member }, { id: own, url: open.url, name: 'Sea', headers: {} })
    const otherOwner = { organizationId: other, by: { userId: member, as: 'manager' } } as const
    await addServer({ ...managerOf(member), owner: otherOwner }, { id: ofOther, url: open.url, name: 'Sea', headers: {} })

    const sources = await serverSources(contextOf(member), [ofOther, id, own])
    expect(sources.map(({ name }) => name)).toEqual(['Sea', 'Sea (Harbour)', 'Sea (Pier)'])
    await (await toolOf(member, id))()
    expect(peer.called).toHaveLength(1)
    expect((await serverSources(contextOf(admin), [ofOther, id, own])).map(({ name }) => name)).toEqual(['Sea (Harbour)'])
    expect(await serverSources(contextOf(stranger), [ofOther, id, own])).toEqual([])
  })

  test('a turn that runs when the membership ends makes no further call', async () => {
    const peer = await startServer()
    const id = await add(peer.url)
    const call = await toolOf(member, id)
    await call()
    await leave(member)
    const before = peer.hits.length
    expect(await failureOf(call())).toContain('no longer has access')
    expect(peer.hits.length).toBe(before)
    expect(await serverSources(contextOf(member), [id])).toEqual([])
  })

  test('a call of a server whose organization was deleted is not made', async () => {
    const peer = await startServer()
    const id = await add(peer.url)
    const call = await toolOf(member, id)
    await deleteOrganization({ DB }, organizationId, Date.now())
    expect(await failureOf(call())).toContain('removed')
    expect(peer.called).toEqual([])
  })

  test('a changed tool and a refused login are stored for all members', async () => {
    let [tools, isRefused] = [[echoTool], false]
    const peer = await startServer({ tools: () => tools, fault: (_, response) => isRefused && !!response.writeHead(401).end() })
    const id = await add(peer.url)
    const call = await toolOf(member, id)
    tools = [{ ...echoTool, description: 'New' }]
    expect(await failureOf(call())).toContain('has changed this tool')
    await expect(toolOf(owner, id)).rejects.toThrow()
    const { digest } = (await rowOf(id))?.tools[0] ?? { digest: '' }
    expect(await changeServer(managerOf(member), id, { accept: { name: 'echo', digest } })).toBe('not_found')
    expect(await changeServer(managerOf(admin), id, { accept: { name: 'echo', digest } })).toBeNull()
    isRefused = true
    expect(await failureOf((await toolOf(member, id))())).toContain('requires a login')
    expect(await rowOf(id)).toMatchObject({ state: 'login', tools: [{ description: 'New' }] })
    expect(changed).toEqual([{ organizationId }, { organizationId }])
    // A later turn finds the row as it is.
    expect(await failureOf((await toolOf(owner, id))())).toContain('requires a login')
    expect(changed).toHaveLength(2)
  })

  test('the members of an organization share a limit of calls per hour', async () => {
    const peer = await startServer()
    const id = await add(peer.url)
    await countHit({ DB }, `organization-tool-calls:${organizationId}`, 3600, Date.now(), organizationToolCallsPerHour - 1)
    await (await toolOf(member, id))()
    expect(await failureOf((await toolOf(owner, id))())).toContain('together')
    expect(peer.called).toHaveLength(1)
  })
})

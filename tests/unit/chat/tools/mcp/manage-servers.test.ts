// Adding, checking and removing tool servers, and logins at them, with D1 and peers on loopback.
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
import { clientDocument } from '../../../../../worker/chat/tools/mcp/server-login.ts'
import { maxToolServers, toolServerLoginMs } from '../../../../../worker/contract/limits.ts'
import { newId } from '../../../../../worker/db/new-id.ts'
import { readSealed, readToolServer, readToolServers } from '../../../../../worker/db/tool-servers.ts'
import { createNodeD1, type NodeD1 } from '../../../../support/node-d1.ts'
import { type OAuthPeer, type OAuthScript, startOAuthServer } from '../../../../support/peers/oauth-server.ts'
import { echoTool, sendRpc, startToolServer, type ToolServerPeer, type ToolServerScript } from '../../../../support/peers/tool-server.ts'

let DB: NodeD1
let userId = ''
let stops: (() => Promise<void>)[] = []
beforeEach(() => {
  DB = createNodeD1()
  userId = newId()
})
afterEach(async () => {
  await Promise.all(stops.map((stop) => stop()))
  stops = []
})

const authSecret = 'a secret of the tests that is long enough'
const managerOf = (changes: Partial<Manager> = {}): Manager => ({
  env: { DB },
  authSecret,
  owner: userId,
  egress: { send: fetch, isLocalAllowed: true },
  nowMs: Date.now(),
  ...changes,
})

async function startServer(script: ToolServerScript = {}): Promise<ToolServerPeer> {
  const peer = await startToolServer(script)
  stops.push(peer.stop)
  return peer
}

const add = async (url: string, headers: Record<string, string> = {}, id = newId()) => {
  expect(await addServer(managerOf(), { id, url, name: '', headers })).toBeNull()
  return id
}
const rowOf = async (id: string) => {
  const row = await readToolServer({ DB }, userId, id)
  if (!row) throw new Error('the server is stored')
  return row
}
/** Every value in D1, as text. */
const everything = async (): Promise<string> => {
  const tables = await DB.prepare(`select name from sqlite_master where type = 'table'`).all<{ name: string }>()
  const rows = await Promise.all(tables.results.map(({ name }) => DB.prepare(`select * from "${name}"`).all()))
  return JSON.stringify(rows.map(({ results }) => results))
}

describe('servers', () => {
  test('a server is stored with what it offers, under its own name', async () => {
    const { url } = await startServer()
    const row = await rowOf(await add(url))
    expect(row).toMatchObject({ name: 'Peer', url, login: 'none', state: 'ready', failure: null, unusable: 0 })
    expect(row.tools.map(({ name }) => name)).toEqual(['echo'])
  })

  test.each([
    ['Sea\u202e \n\u200bmaps', 'Sea maps'],
    ['Parley', '127.0.0.1'],
    ['Ｐａｒｌｅｙ support', '127.0.0.1'],
    ['\u3164', '127.0.0.1'],
  ])('a server that calls itself %j is shown as %s', async (title, name) => {
    const { url } = await startServer({
      fault: ({ rpc }, response) => {
        if (rpc?.method !== 'initialize') return false
        const serverInfo = { name: 'x', title, version: '1' }
        sendRpc(response, rpc, { result: { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo } })
        return true
      },
    })
    expect(await rowOf(await add(url))).toMatchObject({ name })
  })

  test('a server that cannot be used is not stored', async () => {
    const { url } = await startServer({ fault: (_, response) => !!response.writeHead(500).end() })
    expect(await addServer(managerOf(), { id: newId(), url, name: '', headers: {} })).toBe('error')
    expect(await readToolServers({ DB }, userId)).toEqual([])
  })

  test('outside of development, an address of this machine is refused', async () => {
    const { url, hits } = await startServer()
    const manager = managerOf({ egress: { send: fetch, isLocalAllowed: false } })
    expect(await addServer(manager, { id: newId(), url, name: '', headers: {} })).toBe('address')
    expect(hits).toEqual([])
  })

  test('a repeated request adds nothing and connects to nothing', async () => {
    const { url, hits } = await startServer()
    const id = await add(url)
    const before = hits.length
    await add(url, {}, id)
    expect(hits.length).toBe(before)
    expect(await readToolServers({ DB }, userId)).toHaveLength(1)
  })

  test('the id of another user is refused, and nothing of that user changes', async () => {
    const { url } = await startServer()
    const id = await add(url)
    const before = await everything()
    const stranger = managerOf({ owner: newId() })
    expect(await addServer(stranger, { id, url, name: 'Mine', headers: {} })).toBe('taken')
    expect(await refreshServer(stranger, id)).toBeNull()
    expect(await setHeaders(stranger, id, { 'x-key': 'mine' })).toBeNull()
    expect(await changeServer(stranger, id, { name: 'Mine' })).toBe('not_found')
    expect(await startLogin(stranger, id, { sessionId: 's', redirectUrl: 'http://localhost/' })).toBeNull()
    expect(await endLogin(stranger, id)).toBe(false)
    await removeServer(stranger, id)
    expect(await everything()).toBe(before)
  })

  test('D1 refuses more servers than the limit', async () => {
    const { url } = await startServer()
    for (let i = 0; i < maxToolServers; i++) await add(url)
    expect(await addServer(managerOf(), { id: newId(), url, name: '', headers: {} })).toBe('limit')
    expect(await readToolServers({ DB }, userId)).toHaveLength(maxToolServers)
  })

  test('changed tools are read again, and a failure keeps the last ones', async () => {
    let isDown = false
    let tools = [echoTool]
    const { url } = await startServer({ tools: () => tools, fault: (_, response) => isDown && !!response.writeHead(503).end() })
    const id = await add(url)
    tools = [echoTool, { ...echoTool, name: 'other' }]
    expect(await refreshServer(managerOf(), id)).toEqual({ state: 'ready', failure: null })
    expect((await rowOf(id)).tools).toHaveLength(2)
    isDown = true
    expect(await refreshServer(managerOf(), id)).toEqual({ state: 'failed', failure: 'error' })
    expect((await rowOf(id)).tools).toHaveLength(2)
  })

  test('name and switched-off tools change', async () => {
    const { url } = await startServer()
    const id = await add(url)
    expect(await changeServer(managerOf(), id, { name: 'Sea', off: ['echo'] })).toBeNull()
    expect(await rowOf(id)).toMatchObject({ name: 'Sea', off: ['echo'] })
  })

  test('a removed server leaves nothing', async () => {
    const { url } = await startServer()
    const id = await add(url, { 'x-api-key': 'secret-key' })
    await removeServer(managerOf(), id)
    await removeServer(managerOf(), id)
    expect(await readSealed({ DB }, userId, id)).toBeNull()
    expect(await DB.prepare('select bytes, rows from contentUse where userId = ?').bind(userId).first()).toEqual({ bytes: 0, rows: 0 })
  })
})

describe('headers', () => {
  const withKey = (key: string): ToolServerScript => ({
    fault: ({ headers }, response) => headers['x-api-key'] !== key && !!response.writeHead(401).end(),
  })

  test('a server that wants a key is stored, and works with the key', async () => {
    const { url } = await startServer(withKey('secret-key'))
    const id = await add(url)
    expect(await rowOf(id)).toMatchObject({ state: 'login', failure: 'refused', login: 'oauth' })
    expect(await setHeaders(managerOf(), id, { 'x-api-key': 'secret-key' })).toEqual({ state: 'ready', failure: null })
    expect(await rowOf(id)).toMatchObject({ login: 'headers', headerNames: ['x-api-key'] })
  })

  test('[G25] D1 has no value of a header, and another secret of the Worker opens none', async () => {
    const { url, hits } = await startServer(withKey('secret-key'))
    const id = await add(url, { 'x-api-key': 'secret-key' })
    expect(await everything()).not.toContain('secret-key')
    expect(hits.some(({ headers }) => headers['x-api-key'] === 'secret-key')).toBe(true)
    expect(await refreshServer(managerOf({ authSecret: 'another secret that is also long enough' }), id)).toMatchObject({ state: 'login' })
  })
})

describe('logins', () => {
  let oauth: OAuthPeer
  let peer: ToolServerPeer
  const session = { sessionId: 'session-1', redirectUrl: 'http://localhost:8787/api/tool-servers/callback' }

  const guarded = async (script: OAuthScript = {}): Promise<string> => {
    oauth = await startOAuthServer(script)
    stops.push(oauth.stop)
    peer = await startServer({ fault: oauth.guard(() => peer.url) })
    const id = await add(peer.url)
    expect(await rowOf(id)).toMatchObject({ state: 'login', login: 'oauth' })
    return id
  }
  const begin = async (id: string): Promise<string> => {
    const started = await startLogin(managerOf(), id, session)
    if (!started || !('address' in started)) throw new Error(`no address: ${JSON.stringify(started)}`)
    return started.address
  }
  const logIn = async (id: string) => finishLogin(managerOf(), oauth.approve(await begin(id)), session.sessionId)

  test('discovery, registration, PKCE and the exchange of the code', async () => {
    const id = await guarded()
    expect(await logIn(id)).toEqual({ id, failure: null })
    expect(await rowOf(id)).toMatchObject({ state: 'ready', login: 'oauth' })
    expect(oauth.asked.filter((path) => !path.startsWith('/.well-known'))).toEqual(['/register', '/token authorization_code'])
    expect(await everything()).not.toMatch(/access-|refresh-|client-/)
  })

  test('a server that reads the published metadata of Parley needs no registration', async () => {
    const id = await guarded({ metadata: (given) => ({ ...given, client_id_metadata_document_supported: true }) })
    const redirectUrl = 'https://parley.example.org/api/tool-servers/callback'
    const started = await startLogin(managerOf(), id, { ...session, redirectUrl })
    if (!started || !('address' in started)) throw new Error('a login begins')
    expect(new URL(started.address).searchParams.get('client_id')).toBe(clientDocument(redirectUrl).client_id)
    expect(await finishLogin(managerOf(), oauth.approve(started.address), session.sessionId)).toEqual({ id, failure: null })
    expect(oauth.asked).not.toContain('/register')
  })

  // modelcontextprotocol/python-sdk#1919, vercel/ai#20236
  test('an authorization server that ends its own name with a slash is the same one', async () => {
    const id = await guarded({ metadata: (given) => ({ ...given, issuer: `${oauth.origin}/` }) })
    const params = oauth.approve(await begin(id))
    params.set('iss', `${oauth.origin}/`)
    expect(await finishLogin(managerOf(), params, session.sessionId)).toEqual({ id, failure: null })
    oauth.expireTokens()
    expect(await refreshServer(managerOf(), id)).toEqual({ state: 'ready', failure: null })
  })

  test('one that names another server is not', async () => {
    const id = await guarded({ metadata: (given) => ({ ...given, issuer: `${oauth.origin}/tenant/` }) })
    expect(await startLogin(managerOf(), id, session)).toEqual({ failure: 'no_login' })
  })

  test('a second login uses the registration of the first', async () => {
    const id = await guarded()
    await logIn(id)
    await logIn(id)
    expect(oauth.asked.filter((path) => path === '/register')).toHaveLength(1)
  })

  test.each([
    ['another session', 'session-2', (params: URLSearchParams) => params],
    [
      'another state',
      'session-1',
      (params: URLSearchParams) => new URLSearchParams({ ...Object.fromEntries(params), state: `${params.get('state')}x` }),
    ],
    ['no state', 'session-1', () => new URLSearchParams({ code: 'x' })],
  ])('the answer of %s is refused, and the login goes on', async (_, sessionId, change) => {
    const id = await guarded()
    const params = oauth.approve(await begin(id))
    expect(await finishLogin(managerOf(), change(params), sessionId)).toBeNull()
    expect(await finishLogin(managerOf(), params, session.sessionId)).toEqual({ id, failure: null })
  })

  test('[G25] an answer counts once', async () => {
    const id = await guarded()
    const params = oauth.approve(await begin(id))
    const both = await Promise.all([1, 2].map(() => finishLogin(managerOf(), params, session.sessionId)))
    expect(both.filter((one) => one?.failure === null)).toHaveLength(1)
    expect(oauth.asked.filter((path) => path === '/token authorization_code')).toHaveLength(1)
  })

  test('an answer that comes too late is refused', async () => {
    const id = await guarded()
    const params = oauth.approve(await begin(id))
    const later = managerOf({ nowMs: Date.now() + toolServerLoginMs + 1 })
    expect(await finishLogin(later, params, session.sessionId)).toBeNull()
  })

  test('a user who declines, and an answer of another issuer, are plain failures', async () => {
    const id = await guarded()
    const state = oauth.approve(await begin(id)).get('state') ?? ''
    expect(await finishLogin(managerOf(), new URLSearchParams({ error: 'access_denied', state }), session.sessionId)).toEqual({
      id,
      failure: 'login_failed',
    })
    const params = oauth.approve(await begin(id))
    params.set('iss', 'https://evil.org')
    expect(await finishLogin(managerOf(), params, session.sessionId)).toEqual({ id, failure: 'login_failed' })
    expect(await rowOf(id)).toMatchObject({ state: 'login', failure: 'login_failed' })
  })

  // LibreChat-AI/librechat.ai#420
  test('a token whose time is a text is a token', async () => {
    const id = await guarded({ tokens: (given) => ({ ...given, expires_in: '3600', scope: '' }) })
    expect(await logIn(id)).toEqual({ id, failure: null })
  })

  test('a renewal without a new refresh token keeps the old one', async () => {
    let isFirst = true
    const id = await guarded({
      tokens: ({ refresh_token: newer, ...given }) => {
        const token = isFirst ? { refresh_token: newer } : {}
        isFirst = false
        return { ...given, ...token }
      },
    })
    await logIn(id)
    oauth.expireTokens()
    expect(await refreshServer(managerOf(), id)).toEqual({ state: 'ready', failure: null })
  })

  test('[G25] an expired token is renewed once for requests at the same time', async () => {
    const id = await guarded()
    await logIn(id)
    oauth.expireTokens()
    const states = await Promise.all([1, 2, 3].map(() => refreshServer(managerOf(), id)))
    expect(states).toEqual(states.map(() => ({ state: 'ready', failure: null })))
    expect(oauth.asked.filter((path) => path === '/token refresh_token')).toHaveLength(1)
  })

  test('a login that the server ended asks the user to log in again', async () => {
    const id = await guarded()
    await logIn(id)
    oauth.endLogins()
    expect(await refreshServer(managerOf(), id)).toEqual({ state: 'login', failure: 'refused' })
    expect(await logIn(id)).toEqual({ id, failure: null })
  })

  test('a token server that is down for a moment does not end the login', async () => {
    let isDown = false
    const id = await guarded({ fault: (path, response) => isDown && path === '/token' && !!response.destroy() })
    await logIn(id)
    oauth.expireTokens()
    isDown = true
    expect(await refreshServer(managerOf(), id)).toMatchObject({ failure: 'unreachable' })
    isDown = false
    expect(await refreshServer(managerOf(), id)).toEqual({ state: 'ready', failure: null })
  })

  test('logging out revokes both tokens, and deletes them also if the server does not answer', async () => {
    let isDown = false
    const id = await guarded({ fault: (path, response) => isDown && path === '/revoke' && !!response.destroy() })
    await logIn(id)
    expect(await endLogin(managerOf(), id)).toBe(true)
    expect(oauth.revoked.map((token) => token.split('-')[0])).toEqual(['refresh', 'access'])
    await logIn(id)
    isDown = true
    expect(await endLogin(managerOf(), id)).toBe(true)
    expect(await refreshServer(managerOf(), id)).toEqual({ state: 'login', failure: 'refused' })
  })

  test('removing a server revokes its tokens', async () => {
    const id = await guarded()
    await logIn(id)
    await removeServer(managerOf(), id)
    expect(oauth.revoked).toHaveLength(2)
  })

  const failing: readonly (readonly [string, OAuthScript])[] = [
    ['no metadata', { fault: (_path, response) => !!response.writeHead(404).end() }],
    ['metadata of another issuer', { metadata: (given) => ({ ...given, issuer: 'https://evil.org' }) }],
    ['no PKCE', { metadata: (given) => ({ ...given, code_challenge_methods_supported: ['plain'] }) }],
    ['no registration', { metadata: ({ registration_endpoint: _, ...given }) => given }],
    ['a registration that fails', { fault: (path, response) => path === '/register' && !!response.writeHead(500).end('no') }],
    ['a page that is no address of the web', { metadata: (given) => ({ ...given, authorization_endpoint: 'javascript:alert(1)' }) }],
    ['a page in a private network', { metadata: (given) => ({ ...given, authorization_endpoint: 'https://10.0.0.1/authorize' }) }],
    ['metadata that are no JSON', { fault: (path, response) => path.startsWith('/.well-known') && !!response.end('<html>') }],
  ]
  test.each(failing)('a server with %s offers no login', async (_, script) => {
    const id = await guarded(script)
    expect(await startLogin(managerOf(), id, session)).toEqual({ failure: 'no_login' })
  })

  test('a token endpoint in a private network gets no code', async () => {
    const id = await guarded({ metadata: (given) => ({ ...given, token_endpoint: 'https://169.254.169.254/token' }) })
    expect(await finishLogin(managerOf(), oauth.approve(await begin(id)), session.sessionId)).toEqual({ id, failure: 'address' })
  })
})

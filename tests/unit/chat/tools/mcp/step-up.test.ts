// A server that requires more scopes than the login has: the failed call, the row, and what the next login asks for.
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { addServer, endLogin, finishLogin, startLogin } from '../../../../../worker/chat/tools/mcp/manage-servers.ts'
import { scopesIn } from '../../../../../worker/chat/tools/mcp/scopes.ts'
import { readSecret } from '../../../../../worker/chat/tools/mcp/server-secrets.ts'
import { serverSources } from '../../../../../worker/chat/tools/mcp/server-source.ts'
import { isFromOutside } from '../../../../../worker/chat/tools/untrusted.ts'
import { maxScopeChars, maxServerScopes } from '../../../../../worker/contract/limits.ts'
import { originsOfParts } from '../../../../../worker/contract/tools/taint.ts'
import { newId } from '../../../../../worker/db/new-id.ts'
import { readToolServer } from '../../../../../worker/db/tool-servers.ts'
import { createNodeD1, type NodeD1 } from '../../../../support/node-d1.ts'
import { type OAuthPeer, startOAuthServer } from '../../../../support/peers/oauth-server.ts'
import { startToolServer, type ToolServerPeer } from '../../../../support/peers/tool-server.ts'

const authSecret = 'a secret of the tests that is long enough'
const userId = 'ada'
const session = { sessionId: 'session-1', redirectUrl: 'http://localhost:8787/api/tool-servers/callback' }
const egress = { send: fetch, isLocalAllowed: true }

let DB: NodeD1
let oauth: OAuthPeer
let peer: ToolServerPeer
/** The scope in the challenge of a call, or null if the call is carried out. */
let lacks: (granted: readonly string[]) => string | null
let id: string
beforeEach(async () => {
  DB = createNodeD1()
  oauth = await startOAuthServer()
  peer = await startToolServer({
    fault: oauth.guard(
      () => peer.url,
      (method, granted) => (method === 'tools/call' ? lacks(granted) : null),
    ),
  })
  id = newId()
  lacks = (granted) => (granted.includes('files:write') ? null : 'files:write')
  expect(await addServer(manager(), { id, url: peer.url, name: 'Sea', headers: {} })).toBeNull()
  await logIn()
})
afterEach(() => Promise.all([oauth.stop(), peer.stop()]))

const manager = () => ({ env: { DB }, authSecret, owner: userId, egress, nowMs: Date.now() })
const begin = async () => {
  const started = await startLogin(manager(), id, session)
  if (!started || !('address' in started)) throw new Error('a login begins')
  return started
}
/** The scopes that the login asked for, and those that the user was shown. */
async function logIn() {
  const { address, scopes } = await begin()
  expect(await finishLogin(manager(), oauth.approve(address), session.sessionId)).toEqual({ id, failure: null })
  return { asked: new URL(address).searchParams.get('scope'), shown: scopes }
}
const rowOf = () => readToolServer({ DB }, userId, id)
/** The text of the result, or of the failure. */
async function call(): Promise<string> {
  const context = { env: { DB }, authSecret, userId, egress, nowMs: Date.now, hasImages: false, onChange: async () => undefined }
  const [tool] = (await serverSources(context, [id])).flatMap(({ tools }) => tools)
  const result = tool?.execute({ text: 'hi' }, { toolCallId: 'call', signal: new AbortController().signal })
  return (await result?.then(({ shown }) => JSON.stringify(shown), String)) ?? 'no tool'
}

test('the call fails with the names of the scopes, and the next login asks for them beside the old ones', async () => {
  expect(await call()).toBe('The server requires rights that the login lacks: “files:write”. The user can give them in Settings, Tools.')
  expect(await rowOf()).toMatchObject({ state: 'login', failure: 'scopes' })
  expect(peer.called).toEqual([])
  expect(await logIn()).toEqual({ asked: 'tools files:write', shown: ['files:write'] })
  expect(await rowOf()).toMatchObject({ state: 'ready', failure: null })
  expect(await call()).toContain('hi')
  expect(await logIn()).toEqual({ asked: 'tools files:write', shown: undefined })
})

test('a login that was begun and given up keeps the scopes for the next one, and the old tokens', async () => {
  await call()
  await begin()
  await begin()
  expect(oauth.live()).toHaveLength(2)
  expect(await logIn()).toMatchObject({ asked: 'tools files:write' })
})

test('several calls that lack different scopes add up, in any order', async () => {
  const wanted = ['files:write', 'mail:send']
  lacks = () => wanted.shift() ?? null
  await Promise.all([call(), call()])
  const { asked } = await logIn()
  expect(asked?.split(' ').sort()).toEqual(['files:write', 'mail:send', 'tools'])
})

test('the failure quotes its server, so it counts as text from outside', async () => {
  const value = await call()
  expect(isFromOutside({ type: 'error-text', value })).toBe(true)
  const part = { type: 'tool-sea_echo', toolCallId: 'a', state: 'output-error', errorText: value, source: { id, name: 'Sea' } } as const
  expect(originsOfParts([part])).toEqual([id])
})

test('logging out revokes the tokens of every login, and the next one asks for the first scopes again', async () => {
  await call()
  await logIn()
  expect(oauth.live()).toHaveLength(4)
  await endLogin(manager(), id)
  expect(oauth.live()).toEqual([])
  expect(await logIn()).toEqual({ asked: 'tools', shown: undefined })
})

describe('a server cannot lead the user in circles', () => {
  test('scopes that the login asked for are not asked for again', async () => {
    lacks = () => 'files:write'
    await call()
    await logIn()
    expect(await call()).toBe('The server requires a login, or refused the one it has.')
    expect(await rowOf()).toMatchObject({ state: 'login', failure: 'refused' })
    expect((await begin()).scopes).toBeUndefined()
  })

  test('one call makes one request, and new scopes end at the limit', async () => {
    let next = 0
    lacks = () => `scope-${next++}`
    for (let login = 1; login < maxServerScopes; login++) {
      expect(await call()).toContain(`“scope-${login - 1}”`)
      await logIn()
    }
    expect(await call()).toBe('The server requires a login, or refused the one it has.')
    expect(next).toBe(maxServerScopes)
  })

  test.each([
    ['too many', Array.from({ length: maxServerScopes + 1 }, (_, at) => `s${at}`).join(' ')],
    ['a long one', 'x'.repeat(maxScopeChars + 1)],
    ['12 KB', 'x '.repeat(6_000)],
    ['a tabulator in one', 'a\tb'],
    ['none', ' '],
  ])('%s: nothing of it is stored or shown', async (_, scope) => {
    lacks = () => scope
    expect(await call()).toBe('The server requires a login, or refused the one it has.')
    expect((await readSecret({ env: { DB }, authSecret, owner: userId, id }))?.secret.oauth?.required).toBeUndefined()
    expect(await logIn()).toEqual({ asked: 'tools', shown: undefined })
  })
})

test.each([
  ['control characters', 'read\u0007 write'],
  ['a quotation mark', 'a"b'],
  ['characters beyond ASCII', 'lesen schreïben'],
  ['an invisible character', 'read\u200b'],
  ['100 KB', 'x'.repeat(100_000)],
  ['100 KB of spaces', ' '.repeat(100_000)],
])('a text with %s names no scope', (_, text) => {
  expect(scopesIn(text)).toEqual([])
})

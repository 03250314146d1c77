// Requests of one user that change a login at the same time: one runs at every point between two steps of another.
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  addServer,
  endLogin,
  finishLogin,
  type Manager,
  refreshServer,
  removeServer,
  setHeaders,
  startLogin,
} from '../../../../../worker/chat/tools/mcp/manage-servers.ts'
import { readSecret } from '../../../../../worker/chat/tools/mcp/server-secrets.ts'
import { newId } from '../../../../../worker/db/new-id.ts'
import { readToolServer } from '../../../../../worker/db/tool-servers.ts'
import { createNodeD1, type NodeD1 } from '../../../../support/node-d1.ts'
import { type OAuthPeer, startOAuthServer } from '../../../../support/peers/oauth-server.ts'
import { startToolServer, type ToolServerPeer } from '../../../../support/peers/tool-server.ts'

const authSecret = 'a secret of the tests that is long enough'
const session = { sessionId: 'session-1', redirectUrl: 'http://localhost:8787/api/tool-servers/callback' }

let DB: NodeD1
let oauth: OAuthPeer
let server: ToolServerPeer
let userId = ''
/** Called before each request of the manager that `interruptible` makes. */
let onRequest: () => Promise<void> = async () => undefined
beforeEach(async () => {
  DB = createNodeD1()
  oauth = await startOAuthServer()
  server = await startToolServer({ fault: oauth.guard(() => server.url) })
})
afterEach(() => Promise.all([oauth.stop(), server.stop()]))

const managerOf = (send: typeof fetch = fetch): Manager => ({
  env: { DB },
  authSecret,
  owner: userId,
  egress: { send, isLocalAllowed: true },
  nowMs: Date.now(),
})
const interruptible = () => managerOf(async (input, init) => onRequest().then(() => fetch(input, init)))

/** Another user with a server and a login whose access token has expired, and the answer to a second login, which is not yet completed. */
async function scene(): Promise<{ readonly id: string; readonly answer: URLSearchParams }> {
  userId = newId()
  const id = newId()
  expect(await addServer(managerOf(), { id, url: server.url, name: '', headers: {} })).toBeNull()
  const begin = async () => {
    const started = await startLogin(managerOf(), id, session)
    if (!started || !('address' in started)) throw new Error('a login begins')
    return oauth.approve(started.address)
  }
  expect(await finishLogin(managerOf(), await begin(), session.sessionId)).toEqual({ id, failure: null })
  const answer = await begin()
  oauth.expireTokens()
  return { id, answer }
}

type Scene = Awaited<ReturnType<typeof scene>>
type Action = (manager: Manager, scene: Scene) => Promise<unknown>

const renew: Action = (manager, { id }) => refreshServer(manager, id)
const begin: Action = (manager, { id }) => startLogin(manager, id, session)
const complete: Action = (manager, { answer }) => finishLogin(manager, answer, session.sessionId)
const ends: readonly (readonly [string, Action])[] = [
  ['logging out', (manager, { id }) => endLogin(manager, id)],
  ['entering headers', (manager, { id }) => setHeaders(manager, id, {})],
  ['removing the server', (manager, { id }) => removeServer(manager, id)],
]
const others: readonly (readonly [string, Action])[] = [
  ['a renewal', renew],
  ['beginning a login', begin],
  ['completing a login', complete],
  ...ends,
]

/** Runs `inner` before each step of `outer`: a statement in D1 or a request. Calls `check` after each run. */
async function interleave(outer: Action, inner: Action, check: (scene: Scene) => Promise<void>): Promise<number> {
  for (let at = 0; ; at++) {
    const given = await scene()
    let steps = 0
    let isInterrupted = false
    const step = async () => {
      if (isInterrupted || steps++ < at) return
      isInterrupted = true
      await inner(managerOf(), given)
    }
    DB.onStatement = step
    onRequest = step
    await outer(interruptible(), given)
    DB.onStatement = () => undefined
    onRequest = async () => undefined
    if (isInterrupted) await check(given)
    await endLogin(managerOf(), given.id)
    if (!isInterrupted) return at
  }
}

const storedLogin = async ({ id }: Scene) => (await readSecret({ env: { DB }, authSecret, owner: userId, id }))?.secret.oauth

describe.each(ends)('[G25] %s during another request, and another request during it', (_, end) => {
  test.each(others)('%s: no token is stored, and every token is revoked', async (_name, other) => {
    const isEnded = async (given: Scene) => {
      expect((await storedLogin(given))?.tokens).toBeUndefined()
      expect(oauth.live()).toEqual([])
    }
    expect(await interleave(other, end, isEnded)).toBeGreaterThan(1)
    expect(await interleave(end, other, isEnded)).toBeGreaterThan(1)
  })
})

const enterHeaders: Action = (manager, { id }) => setHeaders(manager, id, { 'x-api-key': 'key' })

test.each([
  ['completing a login, interrupted by entering headers', complete, enterHeaders],
  ['entering headers, interrupted by completing a login', enterHeaders, complete],
])('%s: the row says what the credentials are', async (_name, outer, inner) => {
  await interleave(outer, inner, async (given) => {
    expect((await storedLogin(given))?.tokens).toBeUndefined()
    expect(await readToolServer({ DB }, userId, given.id)).toMatchObject({ login: 'headers', headerNames: ['x-api-key'] })
  })
})

describe.each([
  ['a renewal', renew, 'completing a login', complete],
  ['a renewal', renew, 'beginning a login', begin],
  ['completing a login', complete, 'a renewal', renew],
  ['beginning a login', begin, 'a renewal', renew],
  ['beginning a login', begin, 'completing a login', complete],
  ['completing a login', complete, 'beginning a login', begin],
])('[G25] %s, interrupted by %s', (_name, outer, _other, inner) => {
  test('the user stays logged in, and a later logout revokes every token', async () => {
    await interleave(outer, inner, async (given) => {
      expect(await refreshServer(managerOf(), given.id)).toEqual({ state: 'ready', failure: null })
      expect(await endLogin(managerOf(), given.id)).toBe(true)
      expect(oauth.live()).toEqual([])
    })
  })
})

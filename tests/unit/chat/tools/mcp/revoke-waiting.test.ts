// The tokens of deleted tool servers: revoked later if the authorization server does not answer, or if the Worker stops.
import type { ServerResponse } from 'node:http'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { addServer, finishLogin, type Manager, removeServer, startLogin } from '../../../../../worker/chat/tools/mcp/manage-servers.ts'
import { revokeWaiting } from '../../../../../worker/chat/tools/mcp/revoke-waiting.ts'
import { firstRevocationDelayMs, maxRevocationAttempts, tokenRevocationMs } from '../../../../../worker/contract/limits.ts'
import { removeContent, removeUser } from '../../../../../worker/db/delete-user.ts'
import { newId } from '../../../../../worker/db/new-id.ts'
import { deleteOrganization } from '../../../../../worker/db/organizations.ts'
import { claimRevocations, pruneRevocations } from '../../../../../worker/db/token-revocations.ts'
import type { ServerOwner } from '../../../../../worker/db/tool-servers.ts'
import { createNodeD1, type NodeD1 } from '../../../../support/node-d1.ts'
import { type OAuthPeer, startOAuthServer } from '../../../../support/peers/oauth-server.ts'
import { startToolServer } from '../../../../support/peers/tool-server.ts'
import { insert, memberRow, organizationRow, userRow } from '../../../../support/rows.ts'

const authSecret = 'a secret of the tests that is long enough'
const egress = { send: fetch, isLocalAllowed: true }
const session = { sessionId: 'session', redirectUrl: 'http://localhost:8787/api/tool-servers/callback' }
const nowMs = 1_800_000_000_000

let DB: NodeD1
let [userId, organizationId] = ['', '']
let oauth: OAuthPeer
/** How the authorization server answers a revocation; null: as it should. */
let revocation: ((response: ServerResponse) => unknown) | null = null
let stops: (() => Promise<void>)[] = []
beforeEach(async () => {
  DB = createNodeD1()
  ;[userId, organizationId] = [newId(), newId()]
  await insert(DB, 'user', userRow({ id: userId }))
  await insert(DB, 'organization', organizationRow({ id: organizationId, name: 'Harbour' }))
  await insert(DB, 'member', memberRow(organizationId, userId, { role: 'owner' }))
  revocation = null
  oauth = await startOAuthServer({ fault: (path, response) => path === '/revoke' && revocation !== null && revocation(response) !== false })
  stops = [oauth.stop]
})
afterEach(async () => {
  await Promise.all(stops.map((stop) => stop()))
})

const managerOf = (owner: ServerOwner): Manager => ({ env: { DB }, authSecret, owner, nowMs, egress })

/** A server with a login of this owner. */
async function loggedIn(owner: ServerOwner): Promise<string> {
  const peer = await startToolServer({ fault: oauth.guard(() => peer.url) })
  stops.push(peer.stop)
  const [manager, id] = [managerOf(owner), newId()]
  expect(await addServer(manager, { id, url: peer.url, name: 'Sea', headers: { 'x-api-key': 'secret-key' } })).toBeNull()
  const started = await startLogin(manager, id, session)
  if (!started || !('address' in started)) throw new Error('the login has an address')
  expect(await finishLogin(manager, oauth.approve(started.address), session.sessionId)).toEqual({ id, failure: null })
  expect(oauth.live()).toHaveLength(2)
  return id
}

const waiting = async () => {
  const { results } = await DB.prepare('select sealed, attempts from tokenRevocation').all<{ sealed: string; attempts: number }>()
  return results
}
/** A scheduled run at this time. */
const run = (atMs: number) => revokeWaiting({ database: DB, authSecret, egress, nowMs: atMs })

const deletions: readonly (readonly [string, () => ServerOwner, (id: string) => Promise<unknown>])[] = [
  ['an account', () => userId, () => removeContent({ DB }, userId, nowMs)],
  ['an organization', () => ({ organizationId }), () => deleteOrganization({ DB }, organizationId, nowMs)],
  ['the account of the only member of an organization', () => ({ organizationId }), () => removeUser({ DB }, userId, nowMs)],
  ['a server', () => userId, (id) => removeServer(managerOf(userId), id)],
]

describe.each(deletions)('after the deletion of %s', (_name, owner, remove) => {
  test('tokens that could not be revoked are kept sealed, and revoked later', async () => {
    const id = await loggedIn(owner())
    const tokens = oauth.live()
    revocation = (response) => response.destroy()
    await remove(id)
    await run(nowMs)
    const [row, ...others] = await waiting()
    expect([row?.attempts, others]).toEqual([1, []])
    for (const token of [...tokens, 'secret-key']) expect(row?.sealed).not.toContain(token)
    revocation = null
    expect(await run(nowMs + firstRevocationDelayMs - 1)).toBe(0)
    expect(oauth.live()).toEqual(tokens)
    expect(await run(nowMs + firstRevocationDelayMs)).toBe(1)
    expect(oauth.live()).toEqual([])
    expect(await waiting()).toEqual([])
  })
})

describe('a crash', () => {
  test('between the deletion and the revocation, or before the first request, loses no tokens', async () => {
    await loggedIn(userId)
    await removeContent({ DB }, userId, nowMs)
    // The deletion is repeated.
    await removeContent({ DB }, userId, nowMs + 1)
    expect(await claimRevocations(DB, nowMs + 1)).toHaveLength(1)
    expect(oauth.revoked).toEqual([])
    expect(await run(nowMs + 2 * firstRevocationDelayMs)).toBe(1)
    expect([oauth.live(), await waiting()]).toEqual([[], []])
  })

  test('after the requests repeats them', async () => {
    await loggedIn({ organizationId })
    await deleteOrganization({ DB }, organizationId, nowMs)
    DB.onStatement = (sql) => {
      if (sql.startsWith('delete from "tokenRevocation"')) throw new Error('D1 is down')
    }
    expect(await run(nowMs)).toBe(0)
    expect([oauth.revoked.length, (await waiting()).length]).toEqual([2, 1])
    DB.onStatement = () => undefined
    expect(await run(nowMs + firstRevocationDelayMs)).toBe(1)
    expect([oauth.revoked.length, await waiting()]).toEqual([4, []])
  })
})

test('a server that never answers is asked a bounded number of times, with growing pauses, and then its tokens are forgotten', async () => {
  await loggedIn(userId)
  let asked = 0
  revocation = (response) => {
    asked += 1
    response.writeHead(503).end()
  }
  await removeContent({ DB }, userId, nowMs)
  const attempts: number[] = []
  for (let at = nowMs; at < nowMs + tokenRevocationMs; at += firstRevocationDelayMs) {
    const before = asked
    await run(at)
    if (asked > before) attempts.push((at - nowMs) / firstRevocationDelayMs)
  }
  // Both tokens in each attempt.
  expect([attempts.length, asked]).toEqual([maxRevocationAttempts, 2 * maxRevocationAttempts])
  expect(attempts.slice(0, 4)).toEqual([0, 1, 3, 7])
  expect(await waiting()).toEqual([])
})

test('tokens are forgotten after their time, whatever was tried', async () => {
  await loggedIn(userId)
  await removeContent({ DB }, userId, nowMs)
  expect(await pruneRevocations(DB, nowMs + tokenRevocationMs)).toBe(0)
  expect(await pruneRevocations(DB, nowMs + tokenRevocationMs + 1)).toBe(1)
})

test('a refusal is final, and tokens sealed with an earlier secret of the Worker are deleted', async () => {
  await loggedIn(userId)
  revocation = (response) => response.writeHead(400, { 'content-type': 'application/json' }).end('{"error":"unsupported_token_type"}')
  await removeContent({ DB }, userId, nowMs)
  expect(await run(nowMs)).toBe(1)
  expect(await waiting()).toEqual([])

  await loggedIn({ organizationId }).catch(() => undefined)
  await deleteOrganization({ DB }, organizationId, nowMs)
  expect(await revokeWaiting({ database: DB, authSecret: 'another secret of the tests, long enough', egress, nowMs })).toBe(1)
  expect(await waiting()).toEqual([])
})

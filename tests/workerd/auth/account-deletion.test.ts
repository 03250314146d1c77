// Deletion of accounts and inactive guests: nothing is left in D1, in KV and in the object, and only the user may request it.

import { runInDurableObject } from 'cloudflare:test'
import { describe, expect, test } from 'vitest'
import { freshSignInMs, guestRetentionMs } from '../../../worker/contract/limits.ts'
import { linkGuest } from '../../../worker/db/account-linking.ts'
import { beginAccountDeletion } from '../../../worker/db/delete-user.ts'
import { classifyD1Error } from '../../../worker/db/errors.ts'
import { storeFile } from '../../../worker/db/file-store.ts'
import { newId } from '../../../worker/db/new-id.ts'
import { systemClock } from '../../../worker/lib/clock.ts'
import { runScheduledWork } from '../../../worker/scheduled.ts'
import { generationRow, insert, memberRow, organizationRow, queuedRow, type Row, threadRow } from '../../support/rows.ts'
import { auditOnly } from '../audit.ts'
import { content } from '../bindings.ts'
import { isConnected } from '../sync-object.ts'
import { connected, env, threadList, turnArgs } from '../sync-wire.ts'
import { generationOf, givenTurn, untilEnded } from '../turns.ts'
import { fillAccount, tablesNaming } from './account-rows.ts'
import { Browser, codeFor, guest, type OutboxBody, signInByCode } from './browser.ts'

auditOnly('ledger')

const { DB } = env
const tokenOf = async (browser: Browser) => (await browser.json<{ token: string }>('/api/auth/token')).token
async function account(email: string) {
  const browser = new Browser()
  const { userId } = await signInByCode(browser, email)
  return { browser, userId, email }
}

const isWaiting = async (serverId: string) =>
  (await content.prepare('select id from tokenRevocation where id = ?').bind(serverId).first('id')) !== null

describe('deleting an account', () => {
  test('leaves nothing anywhere, and disconnects its browsers at once', async () => {
    const { browser, userId, email } = await account('leaving@leave.test')
    await fillAccount(userId)
    const organization = organizationRow()
    await insert(DB, 'organization', organization)
    await insert(DB, 'member', memberRow(String(organization.id), userId, { role: 'owner' }))
    const wire = await connected({ userId, token: await tokenOf(browser) }, { queries: [threadList] })
    await env.FIRST_PAGES?.put(`first-page/${userId}/old-session`, '{}')
    await browser.json('/api/auth/sign-in/magic-link', { body: { email, callbackURL: '/' } })
    const serverId = newId()
    await insert(content, 'toolServerSecret', { id: serverId, userId, sealed: 'AAAA' })
    expect(await isConnected(wire)).toBe(true)
    expect((await browser.call('/api/auth/delete-user', { body: {} })).status).toBe(200)
    // Before the response, so no later event is needed.
    expect(await isConnected(wire)).toBe(false)
    expect(await wire.receives('error')).toMatchObject({ kind: 'Unauthorized' })
    await wire.untilClosed()
    expect(await tablesNaming(userId)).toEqual([])
    for (const [table, column, value] of [
      ['organization', 'id', String(organization.id)],
      ['outbox', 'recipient', email],
    ])
      expect(await DB.prepare(`select 1 from ${table} where ${column} = ?`).bind(value).first()).toBeNull()
    const { results } = await DB.prepare('select identifier, value from verification').all()
    expect(JSON.stringify(results)).not.toContain(email)
    expect((await env.FIRST_PAGES?.list({ prefix: `first-page/${userId}/` }))?.keys ?? []).toEqual([])
    await expect
      .poll(() =>
        runInDurableObject(env.USER_SYNC.getByName(userId), async (_object, { storage }) => [
          storage.kv.get('userId') ?? null,
          [...storage.sql.exec("select name from sqlite_master where type = 'table' and name = 'thread'")].length,
          await storage.getAlarm(),
        ]),
      )
      .toEqual([null, 0, null])
    expect(await (await browser.call('/api/auth/get-session')).json()).toBeNull()
    // The credentials wait for the revocation of their tokens.
    expect(await isWaiting(serverId)).toBe(true)
  })

  test('requires a recent sign-in, or continues with a code', async () => {
    const { browser, userId, email } = await account('old-session@leave.test')
    await DB.prepare('update session set createdAt = ? where userId = ?')
      .bind(Date.now() - freshSignInMs - 1000, userId)
      .run()
    const refused = await browser.call('/api/auth/delete-user', { body: {} })
    expect([refused.status, ((await refused.json()) as { code: string }).code]).toEqual([403, 'SESSION_NOT_FRESH'])
    expect(await tablesNaming(userId)).toContain('user')
    await signInByCode(browser, email)
    // The mail states the purpose of the code, except for a plain login.
    const { mails } = await new Browser().json<OutboxBody>('/api/outbox')
    const subjects = mails.flatMap(({ to, subject }) => (to === email ? [subject] : []))
    expect(subjects.toSorted()).toEqual(['Your code to delete your account', 'Your login code'])
    expect((await browser.call('/api/auth/delete-user', { body: {} })).status).toBe(200)
    expect(await tablesNaming(userId)).toEqual([])
  })

  test('does not leave an organization with members without an owner', async () => {
    const { browser, userId } = await account('owner@leave.test')
    const other = await account('member@leave.test')
    const organization = organizationRow({ name: 'Acme' })
    await insert(DB, 'organization', organization)
    await insert(DB, 'member', memberRow(String(organization.id), userId, { role: 'owner' }))
    await insert(DB, 'member', memberRow(String(organization.id), other.userId))
    // Before any confirmation is requested.
    await DB.prepare('update session set createdAt = ? where userId = ?')
      .bind(Date.now() - freshSignInMs - 1000, userId)
      .run()
    const refused = await browser.call('/api/auth/delete-user', { body: {} })
    expect([refused.status, await refused.json()]).toEqual([403, expect.objectContaining({ code: 'LAST_OWNER', organization: 'Acme' })])
    expect(await tablesNaming(userId)).toContain('user')
  })

  test('stops a streaming answer', async () => {
    const { browser, userId } = await guest()
    const turn = await givenTurn('/demo chunks=3000 delay=20')
    // The turn becomes this guest's: the helper's rows have no user in the directory.
    await linkGuest(env, { guestId: turn.userId, accountId: userId }, 1)
    const own = { ...turn, userId }
    await generationOf(own).start(own)
    const stopped = untilEnded(own)
    expect((await browser.call('/api/auth/delete-user', { body: {} })).status).toBe(200)
    await stopped
    expect(await tablesNaming(userId)).toEqual([])
  })
})

describe('writes during a deletion', () => {
  const failureOf = (work: Promise<unknown>) => work.then(() => 'written', classifyD1Error)

  test('are refused in every table', async () => {
    const [{ userId }, other] = [await guest(), await guest()]
    const early = threadRow(userId)
    await insert(content, 'thread', early)
    const progress = { clientGroupID: 'g', clientID: 'c', userId, lastMutationID: 0, updatedAt: 1 }
    await insert(content, 'clientProgress', progress)
    await beginAccountDeletion(env, userId, Date.now())
    const attachment = { id: newId(), userId, uploadId: newId(), name: 'a', mediaType: 'text/plain', sizeBytes: 1, createdAt: 1 }
    const late: readonly [table: string, row: Row][] = [
      ['thread', threadRow(userId)],
      ['queuedMessage', queuedRow(userId, String(early.id))],
      ['generation', generationRow(userId, String(early.id))],
      ['attachment', attachment],
      ['clientProgress', { ...progress, clientID: 'd' }],
      ['linking', { guestId: other.userId, accountId: userId, createdAt: 1 }],
      ['linking', { guestId: userId, accountId: other.userId, createdAt: 1 }],
    ]
    const accountDeleted = { kind: 'guard', code: 'account_deleted' }
    for (const [table, row] of late) expect([table, await failureOf(insert(content, table, row))]).toEqual([table, accountDeleted])
    expect(await failureOf(content.prepare('update clientProgress set lastMutationID = 1 where userId = ?').bind(userId).run())).toEqual(
      accountDeleted,
    )
  })

  test('of tabs that continue to send leave nothing', async () => {
    const { browser, userId } = await account('busy@leave.test')
    const token = await tokenOf(browser)
    const serverId = newId()
    await insert(content, 'toolServerSecret', { id: serverId, userId, sealed: 'AAAA' })
    const tabs = await Promise.all([0, 1].map(() => connected({ userId, token }, { queries: [threadList] })))
    let sent = 0
    const sending = tabs.map(async (tab) => {
      while (!tab.closed) {
        tab.mutate('threads.send', turnArgs('/demo chunks=20 delay=10'))
        sent += 1
        await new Promise((resolve) => setTimeout(resolve, 10))
      }
    })
    await tabs[0]?.until(() => tabs[0]?.rowsOf('thread').length !== 0, 'a thread')
    expect((await browser.call('/api/auth/delete-user', { body: {} })).status).toBe(200)
    await Promise.all(sending)
    expect(sent).toBeGreaterThan(2)
    await runScheduledWork(env, systemClock)
    expect(await tablesNaming(userId)).toEqual([])
    // There is no token to revoke, so the run has forgotten the credentials.
    expect(await isWaiting(serverId)).toBe(false)
  })

  test('that arrive nevertheless are removed by the next run, including the object in the bucket', async () => {
    const { browser, userId } = await account('late-rows@leave.test')
    expect((await browser.call('/api/auth/delete-user', { body: {} })).status).toBe(200)
    await content.prepare('delete from accountDeletion where userId = ?').bind(userId).run()
    await fillAccount(userId)
    const file = { id: newId(), name: 'a', mediaType: 'text/plain', sizeBytes: 1 } as const
    await insert(content, 'attachment', { ...file, userId, uploadId: newId(), createdAt: 1 })
    await env.FILES?.put(`files/${file.id}`, 'x')
    await insert(content, 'accountDeletion', { userId, startedAt: Date.now() })
    await runScheduledWork(env, systemClock)
    expect(await tablesNaming(userId)).toEqual([])
    expect(await env.FILES?.head(`files/${file.id}`)).toBeNull()
    // Bytes still in transit when the row was deleted.
    expect(await storeFile(env, userId, file, new Blob(['x']).stream(), Date.now(), () => null)).toBe(false)
    expect(await env.FILES?.head(`files/${file.id}`)).toBeNull()
  })
})

test('only the codes of the deleted address are dropped, not those of an address that ends with it', async () => {
  const [shorter, longer] = ['ann@leave.test', 'joann@leave.test']
  const { browser } = await account(shorter)
  await new Browser().json('/api/auth/email-otp/send-verification-otp', { body: { email: longer, type: 'sign-in' } })
  expect((await browser.call('/api/auth/delete-user', { body: {} })).status).toBe(200)
  const otp = await codeFor(longer)
  expect((await new Browser().call('/api/auth/sign-in/email-otp', { body: { email: longer, otp } })).status).toBe(200)
})

test('a guest inactive for 30 days is removed with all data; an active one is not', async () => {
  const [idle, active, young] = [await guest(), await guest(), await guest()]
  const longAgo = Date.now() - guestRetentionMs - 1000
  for (const { userId } of [idle, active, young]) await fillAccount(userId)
  await DB.batch([
    ...[idle, active].map(({ userId }) => DB.prepare('update user set createdAt = ?1, updatedAt = ?1 where id = ?2').bind(longAgo, userId)),
    DB.prepare('update session set updatedAt = ? where userId = ?').bind(longAgo, idle.userId),
  ])
  expect(await runScheduledWork(env, systemClock)).toMatchObject({ removedGuests: 1 })
  expect(await tablesNaming(idle.userId)).toEqual([])
  for (const { userId } of [active, young]) expect(await tablesNaming(userId)).toContain('thread')
  expect(await runScheduledWork(env, systemClock)).toMatchObject({ removedGuests: 0 })
})

test('rows that arrive for a guest after the linking are refused', async () => {
  const { browser, userId } = await guest()
  await signInByCode(browser, 'late@leave.test')
  const file = { name: 'a', mediaType: 'text/plain', sizeBytes: 1, uploadId: newId(), createdAt: Date.now() }
  await expect(insert(content, 'thread', threadRow(userId))).rejects.toThrow('guest_linked')
  await expect(insert(content, 'attachment', { ...file, id: newId(), userId })).rejects.toThrow('guest_linked')
  await expect(insert(content, 'generation', generationRow(userId, newId()))).rejects.toThrow('guest_linked')
  expect(await tablesNaming(userId)).toEqual([])
})

test('an export contains everything of one user, and nothing of another', async () => {
  const [{ browser, userId }, other] = [await guest(), await guest()]
  await fillAccount(userId)
  await fillAccount(other.userId)
  for (let i = 0; i < 60; i++) await insert(content, 'thread', threadRow(userId))
  const answer = await browser.call('/api/account/export')
  expect(answer.headers.get('content-disposition')).toMatch(/^attachment; filename="parley-\d{4}-\d\d-\d\d\.json"$/)
  const text = await answer.text()
  const file = JSON.parse(text) as { readonly [name: string]: readonly unknown[] }
  expect(
    Object.fromEntries(
      ['user', 'sessions', 'settings', 'threads', 'messages', 'queuedMessages', 'credits'].map((name) => [name, file[name]?.length]),
    ),
  ).toEqual({ user: 1, sessions: 1, settings: 1, threads: 85, messages: 25, queuedMessages: 1, credits: 1 })
  expect(text).not.toContain(other.userId)
  const session = await DB.prepare('select token from session where userId = ?').bind(userId).first<string>('token')
  expect(text).not.toContain(session)
  expect((await new Browser().call('/api/account/export')).status).toBe(401)
})

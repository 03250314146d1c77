// Account linking (guest to account): everything moves in one atomic step, and the browsers of both receive it.
import { getTableName } from 'drizzle-orm'
import { describe, expect, test, vi } from 'vitest'
import { filesOfUser, MissingFileError } from '../../../worker/chat/model/files.ts'
import { defaultPins } from '../../../worker/contract/models/model-choice.ts'
import { linkGuest, ownedDirectory } from '../../../worker/db/account-linking.ts'
import { forgottenContent, ownedContent } from '../../../worker/db/content-rows.ts'
import { newId } from '../../../worker/db/new-id.ts'
import {
  approvalRow,
  generationRow,
  insert,
  ledgerRow,
  messageRow,
  projectRow,
  queuedRow,
  requestRow,
  shareRow,
  summaryRow,
  threadRow,
} from '../../support/rows.ts'
import { insertWriting, memoryRow } from '../../support/rows-of-writing.ts'
import { auditOnly } from '../audit.ts'
import { content, databaseOf, env } from '../bindings.ts'
import { connected, connectWire, threadList } from '../sync-wire.ts'
import { generationOf, givenTurn, openStream, partsOf, readEvents, recordOf, textIn, untilEnded, words } from '../turns.ts'
import { watchDb } from '../watched-db.ts'
import { Browser, codeFor, guest, linkFor, type SessionBody, signInByCode, submitLink } from './browser.ts'

auditOnly('ledger')

const { DB } = env
const today = Math.floor(Date.now() / 86_400_000)
const all = async (table: string, column: string, userId: string) =>
  (await databaseOf(table).prepare(`select * from ${table} where ${column} = ?`).bind(userId).all()).results
const tokenOf = async (browser: Browser) => (await browser.json<{ token: string }>('/api/auth/token')).token

/** A guest with a row in every table that has an owner, who used five credits and one search today. */
async function givenGuest() {
  const { browser, userId } = await guest()
  const project = projectRow(userId)
  const thread = threadRow(userId, { projectId: project.id ?? null })
  const threadId = String(thread.id)
  const turn = generationRow(userId, threadId, { credits: 5, day: today })
  const turnId = String(turn.id)
  await insert(content, 'project', project)
  await insert(content, 'thread', thread)
  const messageId = newId()
  await insert(content, 'message', messageRow(userId, threadId, { id: messageId }))
  await insert(content, 'share', shareRow(userId, threadId, messageId))
  await insert(content, 'queuedMessage', queuedRow(userId, threadId))
  await insertWriting(content, userId, threadId)
  await insert(content, 'summary', summaryRow(userId, threadId, messageId))
  await insert(content, 'approval', approvalRow(userId, threadId, messageId))
  await insert(content, 'memory', memoryRow(userId, threadId, messageId))
  await insert(content, 'generation', turn)
  await insert(content, 'creditLedger', ledgerRow(userId, turnId, 'reserve', { credits: 5, search: 1, day: today }))
  await content.prepare("update generation set status = 'completed', endedAt = 2 where id = ?").bind(turnId).run()
  await insert(content, 'creditLedger', ledgerRow(userId, turnId, 'settle', { day: today }))
  await insert(content, 'modelRequest', requestRow(userId, turnId, { day: today }))
  await insert(content, 'attachment', {
    ...{ id: newId(), userId, uploadId: newId(), name: 'a.png', mediaType: 'image/png', sizeBytes: 1 },
    ...{ etag: '"a"', storedAt: 1, createdAt: 1 },
  })
  await insert(content, 'clientProgress', { clientGroupID: newId(), clientID: newId(), userId, updatedAt: 1 })
  await content
    .prepare("update setting set theme = 'paper', nickname = 'Ada', pinnedModels = ? where userId = ?")
    .bind(JSON.stringify(['gpt-4o-mini', 'kimi-k2']), userId)
    .run()
  return { browser, userId, threadId }
}

const moved = ownedContent.map(getTableName)
const tables = [...moved, ...forgottenContent.map(getTableName), 'setting', 'usage'].map((table) => ({ table, column: 'userId' }))

/** All rows with an owner, without the feeds, which record changes. */
async function everythingOf(...userIds: string[]): Promise<string> {
  const directory = ownedDirectory.map(({ table, name }) => ({ table: getTableName(table), column: name }))
  const owned = [...tables, ...directory, { table: 'user', column: 'id' }, { table: 'session', column: 'userId' }]
  const found = await Promise.all(owned.map(({ table, column }) => Promise.all(userIds.map((userId) => all(table, column, userId)))))
  return JSON.stringify(found)
}

async function expectMoved(guestId: string, accountId: string): Promise<void> {
  for (const { table, column } of tables) expect(await all(table, column, guestId), table).toEqual([])
  for (const table of moved) expect((await all(table, 'userId', accountId)).length, table).toBeGreaterThan(0)
  expect(await all('user', 'id', guestId)).toEqual([])
  expect(await all('session', 'userId', guestId)).toEqual([])
}

test('every table with an owner has a rule: moved, kept, merged or dropped', async () => {
  const { results } = await DB.prepare("select name from sqlite_master where type = 'table' and name not like '\\_cf%' escape '\\'").all<{
    name: string
  }>()
  const columns = 'select 1 from pragma_table_info(?) where name = ?'
  const owned = await Promise.all(results.map(({ name }) => DB.prepare(columns).bind(name, 'userId').first()))
  // Sessions, provider accounts and payments belong to the signed-in user; triggers maintain the profile of each membership. A guest shares no
  // prompts, because it is no member.
  const elsewhere = ['account', 'contentUse', 'accountDeletion', 'memberProfile', 'session', 'sharedPrompt', 'userCustomer']
  expect(results.flatMap(({ name }, i) => (owned[i] ? [name] : [])).sort()).toEqual(
    [...tables.map(({ table }) => table), 'member', 'teamMember', ...elsewhere].sort(),
  )
})

describe('everything moves', () => {
  test('to a new account, by a code', async () => {
    const { browser, userId } = await givenGuest()
    const account = await signInByCode(browser, 'new-by-code@linking.test')
    await expectMoved(userId, account.userId)
    expect(await all('setting', 'userId', account.userId)).toMatchObject([
      { id: account.userId, theme: 'paper', nickname: 'Ada', pinnedModels: '["gpt-4o-mini","kimi-k2"]' },
    ])
    expect(await all('usage', 'userId', account.userId)).toMatchObject([{ credits: 5, search: 1, day: today }])
    const { user } = await browser.json<SessionBody>('/api/auth/get-session')
    expect(user).toMatchObject({ id: account.userId, isAnonymous: false })
  })

  test('to an existing account, by a link: its settings stay, its pins come first, and the use adds up', async () => {
    const email = 'known-by-link@linking.test'
    const { userId: accountId } = await signInByCode(new Browser(), email)
    await content
      .prepare("update setting set theme = 'mono', pinnedModels = ? where userId = ?")
      .bind(JSON.stringify(['claude-4.6-sonnet', 'kimi-k2']), accountId)
      .run()
    await insert(content, 'creditLedger', ledgerRow(accountId, newId(), 'reserve', { credits: 17, day: today }))
    const { browser, userId } = await givenGuest()
    await browser.json('/api/auth/sign-in/magic-link', { body: { email, callbackURL: '/' } })
    const link = new URL(await linkFor(email))
    expect((await submitLink(browser, link)).status).toBe(302)
    await expectMoved(userId, accountId)
    expect(await all('setting', 'userId', accountId)).toMatchObject([
      { theme: 'mono', nickname: 'Ada', pinnedModels: '["claude-4.6-sonnet","kimi-k2","gpt-4o-mini"]' },
    ])
    // More than the daily limit: the use is neither reset nor reduced.
    expect(await all('usage', 'userId', accountId)).toMatchObject([{ credits: 22, search: 1, day: today }])
  })

  test('defaults of a guest change nothing', async () => {
    const { browser } = await guest()
    const { userId } = await signInByCode(browser, 'plain@linking.test')
    expect(await all('setting', 'userId', userId)).toMatchObject([
      { mode: 'dark', theme: 'default', nickname: null, pinnedModels: JSON.stringify(defaultPins) },
    ])
    expect(await all('usage', 'userId', userId)).toMatchObject([{ credits: 0, day: null }])
  })
})

describe('complete or unchanged', () => {
  const user = async () => ({
    ...(await givenGuest()),
    account: await signInByCode(new Browser(), `${newId().toLowerCase()}@linking.test`),
  })

  test('a crash before any of its statements changes nothing', async () => {
    const { userId, account } = await user()
    const before = await everythingOf(userId, account.userId)
    const pair = { guestId: userId, accountId: account.userId }
    const crash = content.prepare("insert into thread (id, userId, createdAt, updatedAt) values (null, '', 1, 1)")
    let count = 0
    const batchUntil = (done: number) => (statements: D1PreparedStatement[]) => {
      count = statements.length
      return content.batch([...statements.slice(0, done), crash])
    }
    for (let done = 0; done <= count; done++) {
      const crashing = { prepare: (text: string) => content.prepare(text), batch: batchUntil(done) } as unknown as D1Database
      await expect(linkGuest({ ...env, CONTENT_DB_2: crashing }, pair, 1)).rejects.toThrow('NOT NULL')
      expect(await everythingOf(userId, account.userId), `after ${done} statements`).toBe(before)
    }
    // The statements for the directory follow in a separate batch.
    expect(count).toBeGreaterThan(15)
    await linkGuest(env, pair, 1)
    await expectMoved(userId, account.userId)
  })

  test('repeating one whose response was lost changes nothing', async () => {
    const { userId, account } = await user()
    const watched = {
      faults: ['response-lost' as const],
      batches: [],
      singles: [],
      gate: null,
      sticksAt: null,
      hasStuck: false,
      failsAtBatch: null,
      holdsAnswers: false,
      heldAnswers: [],
    }
    const pair = { guestId: userId, accountId: account.userId }
    await expect(linkGuest({ ...env, CONTENT_DB_2: watchDb(content, watched) }, pair, 1)).rejects.toThrow('Network connection lost')
    const moved = await all('thread', 'userId', account.userId)
    expect(moved).toHaveLength(1)
    await linkGuest(env, pair, 2)
    await expectMoved(userId, account.userId)
    const after = await everythingOf(userId, account.userId)
    await linkGuest(env, pair, 3)
    expect(await everythingOf(userId, account.userId)).toBe(after)
    expect(await all('thread', 'userId', account.userId)).toEqual(moved)
  })

  test('the first of two concurrent accounts gets everything', async () => {
    const { userId, account } = await user()
    const other = await signInByCode(new Browser(), 'second@linking.test')
    await Promise.all([account.userId, other.userId].map((accountId) => linkGuest(env, { guestId: userId, accountId }, 1)))
    await expectMoved(userId, account.userId)
    expect(await all('thread', 'userId', other.userId)).toEqual([])
  })

  test('a sign-in whose account linking fails creates no session, and works when it is repeated', async () => {
    const { browser, userId } = await givenGuest()
    const email = 'fails@linking.test'
    await content.prepare("create trigger broken before update of userId on thread begin select raise(abort, 'row_too_large'); end").run()
    await browser.json('/api/auth/email-otp/send-verification-otp', { body: { email, type: 'sign-in' } })
    const logged = vi.spyOn(console, 'error').mockImplementation(() => undefined)
    const failed = await browser.call('/api/auth/sign-in/email-otp', { body: { email, otp: await codeFor(email) } })
    expect([failed.status, failed.headers.getSetCookie()]).toEqual([500, []])
    expect(await failed.json()).toMatchObject({ error: { code: 'NOT_MOVED' } })
    // One log line with the request id and without user data.
    const lines = logged.mock.calls.map(([line]) => JSON.parse(String(line)))
    logged.mockRestore()
    expect(lines).toMatchObject([
      { event: 'auth_failed', requestId: failed.headers.get('x-request-id'), path: '/api/auth/sign-in/email-otp' },
    ])
    expect(JSON.stringify(lines)).not.toMatch(new RegExp(`${email}|${userId}|SERVER_ERROR`))
    await content.prepare('drop trigger broken').run()
    const { user } = await browser.json<SessionBody>('/api/auth/get-session')
    expect(user.id).toBe(userId)
    expect(await all('thread', 'userId', userId)).toHaveLength(1)
    const account = await signInByCode(browser, email)
    expect(await all('session', 'userId', account.userId)).toHaveLength(1)
    await expectMoved(userId, account.userId)
  })
})

describe('a streaming answer', () => {
  const handed = async (text: string) => {
    const { browser, userId: guestId } = await guest()
    const command = await givenTurn(text)
    const { userId: accountId } = await signInByCode(new Browser(), `${newId().toLowerCase()}@linking.test`)
    // The turn becomes this guest's: the helper's rows have no user in the directory.
    await linkGuest(env, { guestId: command.userId, accountId: guestId }, 1)
    const asked = { ...command, userId: guestId }
    return { command: asked, browser, guestId, accountId, moved: { ...asked, userId: accountId } }
  }

  test('continues, is read by the account from the guest’s position, and is charged to the account', async () => {
    const { command, guestId, accountId, moved } = await handed('/demo chunks=60 delay=10')
    await generationOf(command).start(command)
    const first = await readEvents(await openStream(command), (events) => events.length > 5)
    await linkGuest(env, { guestId, accountId }, 2)
    const rest = await readEvents(await openStream(moved, 6))
    expect(rest.at(-1)).toEqual({ type: 'end', ending: 'completed' })
    expect(textIn(partsOf([...first.slice(0, 6), ...rest]))).toBe(words(60))
    await untilEnded(command)
    const record = await recordOf(moved)
    expect(record).toMatchObject({
      ...{ thread: { status: 'ready', headId: command.generationId }, generation: { status: 'completed' }, answers: 1 },
      ...{ ledger: [{ kind: 'reserve' }, { kind: 'settle' }], usage: { credits: 3 } },
    })
    expect(await all('message', 'userId', accountId)).toHaveLength(2)
  })

  test('is stopped by the account, which is charged for the request', async () => {
    const { command, guestId, accountId, moved } = await handed('/demo chunks=2 delay=30000')
    await generationOf(command).start(command)
    await linkGuest(env, { guestId, accountId }, 2)
    await generationOf(command).stop(command.generationId, accountId)
    await untilEnded(command)
    expect(await recordOf(moved)).toMatchObject({ generation: { status: 'stopped' }, usage: { credits: 3 }, thread: { status: 'ready' } })
  })

  test('still reads the guest’s attachments: its later calls send the files again', async () => {
    const { userId: guestId } = await givenGuest()
    const [file] = await all('attachment', 'userId', guestId)
    const id = String(file?.id)
    await env.FILES?.put(`files/${id}`, 'a picture')
    const { userId: accountId } = await signInByCode(new Browser(), 'with-files@linking.test')
    const open = filesOfUser(env, guestId)(id)
    await linkGuest(env, { guestId, accountId }, 1)
    expect(await new Response(await open()).text()).toBe('a picture')
    await expect(filesOfUser(env, newId())(id)()).rejects.toThrow(MissingFileError)
  })
})

describe('open browsers', () => {
  test('the guest is disconnected and the account connects at once; writes of the guest are refused and leave nothing', async () => {
    const { browser, userId } = await givenGuest()
    const email = 'live@linking.test'
    const laptop = new Browser()
    const { userId: accountId } = await signInByCode(laptop, email)
    const [tab, other] = await Promise.all(
      [tokenOf(browser), tokenOf(browser)].map(async (token) => connected({ userId, token: await token })),
    )
    const onLaptop = await connected({ userId: accountId, token: await tokenOf(laptop) }, { queries: [threadList] })
    if (!tab || !other) throw new Error('two tabs')
    const threadId = newId()
    await signInByCode(browser, email)
    await onLaptop.until(() => onLaptop.rowsOf('thread').length === 1, 'the thread of the guest')
    tab.push([{ name: 'threads.rename', args: { threadId, title: 'too late' } }])
    expect(await tab.receives('error')).toMatchObject({ kind: 'Unauthorized' })
    expect(await other.receives('error')).toMatchObject({ kind: 'Unauthorized' })
    expect(await all('clientProgress', 'userId', userId)).toEqual([])
    const again = await connectWire({ userId, token: '' }, { token: await tokenOf(browser) })
    expect(await again.receives('error')).toMatchObject({ kind: 'Unauthorized' })
    const asAccount = await connected({ userId: accountId, token: await tokenOf(browser) }, { queries: [threadList] })
    expect(asAccount.rowsOf('thread')).toHaveLength(1)
  })
})

// A guest signs in to an account whose storage is full: nothing moves, nothing is lost, and an empty guest is not locked out.
import { expect, test } from 'vitest'
import { storedContentRows } from '../../../worker/contract/limits.ts'
import { insert, messageRow, threadRow } from '../../support/rows.ts'
import { auditOnly } from '../audit.ts'
import { content, databaseOf } from '../bindings.ts'
import { Browser, codeFor, guest, linkFor, type SessionBody, signInByCode, submitLink } from './browser.ts'

auditOnly('ledger')

const rowsOf = (userId: string) => content.prepare('select rows from contentUse where userId = ?').bind(userId).first<number>('rows')
const setRows = (userId: string, rows: number) =>
  content.prepare('update contentUse set rows = ? where userId = ?').bind(rows, userId).run()

async function givenFullAccount(email: string): Promise<string> {
  const { userId } = await signInByCode(new Browser(), email)
  await insert(content, 'thread', threadRow(userId))
  await setRows(userId, storedContentRows.free + 1)
  return userId
}

async function givenGuest() {
  const { browser, userId } = await guest()
  const thread = threadRow(userId)
  await insert(content, 'thread', thread)
  await insert(content, 'message', messageRow(userId, String(thread.id)))
  return { browser, userId }
}

const everythingOf = async (userId: string) =>
  JSON.stringify(
    await Promise.all(
      ['user', 'thread', 'message', 'setting', 'usage', 'contentUse', 'session'].map(async (table) => {
        const owner = table === 'user' ? 'id' : 'userId'
        return (await databaseOf(table).prepare(`select * from ${table} where ${owner} = ?`).bind(userId).all()).results
      }),
    ),
  )

test('a code is refused, a link redirects to the login page, and the guest is unchanged', async () => {
  const email = 'full@account.test'
  const accountId = await givenFullAccount(email)
  const { browser, userId } = await givenGuest()
  const before = await everythingOf(userId)
  await browser.json('/api/auth/email-otp/send-verification-otp', { body: { email, type: 'sign-in' } })
  const refused = await browser.call('/api/auth/sign-in/email-otp', { body: { email, otp: await codeFor(email) } })
  expect([refused.status, refused.headers.getSetCookie()]).toEqual([409, []])
  expect(await refused.json()).toMatchObject({ error: { code: 'ACCOUNT_FULL' } })
  await browser.json('/api/auth/sign-in/magic-link', { body: { email, callbackURL: '/' } })
  const link = new URL(await linkFor(email))
  const followed = await submitLink(browser, link)
  expect(followed.headers.get('location')).toMatch(/\/login\?error=ACCOUNT_FULL$/)
  expect(await everythingOf(userId)).toBe(before)
  expect((await browser.json<SessionBody>('/api/auth/get-session')).user.id).toBe(userId)

  // When the account has space again, the same guest moves.
  await setRows(accountId, 1)
  await signInByCode(browser, email)
  expect([await rowsOf(userId), await rowsOf(accountId)]).toEqual([null, 3])
})

test('a browser whose guest has no content still reaches the account', async () => {
  const email = 'full-but-reached@account.test'
  const accountId = await givenFullAccount(email)
  const { browser } = await guest()
  expect((await signInByCode(browser, email)).userId).toBe(accountId)
})

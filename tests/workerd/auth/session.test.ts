// A session from start to end, over HTTP, against the built Worker.
import { expect, test } from 'vitest'
import { idSchema } from '../../../worker/contract/ids.ts'
import { defaultModelId, defaultPins } from '../../../worker/contract/models/model-choice.ts'
import { content, databaseOf, env } from '../bindings.ts'
import { Browser, codeFor, guest, linkFor, type OutboxBody, origin, type SessionBody, signInByCode, submitLink } from './browser.ts'

const rowsOf = async (table: string, userId: string) =>
  (await databaseOf(table).prepare(`select * from ${table} where userId = ?`).bind(userId).all()).results

test('a login works in a browser whose session has ended', async () => {
  const { browser, userId } = await guest()
  await env.DB.prepare('delete from session where userId = ?').bind(userId).run()
  const account = await signInByCode(browser, 'ended@session.test')
  expect(account.userId).not.toBe(userId)
  expect((await browser.json<SessionBody>('/api/auth/get-session')).user.id).toBe(account.userId)

  await env.DB.prepare('delete from session where userId = ?').bind(account.userId).run()
  await browser.json('/api/auth/sign-in/magic-link', { body: { email: 'ended@session.test', callbackURL: '/' } })
  await submitLink(browser, new URL(await linkFor('ended@session.test')))
  expect((await browser.json<SessionBody>('/api/auth/get-session')).user.id).toBe(account.userId)
})

test('a new visitor has no session', async () => {
  const response = await new Browser().call('/api/auth/get-session')
  expect(response.status).toBe(200)
  expect(await response.json()).toBeNull()
})

test('a guest has a user, a generated name, a setting and a usage row, and needs no other login', async () => {
  const { userId, name } = await guest()
  expect(idSchema.safeParse(userId).success).toBe(true)
  expect(name).toMatch(/^[A-Z][a-z]+ [A-Z][a-z]+$/)
  expect(await env.DB.prepare('select isAnonymous, emailVerified from user where id = ?').bind(userId).first()).toEqual({
    isAnonymous: 1,
    emailVerified: 0,
  })
  expect(await rowsOf('setting', userId)).toEqual([
    {
      id: userId,
      userId,
      mode: 'dark',
      theme: 'default',
      nickname: null,
      biography: null,
      instructions: null,
      modelId: defaultModelId,
      pinnedModels: JSON.stringify(defaultPins),
      language: null,
      isMemoryOn: null,
      dailyCreditLimit: null,
      monthlyCreditLimit: null,
    },
  ])
  expect(await rowsOf('usage', userId)).toEqual([
    {
      id: userId,
      userId,
      credits: 0,
      search: 0,
      research: 0,
      day: null,
      contentBytes: 0,
      contentRows: 0,
      forks: 0,
      forkDay: null,
      mutations: 0,
      mutationDay: null,
      dailyCreditLimit: null,
      monthlyCreditLimit: null,
      monthStart: null,
      monthCredits: 0,
    },
  ])
})

test('a missing row is restored at the next sign-in, and existing ones are kept', async () => {
  const email = 'healed@example.test'
  const { userId } = await signInByCode(new Browser(), email)
  await content.prepare("update setting set theme = 'paper' where userId = ?").bind(userId).run()
  await content.prepare('delete from usage where userId = ?').bind(userId).run()
  await signInByCode(new Browser(), email)
  expect(await rowsOf('usage', userId)).toHaveLength(1)
  expect(await rowsOf('setting', userId)).toMatchObject([{ theme: 'paper' }])
})

test('times are integer milliseconds', async () => {
  const { userId } = await guest()
  const session = await env.DB.prepare('select typeof(createdAt) type, expiresAt, createdAt from session where userId = ?')
    .bind(userId)
    .first<{
      type: string
      expiresAt: number
      createdAt: number
    }>()
  expect(session?.type).toBe('integer')
  expect(Math.abs((session?.createdAt ?? 0) - Date.now())).toBeLessThan(60_000)
  const days = ((session?.expiresAt ?? 0) - (session?.createdAt ?? 0)) / 86_400_000
  expect(days).toBeCloseTo(365, 1)
})

test('signing out ends the session on the server at once', async () => {
  const { browser, userId } = await guest()
  const stolen = browser.cookie
  await browser.json('/api/auth/sign-out', { body: {} })
  expect(await rowsOf('session', userId)).toEqual([])
  const thief = await new Browser().call('/api/auth/get-session', { headers: { cookie: stolen } })
  expect(await thief.json()).toBeNull()
})

test('a revoked session is refused by the next call', async () => {
  const email = 'two-devices@example.test'
  const [phone, laptop] = [new Browser(), new Browser()]
  await signInByCode(phone, email)
  await signInByCode(laptop, email)
  const { session } = await phone.json<SessionBody>('/api/auth/get-session')
  await laptop.json('/api/auth/revoke-session', { body: { token: session.token } })
  expect(await (await phone.call('/api/auth/get-session')).json()).toBeNull()
  expect(await (await laptop.call('/api/auth/get-session')).json()).not.toBeNull()
})

test('an email code signs in once; a wrong one never does', async () => {
  const email = 'code@example.test'
  const browser = new Browser()
  await browser.json('/api/auth/email-otp/send-verification-otp', { body: { email, type: 'sign-in' } })
  const code = await codeFor(email)
  const wrong = code === '000000' ? '000001' : '000000'
  expect((await browser.call('/api/auth/sign-in/email-otp', { body: { email, otp: wrong } })).status).toBe(400)
  const { user } = await browser.json<SessionBody>('/api/auth/sign-in/email-otp', { body: { email, otp: code } })
  expect(user).toMatchObject({ name: 'code', email, emailVerified: true })
  expect((await new Browser().call('/api/auth/sign-in/email-otp', { body: { email, otp: code } })).status).toBe(400)
  const stored = await env.DB.prepare('select value from verification').all<{ value: string }>()
  for (const { value } of stored.results) expect(value).not.toContain(code)
})

test('a magic link signs in once', async () => {
  const email = 'link@example.test'
  const browser = new Browser()
  await browser.json('/api/auth/sign-in/magic-link', { body: { email, callbackURL: '/account' } })
  const { mails } = await browser.json<OutboxBody>('/api/outbox')
  const mail = mails.find(({ to }) => to === email)
  expect(mail?.subject).toBe('Your magic link')
  const link = new URL(mail?.body.match(/http\S+/)?.[0] ?? '')
  const first = await submitLink(browser, link)
  expect([first.status, first.headers.get('location')]).toEqual([302, `${origin}/account`])
  expect(await browser.json<SessionBody>('/api/auth/get-session')).toMatchObject({ user: { email, isAnonymous: false } })
  const again = await submitLink(new Browser(), link)
  expect(again.headers.get('location')).toMatch(/error=/)
})

test('a guest cannot be deleted by an accidental call', async () => {
  const { browser, userId } = await guest()
  expect((await browser.call('/api/auth/delete-anonymous-user', { body: {} })).status).toBe(400)
  expect(await env.DB.prepare('select id from user where id = ?').bind(userId).first()).not.toBeNull()
})

test('a call with a cookie from another origin is refused', async () => {
  const { browser } = await guest()
  const response = await browser.call('/api/auth/sign-out', { body: {}, headers: { origin: 'https://evil.example' } })
  expect(response.status).toBe(403)
})

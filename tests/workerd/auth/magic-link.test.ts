// A magic link is used by the form of its landing page, never by opening an address of the mail.
import { expect, test } from 'vitest'
import { env } from '../bindings.ts'
import { Browser, codeFor, linkFor, type OutboxBody, origin, readMagicLink, type SessionBody, signInByCode, submitLink } from './browser.ts'

async function requestLink(email: string): Promise<{ browser: Browser; link: URL }> {
  const browser = new Browser()
  await browser.json('/api/auth/sign-in/magic-link', {
    body: { email, callbackURL: '/account', errorCallbackURL: '/login?callbackUrl=%2Faccount' },
  })
  return { browser, link: new URL(await linkFor(email)) }
}

const scanner = () => new Browser()

test('GET and HEAD of every address in the mail leave the link usable; one POST uses it and a second is refused', async () => {
  const email = 'scanned@link.test'
  const { browser, link } = await requestLink(email)
  const { mails } = await browser.json<OutboxBody>('/api/outbox')
  const addresses = (mails.find(({ to }) => to === email)?.body.match(/https?:\/\/\S+/g) ?? []).map((address) => new URL(address))
  expect(addresses.map(({ pathname }) => pathname)).toEqual(['/magic-link'])
  const verify = new URL(`/api/auth/magic-link/verify${link.search}`, origin)
  for (const { pathname, search } of [...addresses, ...addresses, verify, verify])
    for (const method of ['GET', 'HEAD']) {
      const answer = await scanner().call(pathname + search, { method })
      expect([method, pathname, answer.status]).toEqual([method, pathname, pathname === '/magic-link' ? 200 : 404])
      expect(answer.headers.getSetCookie()).toEqual([])
    }
  const used = await submitLink(browser, link)
  expect([used.status, used.headers.get('location')]).toEqual([302, `${origin}/account`])
  expect(used.headers.getSetCookie().join()).toMatch(/better-auth\.known_[0-9a-f]{16}=.*HttpOnly/)
  expect(await browser.json<SessionBody>('/api/auth/get-session')).toMatchObject({ user: { email } })
  const again = await submitLink(scanner(), link)
  expect(again.headers.get('location')).toBe(`${origin}/login?callbackUrl=%2Faccount&error=INVALID_TOKEN`)
  expect(again.headers.getSetCookie()).toEqual([])
})

test('the landing page names the account, and states that a link has expired', async () => {
  const email = 'named@link.test'
  const { browser, link } = await requestLink(email)
  expect(await readMagicLink(browser, link)).toEqual({ email, isForeign: false, isOwnAccount: false, proof: null })
  expect(await readMagicLink(browser, new URL('/magic-link', origin))).toBeNull()
  await env.DB.prepare('update verification set expiresAt = ?')
    .bind(Date.now() - 1)
    .run()
  expect(await readMagicLink(browser, link)).toMatchObject({ email: null })
  expect((await submitLink(browser, link)).headers.get('location')).toContain('/login?')
  expect(await readMagicLink(browser, new URL('/magic-link?token=made-up', origin))).toMatchObject({ email: null })
})

test.each(['https://evil.example', 'null', `${origin}.evil.example`, ''])('refuses a form from origin %j', async (from) => {
  const { browser, link } = await requestLink('crossed@link.test')
  const answer = await submitLink(browser, link, { origin: from })
  expect([answer.status, answer.headers.getSetCookie()]).toEqual([403, []])
  expect((await submitLink(browser, link)).status).toBe(302)
})

test.each([new URLSearchParams(), new URLSearchParams({ guest: 'x' })])('refuses a form without a token', async (form) => {
  expect((await new Browser().call('/api/auth/magic-link/verify', { form })).status).toBe(400)
})

test.each(['%', '%E0%A4%A', '/a%b', '//evil.example', 'javascript:alert(1)'])(
  'a callback URL of %j ends on a page of the product',
  async (callbackURL) => {
    const { browser, link } = await requestLink('odd@link.test')
    link.searchParams.set('callbackURL', callbackURL)
    const location = (await submitLink(browser, link)).headers.get('location') ?? ''
    expect(new URL(location, origin).origin).toBe(origin)
    expect(await browser.json<SessionBody>('/api/auth/get-session')).toMatchObject({ user: { email: 'odd@link.test' } })
  },
)

test('the landing page recognises a used link of the signed-in account, but of no other account', async () => {
  const email = 'Own@link.test'
  const { browser, link } = await requestLink(email)
  const otherUser = new Browser()
  await signInByCode(otherUser, 'other@link.test')
  expect(await readMagicLink(otherUser, link)).toMatchObject({ isOwnAccount: false })
  await submitLink(browser, link)
  expect(await readMagicLink(browser, link)).toMatchObject({ email: null, isOwnAccount: true })
  expect(await readMagicLink(otherUser, link)).toMatchObject({ email: null, isOwnAccount: false })
  expect(await readMagicLink(new Browser(), link)).toMatchObject({ email: null, isOwnAccount: false })
  link.searchParams.set('account', 'made-up')
  expect(await readMagicLink(browser, link)).toMatchObject({ isOwnAccount: false })
})

test('an address with an umlaut logs in by link and by code, into one account however it is typed', async () => {
  const stored = 'jürgen.müller@link.test'
  const { browser, link } = await requestLink(stored)
  expect((await submitLink(browser, link)).status).toBe(302)
  const { user } = await browser.json<SessionBody>('/api/auth/get-session')
  expect(user).toMatchObject({ email: stored })
  for (const typed of ['JÜRGEN.MÜLLER@link.test', stored.normalize('NFD')]) {
    const other = new Browser()
    await other.json('/api/auth/email-otp/send-verification-otp', { body: { email: typed, type: 'sign-in' } })
    const signedIn = await other.json<{ user: { id: string } }>('/api/auth/sign-in/email-otp', {
      body: { email: typed, otp: await codeFor(stored) },
    })
    expect(signedIn.user.id).toBe(user.id)
  }
  const refused = await new Browser().call('/api/auth/sign-in/magic-link', { body: { email: 'jürgen müller@link.test' } })
  expect([refused.status, await refused.json()]).toMatchObject([400, { code: 'INVALID_EMAIL' }])
})

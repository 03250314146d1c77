// Attacks on sign-in: other sites, foreign links, used codes, address enumeration, invalid profiles.
import { describe, expect, test } from 'vitest'
import { insert, threadRow } from '../../support/rows.ts'
import { content } from '../bindings.ts'
import { Browser, codeFor, guest, linkFor, origin, readMagicLink, type SessionBody, signInByCode, submitLink } from './browser.ts'

const who = async (browser: Browser) => (await (await browser.call('/api/auth/get-session')).json()) as SessionBody | null

describe('redirects after sign-in', () => {
  const foreign = ['https://evil.example', '//evil.example', '/\\evil.example', 'javascript:alert(1)', 'https://localhost.evil.example/']
  test.each(foreign)('%s is refused in the request', async (callbackURL) => {
    for (const [path, body] of [
      ['/api/auth/sign-in/magic-link', { email: 'a@open.test', callbackURL }],
      ['/api/auth/sign-in/magic-link', { email: 'a@open.test', callbackURL: '/', errorCallbackURL: callbackURL }],
      ['/api/auth/sign-in/social', { provider: 'github', callbackURL }],
    ] as const) {
      const answer = await new Browser().call(path, { body })
      expect(answer.status).toBe(403)
      expect(await answer.json()).toMatchObject({ error: { code: expect.stringMatching(/^INVALID_.*CALLBACK_?URL$/) } })
    }
  })

  test('a link with a changed callback URL redirects to a page of the product', async () => {
    const email = 'changed@open.test'
    const browser = new Browser()
    await browser.json('/api/auth/sign-in/magic-link', { body: { email, callbackURL: '/' } })
    const link = new URL(await linkFor(email))
    link.searchParams.set('callbackURL', 'https://evil.example')
    expect((await submitLink(browser, link)).headers.get('location')).toBe(`${origin}/`)
    link.searchParams.set('errorCallbackURL', '//evil.example')
    expect((await submitLink(new Browser(), link)).headers.get('location')).toBe(`${origin}/login?error=INVALID_TOKEN`)
  })
})

test('another site can neither sign a browser in or out, nor delete its data', async () => {
  const { browser } = await guest()
  for (const path of ['sign-out', 'delete-user', 'sign-in/anonymous', 'sign-in/magic-link', 'revoke-sessions', 'update-user']) {
    const body = { email: 'a@b.test', name: 'x' }
    const answer = await browser.call(`/api/auth/${path}`, { body, headers: { origin: 'https://evil.example' } })
    expect([path, answer.status]).toEqual([path, 403])
  }
  expect(await who(browser)).not.toBeNull()
})

test('a session from before signing in is invalid afterwards', async () => {
  const { browser } = await guest()
  const planted = browser.cookie
  const { userId } = await signInByCode(browser, 'fixation@open.test')
  expect((await who(browser))?.user.id).toBe(userId)
  const thief = await new Browser().call('/api/auth/get-session', { headers: { cookie: planted } })
  expect(await thief.json()).toBeNull()
})

describe('a link that another browser requested', () => {
  const given = async (email: string) => {
    const thief = new Browser()
    await thief.json('/api/auth/sign-in/magic-link', { body: { email, callbackURL: '/' } })
    return new URL(await linkFor(email))
  }

  test('requires the consent of a guest on the landing page before it moves threads', async () => {
    const link = await given('thief@open.test')
    const { browser, userId } = await guest()
    await insert(content, 'thread', threadRow(userId))
    const asked = new URL((await submitLink(browser, link)).headers.get('location') ?? '')
    expect([asked.pathname, asked.searchParams.get('guest')]).toEqual(['/magic-link', null])
    expect((await who(browser))?.user.id).toBe(userId)
    const shown = await readMagicLink(browser, asked)
    expect(shown).toMatchObject({ email: 'thief@open.test', isForeign: true })
    asked.searchParams.set('guest', shown?.proof ?? '')
    // The proof is bound to this guest and this link.
    const reused = await submitLink((await guest()).browser, asked)
    expect(reused.headers.get('location')).toContain('/magic-link?')
    const agreed = await submitLink(browser, asked)
    expect(agreed.headers.get('location')).toBe(`${origin}/`)
    expect((await who(browser))?.user).toMatchObject({ isAnonymous: false })
  })

  test('does not switch a signed-in account without consent', async () => {
    const link = await given('somebody-else@open.test')
    const browser = new Browser()
    const { userId } = await signInByCode(browser, 'victim@open.test')
    expect((await submitLink(browser, link)).headers.get('location')).toContain('/magic-link?')
    expect((await who(browser))?.user.id).toBe(userId)
  })

  test('works without a warning if no session exists, and for the user who requested it', async () => {
    const link = await given('own-phone@open.test')
    const signedOut = new Browser()
    expect(await readMagicLink(signedOut, link)).toEqual({
      email: 'own-phone@open.test',
      isForeign: false,
      isOwnAccount: false,
      proof: null,
    })
    expect((await submitLink(signedOut, link)).headers.get('location')).toBe(`${origin}/`)
    expect((await who(signedOut))?.user).toMatchObject({ isAnonymous: false })
    await signedOut.json('/api/auth/sign-in/magic-link', { body: { email: 'own-other@open.test', callbackURL: '/' } })
    const own = new URL(await linkFor('own-other@open.test'))
    expect(await readMagicLink(signedOut, own)).toMatchObject({ isForeign: false })
    expect((await submitLink(signedOut, own)).headers.get('location')).toBe(`${origin}/`)
    expect((await who(signedOut))?.user).toMatchObject({ email: 'own-other@open.test' })
  })
})

describe('codes and links', () => {
  test('a mail has both, a new mail invalidates the old code, and a second use is refused', async () => {
    const email = 'both@open.test'
    const browser = new Browser()
    const ask = () => browser.json('/api/auth/sign-in/magic-link', { body: { email, callbackURL: '/' } })
    await ask()
    const old = await codeFor(email)
    await ask()
    const code = await codeFor(email)
    const tryCode = (otp: string) => new Browser().call('/api/auth/sign-in/email-otp', { body: { email, otp } })
    if (old !== code) expect((await tryCode(old)).status).toBe(400)
    expect((await tryCode(code)).status).toBe(200)
    const again = await tryCode(code)
    expect(await again.json()).toMatchObject({
      error: { code: 'INVALID_OTP' },
    })
  })

  test('of two concurrent uses of one code, one succeeds', async () => {
    const email = 'race@open.test'
    await new Browser().json('/api/auth/email-otp/send-verification-otp', { body: { email, type: 'sign-in' } })
    const otp = await codeFor(email)
    const answers = await Promise.all([1, 2, 3, 4].map(() => new Browser().call('/api/auth/sign-in/email-otp', { body: { email, otp } })))
    expect(answers.filter(({ ok }) => ok)).toHaveLength(1)
  })
})

test('every address gets the same response and a mail, so that accounts cannot be discovered', async () => {
  await signInByCode(new Browser(), 'known@open.test')
  const ask = async (path: string, email: string) => {
    const answer = await new Browser().call(path, { body: { email, type: 'sign-in', callbackURL: '/' } })
    return { status: answer.status, body: await answer.text() }
  }
  for (const path of ['/api/auth/sign-in/magic-link', '/api/auth/email-otp/send-verification-otp'])
    expect(await ask(path, 'known@open.test')).toEqual(await ask(path, 'unknown@open.test'))
  const wrong = async (email: string) => {
    const answer = await new Browser().call('/api/auth/sign-in/email-otp', { body: { email, otp: '12345x' } })
    return { status: answer.status, body: await answer.json() }
  }
  expect(await wrong('known@open.test')).toEqual(await wrong('unknown@open.test'))
  for (const path of ['sign-in/email', 'sign-up/email', 'request-password-reset', 'email-otp/check-verification-otp'])
    expect(
      (await new Browser().call(`/api/auth/${path}`, { body: { email: 'known@open.test', password: 'x', name: 'x', otp: '1' } })).status,
    ).toBe(404)
})

test('every refusal has the same form', async () => {
  const answer = await new Browser().call('/api/auth/update-user', { body: { name: 'x' } })
  const unauthorized = { code: 'UNAUTHORIZED' }
  expect([answer.status, await answer.json()]).toEqual([401, { error: unauthorized, ...unauthorized }])
})

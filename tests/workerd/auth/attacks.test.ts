// Attacks on sign-in: other sites, foreign links, used codes, address enumeration, invalid profiles.
import { describe, expect, test } from 'vitest'
import { insert, threadRow } from '../../support/rows.ts'
import { content } from '../bindings.ts'
import { codeFor, guest, linkFor, origin, Person, readMagicLink, type SessionBody, signInByCode, submitLink } from './person.ts'

const who = async (person: Person) => (await (await person.call('/api/auth/get-session')).json()) as SessionBody | null

describe('redirects after sign-in', () => {
  const foreign = ['https://evil.example', '//evil.example', '/\\evil.example', 'javascript:alert(1)', 'https://localhost.evil.example/']
  test.each(foreign)('%s is refused in the request', async (callbackURL) => {
    for (const [path, body] of [
      ['/api/auth/sign-in/magic-link', { email: 'a@open.test', callbackURL }],
      ['/api/auth/sign-in/magic-link', { email: 'a@open.test', callbackURL: '/', errorCallbackURL: callbackURL }],
      ['/api/auth/sign-in/social', { provider: 'github', callbackURL }],
    ] as const) {
      const answer = await new Person().call(path, { body })
      expect(answer.status).toBe(403)
      expect(await answer.json()).toMatchObject({ error: { code: expect.stringMatching(/^INVALID_.*CALLBACK_?URL$/) } })
    }
  })

  test('a link with a changed callback URL redirects to a page of the product', async () => {
    const email = 'changed@open.test'
    const person = new Person()
    await person.json('/api/auth/sign-in/magic-link', { body: { email, callbackURL: '/' } })
    const link = new URL(await linkFor(email))
    link.searchParams.set('callbackURL', 'https://evil.example')
    expect((await submitLink(person, link)).headers.get('location')).toBe(`${origin}/`)
    link.searchParams.set('errorCallbackURL', '//evil.example')
    expect((await submitLink(new Person(), link)).headers.get('location')).toBe(`${origin}/login?error=INVALID_TOKEN`)
  })
})

test('another site can neither sign a browser in or out, nor delete its data', async () => {
  const { person } = await guest()
  for (const path of ['sign-out', 'delete-user', 'sign-in/anonymous', 'sign-in/magic-link', 'revoke-sessions', 'update-user']) {
    const body = { email: 'a@b.test', name: 'x' }
    const answer = await person.call(`/api/auth/${path}`, { body, headers: { origin: 'https://evil.example' } })
    expect([path, answer.status]).toEqual([path, 403])
  }
  expect(await who(person)).not.toBeNull()
})

test('a session from before signing in is invalid afterwards', async () => {
  const { person } = await guest()
  const planted = person.cookie
  const { userId } = await signInByCode(person, 'fixation@open.test')
  expect((await who(person))?.user.id).toBe(userId)
  const thief = await new Person().call('/api/auth/get-session', { headers: { cookie: planted } })
  expect(await thief.json()).toBeNull()
})

describe('a link that another browser requested', () => {
  const given = async (email: string) => {
    const thief = new Person()
    await thief.json('/api/auth/sign-in/magic-link', { body: { email, callbackURL: '/' } })
    return new URL(await linkFor(email))
  }

  test('requires the consent of a guest on the landing page before it moves threads', async () => {
    const link = await given('thief@open.test')
    const { person, userId } = await guest()
    await insert(content, 'thread', threadRow(userId))
    const asked = new URL((await submitLink(person, link)).headers.get('location') ?? '')
    expect([asked.pathname, asked.searchParams.get('guest')]).toEqual(['/magic-link', null])
    expect((await who(person))?.user.id).toBe(userId)
    const shown = await readMagicLink(person, asked)
    expect(shown).toMatchObject({ email: 'thief@open.test', isForeign: true })
    asked.searchParams.set('guest', shown?.proof ?? '')
    // The proof is bound to this guest and this link.
    const borrowed = await submitLink((await guest()).person, asked)
    expect(borrowed.headers.get('location')).toContain('/magic-link?')
    const agreed = await submitLink(person, asked)
    expect(agreed.headers.get('location')).toBe(`${origin}/`)
    expect((await who(person))?.user).toMatchObject({ isAnonymous: false })
  })

  test('does not switch a signed-in account without consent', async () => {
    const link = await given('somebody-else@open.test')
    const person = new Person()
    const { userId } = await signInByCode(person, 'victim@open.test')
    expect((await submitLink(person, link)).headers.get('location')).toContain('/magic-link?')
    expect((await who(person))?.user.id).toBe(userId)
  })

  test('works without a warning if no session exists, and for the user who requested it', async () => {
    const link = await given('own-phone@open.test')
    const nobody = new Person()
    expect(await readMagicLink(nobody, link)).toEqual({ email: 'own-phone@open.test', isForeign: false, isOwnAccount: false, proof: null })
    expect((await submitLink(nobody, link)).headers.get('location')).toBe(`${origin}/`)
    expect((await who(nobody))?.user).toMatchObject({ isAnonymous: false })
    await nobody.json('/api/auth/sign-in/magic-link', { body: { email: 'own-other@open.test', callbackURL: '/' } })
    const own = new URL(await linkFor('own-other@open.test'))
    expect(await readMagicLink(nobody, own)).toMatchObject({ isForeign: false })
    expect((await submitLink(nobody, own)).headers.get('location')).toBe(`${origin}/`)
    expect((await who(nobody))?.user).toMatchObject({ email: 'own-other@open.test' })
  })
})

describe('codes and links', () => {
  test('a mail has both, a new mail invalidates the old code, and a second use is refused', async () => {
    const email = 'both@open.test'
    const person = new Person()
    const ask = () => person.json('/api/auth/sign-in/magic-link', { body: { email, callbackURL: '/' } })
    await ask()
    const old = await codeFor(email)
    await ask()
    const code = await codeFor(email)
    const tryCode = (otp: string) => new Person().call('/api/auth/sign-in/email-otp', { body: { email, otp } })
    if (old !== code) expect((await tryCode(old)).status).toBe(400)
    expect((await tryCode(code)).status).toBe(200)
    const again = await tryCode(code)
    expect(await again.json()).toMatchObject({
      error: { code: 'INVALID_OTP' },
    })
  })

  test('of two concurrent uses of one code, one succeeds', async () => {
    const email = 'race@open.test'
    await new Person().json('/api/auth/email-otp/send-verification-otp', { body: { email, type: 'sign-in' } })
    const otp = await codeFor(email)
    const answers = await Promise.all([1, 2, 3, 4].map(() => new Person().call('/api/auth/sign-in/email-otp', { body: { email, otp } })))
    expect(answers.filter(({ ok }) => ok)).toHaveLength(1)
  })
})

test('every address gets the same response and a mail, so that accounts cannot be discovered', async () => {
  await signInByCode(new Person(), 'known@open.test')
  const ask = async (path: string, email: string) => {
    const answer = await new Person().call(path, { body: { email, type: 'sign-in', callbackURL: '/' } })
    return { status: answer.status, body: await answer.text() }
  }
  for (const path of ['/api/auth/sign-in/magic-link', '/api/auth/email-otp/send-verification-otp'])
    expect(await ask(path, 'known@open.test')).toEqual(await ask(path, 'unknown@open.test'))
  const wrong = async (email: string) => {
    const answer = await new Person().call('/api/auth/sign-in/email-otp', { body: { email, otp: '12345x' } })
    return { status: answer.status, body: await answer.json() }
  }
  expect(await wrong('known@open.test')).toEqual(await wrong('unknown@open.test'))
  for (const path of ['sign-in/email', 'sign-up/email', 'request-password-reset', 'email-otp/check-verification-otp'])
    expect(
      (await new Person().call(`/api/auth/${path}`, { body: { email: 'known@open.test', password: 'x', name: 'x', otp: '1' } })).status,
    ).toBe(404)
})

test('every refusal has the same form', async () => {
  const answer = await new Person().call('/api/auth/update-user', { body: { name: 'x' } })
  const unauthorized = { code: 'UNAUTHORIZED' }
  expect([answer.status, await answer.json()]).toEqual([401, { error: unauthorized, ...unauthorized }])
})

// What somebody might try at the door: other sites, other people's links, codes again, addresses that may be known, and names that are none.
import { describe, expect, test } from 'vitest'
import { insert, threadRow } from '../../support/rows.ts'
import { env } from '../bindings.ts'
import { codeFor, guest, linkFor, origin, Person, type SessionBody, signInByCode } from './person.ts'

const who = async (person: Person) => (await (await person.call('/api/auth/get-session')).json()) as SessionBody | null

describe('where people are sent afterwards', () => {
  const foreign = ['https://evil.example', '//evil.example', '/\\evil.example', 'javascript:alert(1)', 'https://localhost.evil.example/']
  test.each(foreign)('%s is refused when it is asked for', async (callbackURL) => {
    for (const [path, body] of [
      ['/api/auth/sign-in/magic-link', { email: 'a@open.test', callbackURL }],
      ['/api/auth/sign-in/magic-link', { email: 'a@open.test', callbackURL: '/', errorCallbackURL: callbackURL }],
      ['/api/auth/sign-in/social', { provider: 'github', callbackURL }],
    ] as const) {
      const answer = await new Person().call(path, { body })
      expect(answer.status).toBe(403)
      expect(await answer.json()).toMatchObject({ error: { message: 'That address is not one of ours.' } })
    }
  })

  test('and nobody is sent there by a link that was changed on its way', async () => {
    const email = 'changed@open.test'
    const person = new Person()
    await person.json('/api/auth/sign-in/magic-link', { body: { email, callbackURL: '/' } })
    const link = new URL(await linkFor(email))
    link.searchParams.set('callbackURL', 'https://evil.example')
    const answer = await person.call(link.pathname + link.search)
    expect(answer.headers.get('location') ?? '').not.toContain('evil')
    expect(await who(person)).toBeNull()
  })
})

test('another site can neither sign a browser in nor out, nor delete what it finds', async () => {
  const { person } = await guest()
  for (const path of ['sign-out', 'delete-user', 'sign-in/anonymous', 'sign-in/magic-link', 'revoke-sessions', 'update-user']) {
    const body = { email: 'a@b.test', name: 'x' }
    const answer = await person.call(`/api/auth/${path}`, { body, headers: { origin: 'https://evil.example' } })
    expect([path, answer.status]).toEqual([path, 403])
  }
  expect(await who(person)).not.toBeNull()
})

test('a session that was there before signing in is worth nothing afterwards', async () => {
  const { person } = await guest()
  const planted = person.cookie
  const { userId } = await signInByCode(person, 'fixation@open.test')
  expect((await who(person))?.user.id).toBe(userId)
  const thief = await new Person().call('/api/auth/get-session', { headers: { cookie: planted } })
  expect(await thief.json()).toBeNull()
})

describe('a link that another browser asked for', () => {
  const given = async (email: string) => {
    const thief = new Person()
    await thief.json('/api/auth/sign-in/magic-link', { body: { email, callbackURL: '/' } })
    return new URL(await linkFor(email))
  }

  test('asks a guest before it takes their threads along, and then does', async () => {
    const link = await given('thief@open.test')
    const { person, userId } = await guest()
    await insert(env.DB, 'thread', threadRow(userId))
    const asked = new URL((await person.call(link.pathname + link.search)).headers.get('location') ?? '')
    expect(asked.pathname).toBe('/magic-link')
    expect((await who(person))?.user.id).toBe(userId)
    // The proof in it is for this guest and this link.
    const other = await guest()
    const borrowed = await other.person.call(`/api/auth/magic-link/verify${asked.search}`)
    expect(borrowed.headers.get('location')).toContain('/magic-link?')
    const agreed = await person.call(`/api/auth/magic-link/verify${asked.search}`)
    expect(agreed.headers.get('location')).toBe(`${origin}/`)
    expect((await who(person))?.user).toMatchObject({ isAnonymous: false })
  })

  test('does not take an account to another one unasked', async () => {
    const link = await given('somebody-else@open.test')
    const person = new Person()
    const { userId } = await signInByCode(person, 'victim@open.test')
    expect((await person.call(link.pathname + link.search)).headers.get('location')).toContain('/magic-link?')
    expect((await who(person))?.user.id).toBe(userId)
  })

  test('just works where nobody is signed in, and for whoever asked for it themselves', async () => {
    const link = await given('own-phone@open.test')
    const nobody = new Person()
    expect((await nobody.call(link.pathname + link.search)).headers.get('location')).toBe(`${origin}/`)
    expect((await who(nobody))?.user).toMatchObject({ isAnonymous: false })
    await nobody.json('/api/auth/sign-in/magic-link', { body: { email: 'own-other@open.test', callbackURL: '/' } })
    const own = new URL(await linkFor('own-other@open.test'))
    expect((await nobody.call(own.pathname + own.search)).headers.get('location')).toBe(`${origin}/`)
    expect((await who(nobody))?.user).toMatchObject({ email: 'own-other@open.test' })
  })
})

describe('codes and links', () => {
  test('a mail has both, a new mail ends the old code, and using one again says so', async () => {
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
      error: { code: 'INVALID_OTP', message: 'That code is not right. Look again in the newest mail, or ask for another one.' },
    })
  })

  test('guessing ends after three wrong codes, also for the right one', async () => {
    const email = 'guessed@open.test'
    await new Person().json('/api/auth/email-otp/send-verification-otp', { body: { email, type: 'sign-in' } })
    const code = await codeFor(email)
    const wrong = code === '000000' ? '000001' : '000000'
    const tryCode = (otp: string) => new Person().call('/api/auth/sign-in/email-otp', { body: { email, otp } })
    for (const _ of [1, 2, 3]) expect((await tryCode(wrong)).status).toBe(400)
    expect((await tryCode(code)).ok).toBe(false)
  })

  test('of two people who bring one code at once, one is let in', async () => {
    const email = 'race@open.test'
    await new Person().json('/api/auth/email-otp/send-verification-otp', { body: { email, type: 'sign-in' } })
    const otp = await codeFor(email)
    const answers = await Promise.all([1, 2, 3, 4].map(() => new Person().call('/api/auth/sign-in/email-otp', { body: { email, otp } })))
    expect(answers.filter(({ ok }) => ok)).toHaveLength(1)
  })
})

test('nobody learns who has an account: every address is answered alike, and written to', async () => {
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

test('a profile takes a name of a person and no picture that could be a program', async () => {
  const person = new Person()
  await signInByCode(person, 'profile@open.test')
  const update = (body: object) => person.call('/api/auth/update-user', { body })
  for (const image of ['javascript:alert(1)', 'data:image/svg+xml,<svg onload=alert(1)>', 'http://plain.test/a.png', 'x'.repeat(3000), 7])
    expect([image, (await update({ image })).status]).toEqual([image, 400])
  for (const name of ['', '   ', 'x'.repeat(33), 7]) expect([name, (await update({ name })).status]).toEqual([name, 400])
  expect((await update({ name: 'Ada Lovelace', image: 'https://pictures.test/ada.png' })).status).toBe(200)
  expect((await update({ image: null })).status).toBe(200)
})

test('a refusal has one shape and a sentence', async () => {
  const answer = await new Person().call('/api/auth/update-user', { body: { name: 'x' } })
  const said = { code: 'UNAUTHORIZED', message: 'You are not logged in any more. Log in again.' }
  expect([answer.status, await answer.json()]).toEqual([401, { error: said, ...said }])
})

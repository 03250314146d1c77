// A magic link is used by the form of its landing page, never by opening an address of the mail.
import { expect, test } from 'vitest'
import { env } from '../bindings.ts'
import { linkFor, type OutboxBody, origin, Person, readMagicLink, type SessionBody, signInByCode, submitLink } from './person.ts'

async function requestLink(email: string): Promise<{ person: Person; link: URL }> {
  const person = new Person()
  await person.json('/api/auth/sign-in/magic-link', {
    body: { email, callbackURL: '/account', errorCallbackURL: '/login?callbackUrl=%2Faccount' },
  })
  return { person, link: new URL(await linkFor(email)) }
}

const scanner = () => new Person()

test('GET and HEAD of every address in the mail leave the link usable; one POST uses it and a second is refused', async () => {
  const email = 'scanned@link.test'
  const { person, link } = await requestLink(email)
  const { mails } = await person.json<OutboxBody>('/api/outbox')
  const addresses = (mails.find(({ to }) => to === email)?.body.match(/https?:\/\/\S+/g) ?? []).map((address) => new URL(address))
  expect(addresses.map(({ pathname }) => pathname)).toEqual(['/magic-link'])
  const verify = new URL(`/api/auth/magic-link/verify${link.search}`, origin)
  for (const { pathname, search } of [...addresses, ...addresses, verify, verify])
    for (const method of ['GET', 'HEAD']) {
      const answer = await scanner().call(pathname + search, { method })
      expect([method, pathname, answer.status]).toEqual([method, pathname, pathname === '/magic-link' ? 200 : 404])
      expect(answer.headers.getSetCookie()).toEqual([])
    }
  const used = await submitLink(person, link)
  expect([used.status, used.headers.get('location')]).toEqual([302, `${origin}/account`])
  expect(used.headers.getSetCookie().join()).toMatch(/better-auth\.known_[0-9a-f]{16}=.*HttpOnly/)
  expect(await person.json<SessionBody>('/api/auth/get-session')).toMatchObject({ user: { email } })
  const again = await submitLink(scanner(), link)
  expect(again.headers.get('location')).toBe(`${origin}/login?callbackUrl=%2Faccount&error=INVALID_TOKEN`)
  expect(again.headers.getSetCookie()).toEqual([])
})

test('the landing page names the account, and states that a link has expired', async () => {
  const email = 'named@link.test'
  const { person, link } = await requestLink(email)
  expect(await readMagicLink(person, link)).toEqual({ email, isForeign: false, isOwnAccount: false, proof: null })
  expect(await readMagicLink(person, new URL('/magic-link', origin))).toBeNull()
  await env.DB.prepare('update verification set expiresAt = ?')
    .bind(Date.now() - 1)
    .run()
  expect(await readMagicLink(person, link)).toMatchObject({ email: null })
  expect((await submitLink(person, link)).headers.get('location')).toContain('/login?')
  expect(await readMagicLink(person, new URL('/magic-link?token=made-up', origin))).toMatchObject({ email: null })
})

test.each(['https://evil.example', 'null', `${origin}.evil.example`, ''])('refuses a form from origin %j', async (from) => {
  const { person, link } = await requestLink('crossed@link.test')
  const answer = await submitLink(person, link, { origin: from })
  expect([answer.status, answer.headers.getSetCookie()]).toEqual([403, []])
  expect((await submitLink(person, link)).status).toBe(302)
})

test.each([new URLSearchParams(), new URLSearchParams({ guest: 'x' })])('refuses a form without a token', async (form) => {
  expect((await new Person().call('/api/auth/magic-link/verify', { form })).status).toBe(400)
})

test.each(['%', '%E0%A4%A', '/a%b', '//evil.example', 'javascript:alert(1)'])(
  'a callback URL of %j ends on a page of the product',
  async (callbackURL) => {
    const { person, link } = await requestLink('odd@link.test')
    link.searchParams.set('callbackURL', callbackURL)
    const location = (await submitLink(person, link)).headers.get('location') ?? ''
    expect(new URL(location, origin).origin).toBe(origin)
    expect(await person.json<SessionBody>('/api/auth/get-session')).toMatchObject({ user: { email: 'odd@link.test' } })
  },
)

test('the landing page recognises a used link of the signed-in account, but of no other account', async () => {
  const email = 'Own@link.test'
  const { person, link } = await requestLink(email)
  const otherUser = new Person()
  await signInByCode(otherUser, 'other@link.test')
  expect(await readMagicLink(otherUser, link)).toMatchObject({ isOwnAccount: false })
  await submitLink(person, link)
  expect(await readMagicLink(person, link)).toMatchObject({ email: null, isOwnAccount: true })
  expect(await readMagicLink(otherUser, link)).toMatchObject({ email: null, isOwnAccount: false })
  expect(await readMagicLink(new Person(), link)).toMatchObject({ email: null, isOwnAccount: false })
  link.searchParams.set('account', 'made-up')
  expect(await readMagicLink(person, link)).toMatchObject({ isOwnAccount: false })
})

// Signing in by Google and GitHub: the real better-auth against peers that bind codes to client, address and PKCE, like the providers.
import { describe, expect, test } from 'vitest'
import { freshSignInMs } from '../../../worker/contract/limits.ts'
import type { SilentEndpoint, ProviderUser as User } from '../../support/peers/external-services.ts'
import { insert, threadRow } from '../../support/rows.ts'
import { content, env } from '../bindings.ts'
import { Browser, guest, type SessionBody, signInByCode } from './browser.ts'

type Provider = 'google' | 'github'

/** `btoa` accepts no character above U+00FF. */
const asciiJson = (value: unknown) =>
  JSON.stringify(value).replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
const encode = (value: unknown) => btoa(asciiJson(value)).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')

/** The address of the provider, and the one that the provider redirects back to. */
async function begin(browser: Browser, provider: Provider, callbackURL = '/account') {
  const { url } = await browser.json<{ url: string }>('/api/auth/sign-in/social', {
    body: { provider, callbackURL, errorCallbackURL: '/login', disableRedirect: true },
  })
  const asked = new URL(url).searchParams
  const back = (user: User, state = asked.get('state') ?? '') => {
    const grant = { user, client: asked.get('client_id'), redirectUri: asked.get('redirect_uri'), challenge: asked.get('code_challenge') }
    return `/api/auth/callback/${provider}?${new URLSearchParams({ code: encode(grant), state }).toString()}`
  }
  return { url: new URL(url), back }
}

const ada = (provider: Provider, fields: Partial<User> = {}): User => ({
  sub: `${provider}-ada`,
  email: `ada@${provider}.test`,
  name: 'Ada',
  verified: true,
  ...fields,
})

describe.each(['google', 'github'] as const)('%s', (provider) => {
  test('a guest returns as an account with all data', async () => {
    const { browser, userId: guestId } = await guest()
    await insert(content, 'thread', threadRow(guestId))
    const { url, back } = await begin(browser, provider)
    expect(url.hostname).toBe(provider === 'google' ? 'accounts.google.com' : 'github.com')
    const answer = await browser.call(back(ada(provider)))
    expect([answer.status, answer.headers.get('location')]).toEqual([302, '/account'])
    expect(answer.headers.getSetCookie().join()).toMatch(/better-auth\.known_[0-9a-f]{16}=/)
    const { user } = await browser.json<SessionBody>('/api/auth/get-session')
    expect(user).toMatchObject({ name: 'Ada', isAnonymous: false })
    expect(await content.prepare('select count(*) n from thread where userId = ?').bind(user.id).first('n')).toBe(1)
    expect(await env.DB.prepare('select id from user where id = ?').bind(guestId).first()).toBeNull()
  })

  test('cleans the name and image of a profile instead of refusing the sign-in', async () => {
    const signIn = async (sub: string, name: string, picture: string) => {
      const browser = new Browser()
      const { back } = await begin(browser, provider)
      await browser.call(back(ada(provider, { sub: `${provider}-${sub}`, email: `${sub}@${provider}.test`, name, picture })))
      return (await browser.json<{ user: { name: string; image: string | null } }>('/api/auth/get-session')).user
    }
    const long = `\u202E${'x'.repeat(31)}😀${'y'.repeat(100)}`
    expect(await signIn('long', long, 'javascript:alert(1)')).toMatchObject({ name: 'x'.repeat(31), image: null })
    expect(await signIn('linked', 'Go to https://evil.example', 'https://pictures.test/1')).toMatchObject({
      name: 'linked',
      image: 'https://pictures.test/1',
    })
  })

  test.each<readonly [what: string, given: string, stored: string]>([
    ['control characters', 'A\u0000d\u0007a\u009F\r\nSet-Cookie: a=b', 'Ada Set-Cookie: a=b'],
    ['10,000 characters', 'x'.repeat(10_000), 'x'.repeat(32)],
    ['bidi overrides', '\u202ElivE\u202C \u2066Ada\u2069', 'livE Ada'],
    ['markup', '<script>alert(1)</script>', '<script>alert(1)</script>'],
    ['only spaces', ' \u00A0\u3000 ', `only-spaces`],
    ['emoji', '👩🏽\u200D👩\u200D👧', '👩🏽\u200D👩\u200D👧'],
    ['too many emoji', '😀'.repeat(20), '😀'.repeat(16)],
    ['a lone surrogate', 'Ada\uD83D', 'Ada'],
  ])('makes an account of a name with %s, and its page', async (what, name, stored) => {
    const sub = what.replaceAll(/\W+/g, '-')
    const browser = new Browser()
    const { back } = await begin(browser, provider)
    const answer = await browser.call(back(ada(provider, { sub: `${provider}-${sub}`, email: `${sub}@names.${provider}.test`, name })))
    expect([answer.status, answer.headers.get('location')]).toEqual([302, '/account'])
    expect((await browser.json<SessionBody>('/api/auth/get-session')).user.name).toBe(stored)
    const page = await browser.call('/')
    expect(page.status).toBe(200)
    expect(await page.text()).not.toContain('<script>alert')
  })

  test('the second sign-in opens the same account, and content of another guest is added', async () => {
    const { browser, userId: guestId } = await guest()
    await insert(content, 'thread', threadRow(guestId))
    const { back } = await begin(browser, provider)
    await browser.call(back(ada(provider, { name: 'Somebody else' })))
    const { user } = await browser.json<SessionBody>('/api/auth/get-session')
    expect(user).toMatchObject({ name: 'Ada', isAnonymous: false })
    expect(await content.prepare('select count(*) n from thread where userId = ?').bind(user.id).first('n')).toBe(2)
  })

  test('an unverified address does not open an existing account', async () => {
    const email = `proven@${provider}.test`
    await signInByCode(new Browser(), email)
    const browser = new Browser()
    const { back } = await begin(browser, provider)
    const answer = await browser.call(back(ada(provider, { sub: `${provider}-thief`, email, verified: false })))
    expect(answer.headers.get('location')).toMatch(/\/login\?.*error=account_not_linked/)
    expect(await (await browser.call('/api/auth/get-session')).json()).toBeNull()
  })

  test('a response for another browser, or a repeated one, creates no session', async () => {
    const [victim, thief] = [new Browser(), new Browser()]
    const { back } = await begin(thief, provider)
    const address = back(ada(provider))
    expect((await victim.call(address)).headers.get('location')).toContain('/login?error=state_mismatch')
    expect(await (await victim.call('/api/auth/get-session')).json()).toBeNull()
    expect((await thief.call(address)).status).toBe(302)
    const again = new Browser()
    await again.call(address)
    expect(await (await again.call('/api/auth/get-session')).json()).toBeNull()
  })

  test('a user whose login is not recent confirms the account by signing in again, and may then delete it', async () => {
    const leaver = ada(provider, { sub: `${provider}-leaver`, email: `leaver@${provider}.test` })
    const browser = new Browser()
    await browser.call((await begin(browser, provider)).back(leaver))
    const { user } = await browser.json<SessionBody>('/api/auth/get-session')
    const linked = await browser.json<{ providerId: string }[]>('/api/auth/list-accounts')
    expect(linked.map(({ providerId }) => providerId)).toEqual([provider])
    await env.DB.prepare('update session set createdAt = ? where userId = ?')
      .bind(Date.now() - freshSignInMs - 1000, user.id)
      .run()
    expect((await browser.call('/api/auth/delete-user', { body: {} })).status).toBe(403)

    // If the provider returns another user, the new session is not valid for this account.
    const other = new Browser()
    other.wear(browser.cookie)
    await other.call((await begin(other, provider)).back(ada(provider, { sub: `${provider}-other`, email: `other@${provider}.test` })))
    expect((await other.json<SessionBody>('/api/auth/get-session')).user.id).not.toBe(user.id)
    expect((await browser.call('/api/auth/delete-user', { body: {} })).status).toBe(403)

    const { back } = await begin(browser, provider, `/account?delete=${user.id}`)
    expect((await browser.call(back(leaver))).headers.get('location')).toBe(`/account?delete=${user.id}`)
    expect((await browser.call('/api/auth/delete-user', { body: {} })).status).toBe(200)
    expect(await env.DB.prepare('select 1 from user where id = ?').bind(user.id).first()).toBeNull()
  })
})

test.each(['sign-in/social', 'link-social'])('a token supplied by the client creates no session (%s)', async (path) => {
  const { browser } = await guest()
  const token = `${encode({ alg: 'RS256', kid: '1' })}.${encode({ sub: 'google-ada', aud: 'google-client' })}.x`
  const answer = await browser.call(`/api/auth/${path}`, { body: { provider: 'google', callbackURL: '/', idToken: { token } } })
  expect([answer.status, await answer.json()]).toEqual([404, expect.objectContaining({ code: 'ID_TOKEN_NOT_SUPPORTED' })])
})

const silences: readonly (readonly [Provider, SilentEndpoint])[] = [
  ['google', 'token'],
  ['github', 'token'],
  ['github', 'user'],
]

// Concurrent: a provider without a response takes the full timeout.
describe.concurrent('a provider that does not respond', () => {
  test.each(silences)('%s at its %s endpoint: the sign-in fails with a reason', async (provider, silent) => {
    const { browser } = await guest()
    const { back } = await begin(browser, provider)
    const name = `${provider}-${silent}`
    const answer = await browser.call(back(ada(provider, { sub: name, email: `${name}@silent.test`, silent })))
    const error = silent === 'token' ? 'invalid_code' : 'unable_to_get_user_info'
    expect([answer.status, answer.headers.get('location')]).toEqual([302, expect.stringContaining(`/login?error=${error}`)])
    expect((await browser.json<SessionBody>('/api/auth/get-session')).user.isAnonymous).toBe(true)
  })
})

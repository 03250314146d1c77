// The viewer of a request is the user whom better-auth finds by the same cookie.
import { expect, test } from 'vitest'
import { viewerOf } from '../../../worker/auth/session.ts'
import { mustSettings } from '../../../worker/settings.ts'
import { env } from '../bindings.ts'
import { Browser, guest, origin, type SessionBody, signInByCode } from './browser.ts'

const viewerWith = (cookie: string | null) =>
  viewerOf(new Request(`${origin}/api/files`, cookie === null ? {} : { headers: { cookie } }), env, mustSettings(env))

/** better-auth's session for the same cookie. */
async function sessionWith(cookie: string | null): Promise<SessionBody | null> {
  const response = await new Browser().call('/api/auth/get-session', cookie === null ? {} : { headers: { cookie } })
  return response.json()
}

test('is the user of the session that better-auth returns', async () => {
  const account = new Browser()
  await signInByCode(account, 'viewer@example.test')
  for (const cookie of [(await guest()).browser.cookie, account.cookie, `other=1; ${account.cookie}; theme=dark`]) {
    const session = await sessionWith(cookie)
    expect(session).not.toBeNull()
    const row = await env.DB.prepare('select expiresAt from session where id = ?').bind(session?.session.id).first<{ expiresAt: number }>()
    expect(await viewerWith(cookie)).toEqual({
      userId: session?.user.id,
      sessionId: session?.session.id,
      isAnonymous: session?.user.isAnonymous,
      expiresAtMs: row?.expiresAt,
    })
  }
})

test.each<[string, (name: string, token: string, signature: string) => string | null]>([
  ['no cookie', () => null],
  ['a cookie of something else', () => 'theme=dark'],
  ['an empty token', (name) => `${name}=`],
  ['a token without its signature', (name, token) => `${name}=${token}`],
  ['the signature of another token', (name, token, signature) => `${name}=${encodeURIComponent(`x${token}.${signature}`)}`],
  ['a signature made with another secret', (name, token) => `${name}=${encodeURIComponent(`${token}.${btoa('x'.repeat(32))}`)}`],
  ['a signature that is none', (name, token) => `${name}=${token}.%ff`],
])('is null with %s', async (_, forge) => {
  const { cookie } = (await guest()).browser
  const [name = '', value = ''] =
    cookie
      .split('; ')
      .find((pair) => pair.includes('session_token='))
      ?.split('=') ?? []
  const [token = '', signature = ''] = decodeURIComponent(value).split('.')
  expect(await viewerWith(`${name}=${value}`)).not.toBeNull()
  expect(btoa('x'.repeat(32))).toHaveLength(signature.length)
  const forged = forge(name, token, signature)
  expect(await sessionWith(forged)).toBeNull()
  expect(await viewerWith(forged)).toBeNull()
})

test('is null once the session has expired or was ended', async () => {
  const { browser, sessionId } = await guest()
  const { cookie } = browser
  await env.DB.prepare('update session set expiresAt = ? where id = ?')
    .bind(Date.now() - 1, sessionId)
    .run()
  expect(await viewerWith(cookie)).toBeNull()
  const other = await guest()
  const stolen = other.browser.cookie
  expect(await viewerWith(stolen)).toMatchObject({ userId: other.userId })
  await other.browser.json('/api/auth/sign-out', { body: {} })
  expect(await viewerWith(stolen)).toBeNull()
})

test('is an error, not null, while the session cannot be read', async () => {
  const { browser } = await guest()
  const unread = new Proxy(env.DB, { get: () => () => env.DB.prepare('select * from nowhere') })
  const request = new Request(`${origin}/api/files`, { headers: { cookie: browser.cookie } })
  await expect(viewerOf(request, { ...env, DB: unread }, mustSettings(env))).rejects.toMatchObject({ name: 'SessionUnavailableError' })
})

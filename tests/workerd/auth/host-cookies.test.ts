// Cookies over https have the __Host- prefix: only this host can set them, and only over https.
import { expect, test } from 'vitest'
import { authFor, viewerOf } from '../../../worker/auth/session.ts'
import { mustSettings } from '../../../worker/settings.ts'
import { env, worker } from '../bindings.ts'
import { Browser, type SessionBody, signInByCode } from './browser.ts'

const secureOrigin = 'https://localhost'

test('over https every cookie is a __Host- cookie, and the session works', async () => {
  const browser = new Browser(worker, secureOrigin)
  const guest = await browser.call('/api/auth/sign-in/anonymous', { body: {} })
  const { userId } = await signInByCode(browser, 'secure@cookies.test')
  const social = await browser.call('/api/auth/sign-in/social', { body: { provider: 'github', callbackURL: '/', disableRedirect: true } })
  const lines = [guest, social].flatMap((answer) => answer.headers.getSetCookie())
  expect(lines.length).toBeGreaterThan(1)
  for (const line of lines) {
    expect(line).toMatch(/^__Host-better-auth\.\w+=/)
    expect(line).toMatch(/; Path=\/(;|$)/)
    expect(line).toMatch(/; Secure/)
    expect(line).toMatch(/; HttpOnly/)
    expect(line).not.toMatch(/domain=/i)
  }
  for (const name of browser.cookie.split('; ')) expect(name).toMatch(/^__Host-better-auth\./)
  const { user } = await browser.json<SessionBody>('/api/auth/get-session')
  expect(user.id).toBe(userId)
  const request = new Request(secureOrigin, { headers: { cookie: browser.cookie } })
  expect(await viewerOf(request, env, mustSettings(env))).toMatchObject({ userId })
})

test('a session cookie without the prefix is not accepted over https', async () => {
  const browser = new Browser(worker, secureOrigin)
  await browser.json('/api/auth/sign-in/anonymous', { body: {} })
  const planted = browser.cookie.replaceAll('__Host-', '')
  const thief = await new Browser(worker, secureOrigin).call('/api/auth/get-session', { headers: { cookie: planted } })
  expect(await thief.json()).toBeNull()
  expect(await viewerOf(new Request(secureOrigin, { headers: { cookie: planted } }), env, mustSettings(env))).toBeNull()
})

test('over http the names have no prefix', async () => {
  const { authCookies } = await (await authFor(env, mustSettings(env), 'http://localhost')).$context
  expect(authCookies.sessionToken.name).toBe('better-auth.session_token')
})

// Signing in and out with Redis for counting: only D1 stores sessions, so an unavailable Redis has no effect.
import { describe, expect, test } from 'vitest'
import { authFor } from '../../../worker/auth/session.ts'
import type { Env } from '../../../worker/bindings.ts'
import { mustSettings } from '../../../worker/settings.ts'
import { env } from '../bindings.ts'
import { Browser, codeFor, type SessionBody } from './browser.ts'

/** Other host names do not resolve. */
const redisAt = (host: string) => {
  const withRedis: Env = { ...env, REDIS_URL: `https://${host}`, REDIS_TOKEN: 'token' }
  const fetch = async (url: string, init: RequestInit) =>
    (await authFor(withRedis, mustSettings(withRedis), url)).handler(new Request(url, init))
  return { fetch }
}
const [there, away] = [redisAt('redis.test'), redisAt('away.test')]

async function signIn(email: string, server: typeof there) {
  const browser = new Browser(server)
  await browser.json('/api/auth/email-otp/send-verification-otp', { body: { email, type: 'sign-in' } })
  await browser.json('/api/auth/sign-in/email-otp', { body: { email, otp: await codeFor(email) } })
  return browser
}

const isSignedIn = async (cookie: string, server: typeof there) =>
  (await (await new Browser(server).call('/api/auth/get-session', { headers: { cookie } })).json()) !== null

describe.each([
  { name: 'while it is there', before: there, after: there },
  { name: 'while it is away', before: away, after: away },
  { name: 'when it goes', before: there, after: away },
  { name: 'when it comes back', before: away, after: there },
])('$name', ({ name, before, after }) => {
  const address = (who: string) => `${who}-${name.replaceAll(' ', '-')}@redis.test`

  test('revoking the other sessions ends them', async () => {
    const email = address('revoke')
    const [desk, phone] = [await signIn(email, before), await signIn(email, before)]
    const same = new Browser(after)
    for (const line of desk.cookie.split('; ')) same.wear(line)
    expect((await same.call('/api/auth/revoke-other-sessions', { body: {} })).status).toBe(200)
    for (const server of [before, after]) {
      expect(await isSignedIn(phone.cookie, server)).toBe(false)
      expect(await isSignedIn(desk.cookie, server)).toBe(true)
    }
  })

  test('two concurrent sign-ins are both in the list', async () => {
    const email = address('twice')
    const first = await signIn(email, before)
    await Promise.all([0, 1].map(() => first.call('/api/auth/get-session')))
    await signIn(email, after)
    expect(await first.json<unknown[]>('/api/auth/list-sessions')).toHaveLength(2)
  })

  test('a deleted account stays deleted', async () => {
    const browser = await signIn(address('deleted'), before)
    const { user } = await browser.json<SessionBody>('/api/auth/get-session')
    const same = new Browser(after)
    for (const line of browser.cookie.split('; ')) same.wear(line)
    const { cookie } = browser
    expect((await same.call('/api/auth/delete-user', { body: {} })).status).toBe(200)
    for (const server of [before, after]) expect(await isSignedIn(cookie, server)).toBe(false)
    expect(await env.DB.prepare('select 1 from session where userId = ?').bind(user.id).first()).toBeNull()
  })
})

test('Redis counts while it is available, and D1 does not', async () => {
  await new Browser(there).json('/api/auth/sign-in/anonymous', { body: {} })
  const counted = () =>
    env.DB.prepare("select coalesce(sum(count), 0) n from rateLimit where key like '%sign-in/anonymous'").first<number>('n')
  const before = await counted()
  await new Browser(there).json('/api/auth/sign-in/anonymous', { body: {} })
  expect(await counted()).toBe(before)
})

// When a Turnstile challenge is required, and the result of each siteverify response.
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { guestsPerHourWithoutCaptcha, wideNetworkFactors } from '../../../worker/auth/auth-limits.ts'
import { createTurnstile } from '../../../worker/auth/captcha.ts'
import { solvedToken, startTurnstile, type TurnstilePeer, type TurnstileTrouble, turnstileKeys } from '../../support/peers/turnstile.ts'

let peer: TurnstilePeer
beforeAll(async () => {
  peer = await startTurnstile()
})
afterAll(() => peer.stop())
afterEach(() => peer.misbehave(null))

const counts = new Map<string, number>()
const count = async (key: string) => {
  counts.set(key, (counts.get(key) ?? 0) + 1)
  return { count: counts.get(key) ?? 0, leftS: 60 }
}
beforeEach(() => counts.clear())

const context = { options: {}, logger: { error: vi.fn(), warn: vi.fn() } }

async function ask(path: string, { token, network = '192.0.2.1' }: { token?: string; network?: string } = {}) {
  const settings = { siteKey: 'key', secretKey: turnstileKeys.TURNSTILE_SECRET_KEY, url: peer.url }
  const turnstile = createTurnstile(settings, count)
  const headers = { 'cf-connecting-ip': network, ...(token === undefined ? {} : { 'x-captcha-response': token }) }
  const request = new Request(`https://chat.test/api/auth${path}`, { method: 'POST', headers })
  const answer = await turnstile?.plugin.onRequest(request, context as never)
  return answer ? [answer.response.status, ((await answer.response.json()) as { code: string }).code] : 'passes'
}

const mails = ['/sign-in/magic-link', '/email-otp/send-verification-otp']

test.each(mails)('%s requires a token that is valid, and each token once', async (path) => {
  expect(await ask(path)).toEqual([403, 'captcha_required'])
  expect(await ask(path, { token: 'guessed' })).toEqual([403, 'captcha_failed'])
  const token = solvedToken()
  expect(await ask(path, { token })).toBe('passes')
  expect(await ask(path, { token })).toEqual([403, 'captcha_failed'])
})

test.each(['/get-session', '/token', '/sign-in/email-otp', '/sign-in/social', '/magic-link/verify'])('%s requires none', async (path) => {
  expect(await ask(path)).toBe('passes')
  expect(counts.size).toBe(0)
})

test('creating a guest requires one after the first few of a network', async () => {
  for (let i = 0; i < guestsPerHourWithoutCaptcha; i++)
    expect(await ask('/sign-in/anonymous', { network: `2001:db8::${i + 1}` })).toBe('passes')
  const network = '2001:db8::ffff'
  expect(await ask('/sign-in/anonymous', { network })).toEqual([403, 'captcha_required'])
  expect(await ask('/sign-in/anonymous', { network, token: 'guessed' })).toEqual([403, 'captcha_failed'])
  expect(await ask('/sign-in/anonymous', { network, token: solvedToken() })).toBe('passes')
  expect(await ask('/sign-in/anonymous', { network: '2001:db8:0:1::1' })).toBe('passes')
})

test('the networks of one /56 create guests without one only up to a common limit', async () => {
  const asked = []
  for (let i = 0; i < 64; i++) asked.push(await ask('/sign-in/anonymous', { network: `2001:db8:0:${i.toString(16)}::1` }))
  expect(asked.filter((answer) => answer === 'passes')).toHaveLength(guestsPerHourWithoutCaptcha * wideNetworkFactors.site)
})

test('an attempt to enter a code shows a solved challenge when the limits require one', async () => {
  const attempt = async (token?: string) => {
    const headers = { 'cf-connecting-ip': '192.0.2.1', ...(token === undefined ? {} : { 'x-captcha-response': token }) }
    const request = new Request('https://chat.test/api/auth/sign-in/email-otp', { method: 'POST', headers })
    const settings = { siteKey: 'key', secretKey: turnstileKeys.TURNSTILE_SECRET_KEY, url: peer.url }
    await createTurnstile(settings, count)?.assertSolved(request, context as never)
  }
  await expect(attempt()).rejects.toMatchObject({ status: 'FORBIDDEN', body: { code: 'captcha_required' } })
  await expect(attempt('guessed')).rejects.toMatchObject({ body: { code: 'captcha_failed' } })
  const token = solvedToken()
  await attempt(token)
  await expect(attempt(token)).rejects.toMatchObject({ body: { code: 'captcha_failed' } })
  peer.misbehave('down')
  await expect(attempt(solvedToken())).rejects.toMatchObject({ status: 'SERVICE_UNAVAILABLE', body: { code: 'captcha_unavailable' } })
})

test.each<[TurnstileTrouble, number, string]>([
  ['malformed', 403, 'captcha_failed'],
  ['down', 503, 'captcha_unavailable'],
])('refuses while siteverify is %s, except the free guests', async (trouble, status, code) => {
  peer.misbehave(trouble)
  expect(await ask('/sign-in/magic-link', { token: solvedToken() })).toEqual([status, code])
  expect(await ask('/sign-in/anonymous')).toBe('passes')
})

test('refuses when siteverify does not respond within 10 seconds', async () => {
  peer.misbehave('silent')
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    const asked = peer.requests.length
    const answer = ask('/sign-in/magic-link', { token: solvedToken() })
    while (peer.requests.length === asked) await new Promise((resolve) => setImmediate(resolve))
    await vi.advanceTimersByTimeAsync(10_000)
    expect(await answer).toEqual([503, 'captcha_unavailable'])
  } finally {
    vi.useRealTimers()
  }
})

test('does nothing without keys', () => {
  expect(createTurnstile(null, count)).toBeNull()
})

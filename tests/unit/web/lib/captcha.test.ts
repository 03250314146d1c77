// Calls of the auth API that require a Turnstile challenge.
import { afterEach, expect, test, vi } from 'vitest'
import { authCall } from '../../../../web/lib/auth-call.ts'
import { pendingCaptcha, solveCaptcha } from '../../../../web/lib/captcha.ts'

afterEach(() => {
  vi.unstubAllGlobals()
})

/** Requires a token that `accepts` accepts. */
function stubServer(accepts: (token: string) => boolean): (string | null)[] {
  const tokens: (string | null)[] = []
  vi.stubGlobal('window', globalThis)
  vi.stubGlobal('location', { origin: 'https://parley.example' })
  vi.stubGlobal('fetch', async (_url: string, init: RequestInit) => {
    const token = new Headers(init.headers).get('x-captcha-response')
    tokens.push(token)
    if (token === null) return Response.json({ code: 'captcha_required', message: "Confirm you're human to continue." }, { status: 403 })
    return accepts(token)
      ? Response.json({ done: true })
      : Response.json({ code: 'captcha_failed', message: 'The check failed. Try again.' }, { status: 403 })
  })
  return tokens
}

const pendingRequest = () => vi.waitUntil(pendingCaptcha.get, 60_000)

test('a call is repeated with the token of the challenge that the server required', async () => {
  const tokens = stubServer((token) => token === 'solved')
  const answer = authCall('sign-in/magic-link', {})
  const request = await pendingRequest()
  expect(request.purpose).toBe('mail')
  request.answer('solved')
  expect(await answer).toEqual({ ok: true, body: { done: true } })
  expect(tokens).toEqual([null, 'solved'])
  expect(pendingCaptcha.get()).toBeNull()
})

test('a cancelled challenge and a refused token return a sentence', async () => {
  stubServer(() => false)
  const cancelled = authCall('sign-in/magic-link', {})
  ;(await pendingRequest()).answer(null)
  expect(await cancelled).toEqual({ ok: false, code: 'captcha_required', message: "Confirm you're human to continue." })
  const refused = authCall('sign-in/magic-link', {})
  ;(await pendingRequest()).answer('wrong')
  expect(await refused).toEqual({ ok: false, code: 'captcha_failed', message: 'The check failed. Try again.' })
})

test('challenges are shown one at a time', async () => {
  const shown: (string | undefined)[] = []
  const stop = pendingCaptcha.subscribe(() => shown.push(pendingCaptcha.get()?.purpose))
  const both = Promise.all([solveCaptcha('guest'), solveCaptcha('mail')])
  const first = await pendingRequest()
  first.answer('one')
  const second = await vi.waitUntil(() => pendingCaptcha.get() !== first && pendingCaptcha.get(), 60_000)
  second.answer('two')
  expect(await both).toEqual(['one', 'two'])
  expect(shown).toEqual(['guest', undefined, 'mail', undefined])
  stop()
})

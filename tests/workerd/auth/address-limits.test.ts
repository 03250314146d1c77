// Production limits per email address: other networks can neither lock an address out nor invalidate its code.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createAuth } from '../../../worker/auth/auth.ts'
import { codeTriesPer10Min, signInMailsPer10Min } from '../../../worker/auth/auth-limits.ts'
import { mustSettings } from '../../../worker/settings.ts'
import { env } from '../bindings.ts'
import { Browser } from './browser.ts'

const origin = 'https://chat.test'
const settings = {
  ...mustSettings(env),
  environment: 'production',
  mail: { via: 'resend', apiKey: 'key', url: 'https://mail.test', from: 'Parley <hello@chat.test>' },
} as const
const auth = createAuth(env, settings, origin)
const server = { fetch: (url: string, init: RequestInit) => auth.handler(new Request(url, init)) }

let lastNetwork = 0
/** A browser with a separate IPv6 network. */
const browser = () => {
  const browser = new Browser(server, origin)
  const network = `2001:db8:${(lastNetwork++).toString(16)}::1`
  const post = (path: string, body: object, ip = network) =>
    browser.call(`/api/auth/${path}`, { body, headers: { 'cf-connecting-ip': ip } })
  return {
    browser,
    network,
    askFor: async (email: string, ip?: string) => (await post('sign-in/magic-link', { email, callbackURL: '/' }, ip)).status,
    tryCode: async (email: string, otp: string, ip?: string) => (await post('sign-in/email-otp', { email, otp }, ip)).status,
  }
}
const newCode = (email: string) => auth.api.createVerificationOTP({ body: { email, type: 'sign-in' } })
const wrongFor = (code: string) => (code === '000000' ? '000001' : '000000')

beforeEach(() => {
  vi.spyOn(globalThis, 'fetch').mockImplementation(async () => new Response('{}'))
})
afterEach(() => {
  vi.restoreAllMocks()
})

describe('wrong codes', () => {
  test('of one network stop after a few attempts and leave the code valid for its owner', async () => {
    const email = 'guessed@limits.test'
    const code = await newCode(email)
    const otherUser = browser()
    const answers: number[] = []
    for (let i = 0; i < codeTriesPer10Min.line + 2; i++) answers.push(await otherUser.tryCode(email, wrongFor(code)))
    expect(answers).toEqual([...Array.from({ length: codeTriesPer10Min.line }, () => 400), 429, 429])
    // Afterwards the network cannot use the right code, and neither can another address of the same /64.
    expect(await otherUser.tryCode(email, code)).toBe(429)
    expect(await otherUser.tryCode(email, code, otherUser.network.replace('::1', '::2'))).toBe(429)
    expect(await browser().tryCode(email, code)).toBe(200)
  })

  test('of many networks stop at the limit of the address and do not affect a browser that signed in before', async () => {
    const email = 'flooded@limits.test'
    const owner = browser()
    expect(await owner.tryCode(email, await newCode(email))).toBe(200)
    const code = await newCode(email)
    const answers: number[] = []
    for (let tries = 0; tries <= codeTriesPer10Min.address; tries += codeTriesPer10Min.line) {
      const otherUser = browser()
      for (let i = 0; i < codeTriesPer10Min.line; i++) answers.push(await otherUser.tryCode(email, wrongFor(code)))
    }
    expect(answers.at(-1)).toBe(429)
    expect(await browser().tryCode(email, code)).toBe(429)
    expect(await owner.tryCode(email, wrongFor(code))).toBe(400)
    expect(await owner.tryCode(email, code)).toBe(200)
  })
})

test('other endpoints accept no codes', async () => {
  const email = 'side-door@limits.test'
  const code = await newCode(email)
  for (const path of ['email-otp/verify-email', 'email-otp/check-verification-otp', 'email-otp/reset-password', 'email-otp/change-email']) {
    const body = { email, newEmail: email, type: 'sign-in', otp: code, password: 'x'.repeat(12) }
    expect([path, (await new Browser(server, origin).call(`/api/auth/${path}`, { body })).status]).toEqual([path, 404])
  }
})

test('mails requested from many networks do not stop a browser that signed in before', async () => {
  const email = 'wanted@limits.test'
  const owner = browser()
  expect(await owner.tryCode(email, await newCode(email))).toBe(200)
  for (let i = 0; i <= signInMailsPer10Min.address; i++) await browser().askFor(email)
  expect(await browser().askFor(email)).toBe(429)
  expect(await owner.askFor(email)).toBe(200)
})

test('a mail requested from another network leaves the owner’s code valid', async () => {
  const email = 'coded@limits.test'
  const sent: string[] = []
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (_url, init) => {
    sent.push(String(init?.body))
    return new Response('{}')
  })
  const owner = browser()
  expect(await owner.askFor(email)).toBe(200)
  const code = /\b\d{6}\b/.exec(sent[0] ?? '')?.[0] ?? ''
  expect(await browser().askFor(email)).toBe(200)
  expect(await owner.tryCode(email, code)).toBe(200)
  expect(await browser().tryCode(email, code)).toBe(400)
})

test('the cookie of a known browser contains no address and is valid for its address only', async () => {
  const [email, other] = ['cookie@limits.test', 'other@limits.test']
  const owner = browser()
  await owner.tryCode(email, await newCode(email))
  const known = owner.browser.cookie.split('; ').find((pair) => pair.includes('known_')) ?? ''
  expect(known).toMatch(/^__Host-better-auth\.known_[0-9a-f]{16}=/)
  expect(decodeURIComponent(known)).not.toContain('cookie')
  for (let i = 0; i <= signInMailsPer10Min.address; i++) await browser().askFor(other)
  expect(await owner.askFor(other)).toBe(429)
  // Renamed for another address, its signature is invalid.
  const code = await newCode(other)
  const thief = browser()
  await thief.tryCode(other, code)
  const name =
    thief.browser.cookie
      .split('; ')
      .find((pair) => pair.includes('known_'))
      ?.split('=')[0] ?? ''
  const forger = browser()
  forger.browser.wear(`${name}=${known.slice(known.indexOf('=') + 1)}`)
  expect(await forger.askFor(other)).toBe(429)
})

// Refusals of the endpoints that sign in, change a profile or send mail, for each kind of viewer.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createApp } from '../../../worker/app.ts'
import { codeTriesPer10Min, invitationMailsPerHour, signInMailsPer10Min } from '../../../worker/auth/auth-limits.ts'
import { addressDigest } from '../../../worker/auth/known-browser.ts'
import type { Env } from '../../../worker/bindings.ts'
import { storedContentRows } from '../../../worker/contract/limits.ts'
import { countHit } from '../../../worker/db/rate-limit-hits.ts'
import { mustSettings } from '../../../worker/settings.ts'
import { insert, threadRow } from '../../support/rows.ts'
import { Browser, codeFor, guest, linkFor, signInByCode, submitLink } from '../auth/browser.ts'
import { content, env } from '../bindings.ts'
import { executionContext, production } from './production.ts'

let made = 0
const newAddress = () => `viewer-${++made}@refusals.test`
const account = async (server?: ConstructorParameters<typeof Browser>[0]): Promise<Browser> => {
  const browser = new Browser(server)
  await signInByCode(browser, newAddress())
  return browser
}
const viewers = { visitor: async () => new Browser(), guest: async () => (await guest()).browser, account: () => account() } as const
type Who = keyof typeof viewers
const everyone = Object.keys(viewers) as readonly Who[]

const shortOf = async (response: Response): Promise<string> => {
  const { error } = (await response.json()) as { error?: { code: string } }
  return [response.status, error?.code].filter(Boolean).join(' ')
}

describe('an invalid profile', () => {
  const invalid = { INVALID_NAME: { name: 'www.evil.example' }, INVALID_IMAGE: { image: 'javascript:alert(1)' } }
  const endpoints = {
    '/sign-in/email-otp': { otp: '000000' },
    '/sign-in/magic-link': { callbackURL: '/' },
    '/update-user': {},
  }
  const cases = Object.entries(invalid).flatMap(([code, fields]) =>
    Object.entries(endpoints).map(([path, body]) => ({ path, code, body: { ...body, ...fields } })),
  )
  test.each(cases)('$path refuses with $code', async ({ path, code, body }) => {
    for (const who of everyone) {
      const browser = await viewers[who]()
      const response = await browser.call(`/api/auth${path}`, { body: path === '/update-user' ? body : { email: newAddress(), ...body } })
      expect([who, await shortOf(response)]).toEqual([who, `400 ${code}`])
    }
  })
})

describe('the placeholder address of a guest', () => {
  const endpoints = {
    '/sign-in/magic-link': { callbackURL: '/' },
    '/email-otp/send-verification-otp': { type: 'sign-in' },
    '/sign-in/email-otp': { otp: '000000' },
    '/organization/invite-member': { role: 'member', organizationId: 'x' },
  }
  test.each(Object.entries(endpoints))('%s refuses it with INVALID_EMAIL', async (path, body) => {
    const { userId } = await guest()
    const address = await env.DB.prepare('select email from user where id = ?').bind(userId).first<string>('email')
    for (const who of everyone) {
      const browser = await viewers[who]()
      for (const email of [address, address?.toUpperCase()])
        expect([who, await shortOf(await browser.call(`/api/auth${path}`, { body: { email, ...body } }))]).toEqual([
          who,
          '400 INVALID_EMAIL',
        ])
    }
  })
})

describe('a full account', () => {
  const refused = { visitor: false, 'guest without threads': false, 'guest with threads': true, 'another account': false } as const
  const arrive = async (who: keyof typeof refused): Promise<Browser> => {
    if (who === 'visitor') return new Browser()
    if (who === 'another account') return account()
    const { browser, userId } = await guest()
    if (who === 'guest with threads') await insert(content, 'thread', threadRow(userId))
    return browser
  }
  test.each(Object.entries(refused))('%s is refused with ACCOUNT_FULL: %s', async (who, isRefused) => {
    const email = newAddress()
    const { userId } = await signInByCode(new Browser(), email)
    await insert(content, 'thread', threadRow(userId))
    await content
      .prepare('update contentUse set rows = ? where userId = ?')
      .bind(storedContentRows.free + 1, userId)
      .run()
    const browser = await arrive(who as keyof typeof refused)
    await browser.json('/api/auth/sign-in/magic-link', { body: { email, callbackURL: '/' } })
    const byCode = await browser.call('/api/auth/sign-in/email-otp', { body: { email, otp: await codeFor(email) } })
    expect(await shortOf(byCode)).toBe(isRefused ? '409 ACCOUNT_FULL' : '200')
    const byLink = await submitLink(isRefused ? browser : await arrive(who as keyof typeof refused), new URL(await linkFor(email)))
    const location = byLink.headers.get('location') ?? ''
    expect(location.includes('ACCOUNT_FULL')).toBe(isRefused)
  })
})

describe('an address that reached its limit, in production', () => {
  const bindings = { ...production, DISABLED_FEATURES: 'redis' } as Env
  const app = createApp(async () => ({}))
  const server = { fetch: async (url: string, init: RequestInit) => app.request(url, init, bindings, executionContext) }
  const { authSecret } = mustSettings(bindings)

  beforeEach(() => {
    vi.spyOn(globalThis, 'fetch').mockImplementation(async () => new Response('{}'))
  })
  afterEach(() => {
    vi.restoreAllMocks()
  })

  const guestHere = async () => {
    const browser = new Browser(server)
    await browser.json('/api/auth/sign-in/anonymous', { body: {} })
    return browser
  }
  const limits = [
    { path: '/sign-in/magic-link', name: 'mail', max: signInMailsPer10Min, body: { callbackURL: '/' } },
    { path: '/email-otp/send-verification-otp', name: 'mail', max: signInMailsPer10Min, body: { type: 'sign-in' } },
    { path: '/sign-in/email-otp', name: 'try', max: codeTriesPer10Min, body: { otp: '000000' } },
  ]
  let networks = 0
  /** From a network of its own, whose limits other tests do not reach. */
  const callFrom = (browser: Browser) => {
    const headers = { 'cf-connecting-ip': `2001:db8:1:${(++networks).toString(16)}::1` }
    return (path: string, body: object) => browser.call(`/api/auth${path}`, { body, headers })
  }

  test.each(limits)('$path refuses it with 429 with and without a session', async ({ path, name, max, body }) => {
    const email = newAddress()
    await countHit(env, `${name}:${await addressDigest(authSecret, email)}`, 600, Date.now(), max.address)
    for (const browser of [new Browser(server), await guestHere()]) {
      const call = callFrom(browser)
      const response = await call(path, { email, ...body })
      expect(await shortOf(response)).toBe('429 rate_limited')
      expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
      expect((await call(path, { email: newAddress(), ...body })).status).not.toBe(429)
    }
  })

  test('/organization/invite-member counts no viewer who cannot invite', async () => {
    const email = newAddress()
    const digest = await addressDigest(authSecret, email)
    const refused = [
      [new Browser(server), 401],
      [await guestHere(), 404],
    ] as const
    for (const [browser, status] of refused) {
      const call = callFrom(browser)
      for (let mail = 0; mail <= invitationMailsPerHour.inviter; mail++)
        expect((await call('/organization/invite-member', { email, role: 'member', organizationId: 'x' })).status).toBe(status)
    }
    expect((await countHit(env, `invitation:${digest}`, 3600, Date.now(), 0)).count).toBe(0)
  })
})

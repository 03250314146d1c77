// Rate limits of sign-in: per network for each endpoint, and per email address.
import { describe, expect, test } from 'vitest'
import {
  codeTriesPer10Min,
  codeTriesPerDay,
  directoryWritesPerHour,
  invitationMailsPerHour,
  maxTriesPerCode,
  signInMailsPer10Min,
  wideNetworkFactors,
} from '../../../worker/auth/auth-limits.ts'
import type { Counter } from '../../../worker/auth/counters.ts'
import { type Networks, networksOfAddress, publicNetworksOf } from '../../../worker/auth/networks.ts'
import {
  assertAddressLimit,
  assertWriteLimit,
  authRateLimits,
  isLinkUseAllowed,
  sharesRetryAfterS,
  writesDirectory,
} from '../../../worker/auth/rate-limits.ts'

function counting(): { readonly count: Counter } {
  const keys = new Map<string, number>()
  const count: Counter = async (key) => {
    keys.set(key, (keys.get(key) ?? 0) + 1)
    return { count: keys.get(key) ?? 0, leftS: 30 }
  }
  return { count }
}

test('limits guest creation per network and reports the seconds to wait', async () => {
  const { customRules, customStorage } = authRateLimits('production', counting().count)
  const rule = customRules['/sign-in/anonymous']
  for (let i = 0; i < rule.max; i++)
    expect(await customStorage.consume('127.0.0.1|/sign-in/anonymous', rule)).toMatchObject({ allowed: true })
  expect(await customStorage.consume('127.0.0.1|/sign-in/anonymous', rule)).toEqual({ allowed: false, retryAfter: 30 })
  expect(await customStorage.consume('127.0.0.2|/sign-in/anonymous', rule)).toMatchObject({ allowed: true })
})

const attemptOf = (path: string, changes: Partial<Parameters<typeof assertAddressLimit>[2]> = {}) => ({
  path,
  digest: 'ada',
  networks: networksOfAddress('203.0.113.1'),
  knownBrowser: null,
  inviter: null,
  assertSolved: null,
  ...changes,
})

/** The nth address. No two addresses share a network of any size. */
const elsewhere = (n: number): Networks => networksOfAddress(`${100 + (n % 100)}.${Math.floor(n / 100)}.0.1`)

const tooMany = { status: 'TOO_MANY_REQUESTS' }
const link = '/sign-in/magic-link'
const send = '/email-otp/send-verification-otp'
const tryCode = '/sign-in/email-otp'
const invite = '/organization/invite-member'

test('limits mails to an address per network, for links and codes together', async () => {
  const { count } = counting()
  const ask = (path: string, changes = {}) => assertAddressLimit('production', count, attemptOf(path, changes))
  for (let i = 0; i < signInMailsPer10Min.line; i++) await ask(i % 2 === 0 ? link : send)
  await expect(ask(link)).rejects.toMatchObject(tooMany)
  await expect(ask(send)).rejects.toMatchObject(tooMany)
  await ask(link, { networks: networksOfAddress('203.0.113.2') })
  await ask(link, { digest: 'ben' })
  await ask('/get-session')
})

/** Addresses within one network of each size, each in another network of the next narrower size. */
const hex = (n: number) => n.toString(16)
const sizes: readonly (readonly [string, 'line' | 'site' | 'block', (n: number) => string])[] = [
  ['IPv4 address', 'line', () => '198.51.100.1'],
  ['IPv6 /64', 'line', (n) => `2001:db8:0:1::${hex(n)}`],
  ['IPv6 /56', 'site', (n) => `2001:db8:0:${hex(n % 256)}::1`],
  ['IPv6 /48', 'block', (n) => `2001:db8:0:${hex((n * 257) % 65_536)}::1`],
  ['IPv4 /24', 'block', (n) => `198.51.100.${n % 256}`],
]
const rules = [
  [link, signInMailsPer10Min],
  [tryCode, codeTriesPer10Min],
  [invite, invitationMailsPerHour],
] as const

test.each(rules.flatMap(([path, max]) => sizes.map(([name, size, address]) => ({ path, max, name, size, address }))))(
  '$path: one $name cannot exhaust the limit of an address',
  async ({ path, max, size, address }) => {
    const { count } = counting()
    const ask = (networks: Networks) => assertAddressLimit('production', count, attemptOf(path, { networks }))
    const attempts = await Promise.allSettled(Array.from({ length: 400 }, (_, n) => ask(networksOfAddress(address(n)))))
    expect(attempts.filter(({ status }) => status === 'fulfilled')).toHaveLength(max[size])
    for (let n = 0; n < max.address - max[size]; n++) await ask(elsewhere(n))
    await expect(ask(elsewhere(200))).rejects.toMatchObject(tooMany)
  },
)

test('tries of a code for one address are limited per day, over all networks', async () => {
  const byWindow = new Map<number, Map<string, number>>()
  /** Ten minutes pass between two attempts: only the windows of a day continue. */
  const count: Counter = async (key, windowS) => {
    const counts = byWindow.get(windowS) ?? new Map<string, number>()
    byWindow.set(windowS, counts)
    const hits = windowS > 600 ? (counts.get(key) ?? 0) + 1 : 1
    counts.set(key, hits)
    return { count: hits, leftS: 30 }
  }
  const ask = (changes = {}) => assertAddressLimit('production', count, attemptOf(tryCode, changes))
  for (let n = 0; n < codeTriesPerDay.address; n++) await ask({ networks: elsewhere(n) })
  await expect(ask({ networks: elsewhere(300) })).rejects.toMatchObject(tooMany)
  await ask({ digest: 'ben' })
  await ask({ knownBrowser: 'desk' })
  const assertSolved = async () => undefined
  for (let n = 0; n < codeTriesPerDay.solved; n++) await ask({ assertSolved })
  await expect(ask({ assertSolved })).rejects.toMatchObject(tooMany)
})

describe('a solved Turnstile challenge', () => {
  test.each(rules.slice(0, 2))('%s: gets through when other networks have exhausted the limit of the address', async (path, max) => {
    const { count } = counting()
    let challenges = 0
    const solve = async () => void challenges++
    const ask = (changes = {}) => assertAddressLimit('production', count, attemptOf(path, { assertSolved: solve, ...changes }))
    for (let n = 0; n < 2 * max.address; n++) await ask({ networks: elsewhere(n), assertSolved: null }).catch(() => null)
    await expect(ask({ assertSolved: null })).rejects.toMatchObject(tooMany)
    await ask()
    expect(challenges).toBe(1)
    const unsolved = () => Promise.reject(new Error('captcha_required'))
    await expect(ask({ assertSolved: unsolved })).rejects.toThrow('captcha_required')
    // One line that solves challenges does not keep others out.
    for (let n = 0; n < 100; n++) await ask({ networks: elsewhere(500) }).catch(() => null)
    await ask({ networks: elsewhere(501) })
  })

  test('is not required below the limits, and does not lift the limit of an inviter', async () => {
    const { count } = counting()
    const assertSolved = () => Promise.reject(new Error('captcha_required'))
    for (const path of [link, tryCode]) await assertAddressLimit('production', count, attemptOf(path, { assertSolved }))
    const ask = () => assertAddressLimit('production', count, attemptOf(invite, { assertSolved, inviter: 'owner' }))
    for (let n = 0; n < invitationMailsPerHour.inviter; n++) await ask()
    await expect(ask()).rejects.toMatchObject(tooMany)
  })
})

test.each([
  [link, signInMailsPer10Min],
  [tryCode, codeTriesPer10Min],
])('%s: a known browser has a separate limit, unaffected by other clients', async (path, max) => {
  const { count } = counting()
  for (let i = 0; i < 2 * max.address; i++)
    await assertAddressLimit('production', count, attemptOf(path, { networks: elsewhere(i) })).catch(() => null)
  await expect(assertAddressLimit('production', count, attemptOf(path))).rejects.toMatchObject(tooMany)
  const own = (knownBrowser: string) => assertAddressLimit('production', count, attemptOf(path, { knownBrowser }))
  for (let i = 0; i < max.knownBrowser; i++) await own('desk')
  await expect(own('desk')).rejects.toMatchObject(tooMany)
  await own('phone')
})

describe('invitations to an address', () => {
  const inviting = (count: Counter) => (inviter: string, networks: Networks) =>
    assertAddressLimit('production', count, attemptOf(invite, { inviter, networks }))

  test('accounts of many networks that use up its limit do not block the first invitation of another account', async () => {
    const ask = inviting(counting().count)
    for (let i = 0; i < 2 * invitationMailsPerHour.address; i++)
      for (let mail = 0; mail < invitationMailsPerHour.inviter; mail++) await ask(`stranger-${i}`, elsewhere(i)).catch(() => null)
    await expect(ask('stranger-1', elsewhere(1))).rejects.toMatchObject(tooMany)
    await ask('owner', elsewhere(200))
    // On a network that strangers have used up, too.
    await ask('colleague', elsewhere(1))
  })

  test('further mails of an account count for the account, the network and the address', async () => {
    const ask = inviting(counting().count)
    for (let mail = 0; mail < invitationMailsPerHour.inviter; mail++) await ask('owner', elsewhere(1))
    await expect(ask('owner', elsewhere(2))).rejects.toMatchObject(tooMany)
    const sent = await Promise.allSettled(
      Array.from({ length: 4 * invitationMailsPerHour.line }, (_, i) => ask(`stranger-${i % 4}`, elsewhere(3))),
    )
    // The first mail of each of the four, and the further mails that the network may send.
    expect(sent.filter(({ status }) => status === 'fulfilled')).toHaveLength(4 + invitationMailsPerHour.line)
  })
})

test('the allowed number of wrong attempts does not invalidate a code', () => {
  // Two windows can overlap the five minutes of one code.
  const { address, knownBrowser, solved } = codeTriesPer10Min
  expect(2 * (address + knownBrowser + solved.address)).toBeLessThan(maxTriesPerCode)
})

describe('the networks of an address', () => {
  test.each([
    ['203.0.113.7', { line: '203.0.113.7', block: '203.0.113.0/24', provider: '203.0.0.0/16' }],
    [
      '2001:db8:12:3456::1',
      {
        line: '2001:0db8:0012:3456:0000:0000:0000:0000',
        site: '2001:0db8:0012:3400:0000:0000:0000:0000/56',
        block: '2001:0db8:0012:0000:0000:0000:0000:0000/48',
        provider: '2001:0db8:0000:0000:0000:0000:0000:0000/32',
      },
    ],
  ])('%s', (address, networks) => {
    expect(networksOfAddress(address)).toEqual(networks)
  })

  test.each([
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['::FFFF:203.0.113.7', '203.0.113.7'],
    ['::ffff:cb00:7107', '203.0.113.7'],
    ['0:0:0:0:0:ffff:203.0.113.7', '203.0.113.7'],
    ['0000:0000:0000:0000:0000:FFFF:CB00:7107', '203.0.113.7'],
    ['2001:DB8:0:1:0:0:0:1', '2001:db8:0:1::1'],
    ['2001:0db8:0000:0001::', '2001:db8:0:1::1'],
    ['2001:db8::1:ffff:1:2:3', '2001:db8:0:1::1'],
    [' 203.0.113.7 ', '203.0.113.7'],
  ])('%s is the same network as %s', (spelling, address) => {
    expect(networksOfAddress(spelling)).toEqual(networksOfAddress(address))
  })

  test.each(['127.0.0.1', '::1', '0:0:0:0:0:0:0:1', '::ffff:127.0.0.1', '::ffff:7f00:1'])('%s is not public', (address) => {
    expect(publicNetworksOf(new Headers({ 'cf-connecting-ip': address }))).toBeNull()
  })
})

describe('limits per minute', () => {
  const isLinkAllowed = (count: Counter, address: string, exists = false) =>
    isLinkUseAllowed('production', count, networksOfAddress(address), async () => exists)
  const perMinute: readonly (readonly [string, (count: Counter) => (address: string) => Promise<boolean>])[] = [
    ['uses of links', (count) => (address) => isLinkAllowed(count, address)],
    ['shared pages', (count) => async (address) => (await sharesRetryAfterS('production', count, networksOfAddress(address))) === null],
    [
      'guests',
      (count) => {
        const { customRules, customStorage } = authRateLimits('production', count)
        return async (address) =>
          (await customStorage.consume(`${networksOfAddress(address).line}|/sign-in/anonymous`, customRules['/sign-in/anonymous'])).allowed
      },
    ],
  ]

  test.each(perMinute)('%s: a wider network has a higher limit, which its parts use up together', async (_name, limitWith) => {
    for (const [, size, address] of sizes) {
      const ask = limitWith(counting().count)
      const lineAllows = limitWith(counting().count)
      let line = 0
      while (await lineAllows('192.0.2.1')) line++
      let allowed = 0
      for (let n = 0; n < 5 * line; n++) if (await ask(address(n))) allowed++
      const available =
        address(0) === '198.51.100.0' || address(0).startsWith('2001') ? { ...wideNetworkFactors, line: 1 } : { line: 1, site: 1, block: 1 }
      expect([size, allowed]).toEqual([size, line * available[size]])
      expect(await ask('192.0.2.1')).toBe(true)
    }
  })

  test('a link that exists can be used from a network that has used up its limit', async () => {
    const { count } = counting()
    while (await isLinkAllowed(count, '203.0.113.1'));
    expect(await isLinkAllowed(count, '203.0.113.1', true)).toBe(true)
  })
})

test('invitations to an address do not count as its sign-in mails', async () => {
  const { count } = counting()
  const ask = (path: string) => assertAddressLimit('production', count, attemptOf(path))
  for (let i = 0; i < invitationMailsPerHour.line; i++) await ask(invite)
  await expect(ask(invite)).rejects.toMatchObject(tooMany)
  await ask(link)
})

test('limits the directory writes of a user over all endpoints and networks', async () => {
  const { count } = counting()
  for (let i = 0; i < directoryWritesPerHour; i++) await assertWriteLimit('production', count, 'ada')
  await expect(assertWriteLimit('production', count, 'ada')).rejects.toMatchObject(tooMany)
  await assertWriteLimit('production', count, 'ben')
  const writes = ['/update-user', '/organization/create', '/organization/update', '/organization/remove-member', '/organization/set-active']
  const reads = ['/get-session', '/organization/get-full-organization', '/organization/list-members', '/organization/has-permission']
  expect([...writes, ...reads].filter(writesDirectory)).toEqual(writes)
})

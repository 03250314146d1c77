// Rate limits of sign-in: per network for each endpoint, and per email address.
import { describe, expect, test } from 'vitest'
import type { Counter } from '../../../worker/auth/counters.ts'
import {
  assertAddressLimit,
  assertWriteLimit,
  authRateLimits,
  isLinkUseAllowed,
  networkOf,
  writesDirectory,
} from '../../../worker/auth/rate-limits.ts'
import {
  codeTriesPer10Min,
  directoryWritesPerHour,
  invitationMailsPerHour,
  maxTriesPerCode,
  signInMailsPer10Min,
} from '../../../worker/contract/limits.ts'

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
  network: '203.0.113.1',
  knownBrowser: null,
  inviter: null,
  ...changes,
})

const tooMany = { status: 'TOO_MANY_REQUESTS' }
const link = '/sign-in/magic-link'
const send = '/email-otp/send-verification-otp'
const tryCode = '/sign-in/email-otp'
const invite = '/organization/invite-member'

test('limits mails to an address per network, for links and codes together', async () => {
  const { count } = counting()
  const ask = (path: string, changes = {}) => assertAddressLimit('production', count, attemptOf(path, changes))
  for (let i = 0; i < signInMailsPer10Min.network; i++) await ask(i % 2 === 0 ? link : send)
  await expect(ask(link)).rejects.toMatchObject(tooMany)
  await expect(ask(send)).rejects.toMatchObject(tooMany)
  await ask(link, { network: '203.0.113.2' })
  await ask(link, { digest: 'ben' })
  await ask('/get-session')
})

test.each([
  [link, signInMailsPer10Min],
  [tryCode, codeTriesPer10Min],
  [invite, invitationMailsPerHour],
])('%s: one network cannot exhaust the limit of an address, many networks together can', async (path, max) => {
  const { count } = counting()
  const ask = (network: string) => assertAddressLimit('production', count, attemptOf(path, { network }))
  const attempts = Array.from({ length: 10 * max.address }, () => ask('198.51.100.1').catch(() => null))
  await Promise.all(attempts)
  await ask('203.0.113.9')
  const others = Array.from({ length: max.address }, (_, i) => ask(`192.0.2.${i}`))
  const refused = (await Promise.allSettled(others)).filter(({ status }) => status === 'rejected')
  expect(refused).toHaveLength(max.network + 1)
})

test.each([
  [link, signInMailsPer10Min],
  [tryCode, codeTriesPer10Min],
])('%s: a known browser has a separate limit, unaffected by other clients', async (path, max) => {
  const { count } = counting()
  for (let i = 0; i < 2 * max.address; i++)
    await assertAddressLimit('production', count, attemptOf(path, { network: `192.0.2.${i}` })).catch(() => null)
  await expect(assertAddressLimit('production', count, attemptOf(path))).rejects.toMatchObject(tooMany)
  const own = (knownBrowser: string) => assertAddressLimit('production', count, attemptOf(path, { knownBrowser }))
  for (let i = 0; i < max.knownBrowser; i++) await own('desk')
  await expect(own('desk')).rejects.toMatchObject(tooMany)
  await own('phone')
})

describe('invitations to an address', () => {
  const inviting = (count: Counter) => (inviter: string, network: string) =>
    assertAddressLimit('production', count, attemptOf(invite, { inviter, network }))

  test('accounts of many networks that use up its limit do not block the first invitation of another account', async () => {
    const ask = inviting(counting().count)
    for (let i = 0; i < 2 * invitationMailsPerHour.address; i++)
      for (let mail = 0; mail < invitationMailsPerHour.inviter; mail++) await ask(`stranger-${i}`, `192.0.2.${i}`).catch(() => null)
    await expect(ask('stranger-1', '192.0.2.1')).rejects.toMatchObject(tooMany)
    await ask('owner', '203.0.113.1')
    // On a network that strangers have used up, too.
    await ask('colleague', '192.0.2.1')
  })

  test('further mails of an account count for the account, the network and the address', async () => {
    const ask = inviting(counting().count)
    for (let mail = 0; mail < invitationMailsPerHour.inviter; mail++) await ask('owner', '203.0.113.1')
    await expect(ask('owner', '203.0.113.2')).rejects.toMatchObject(tooMany)
    const sent = await Promise.allSettled(
      Array.from({ length: 4 * invitationMailsPerHour.network }, (_, i) => ask(`stranger-${i % 4}`, '192.0.2.1')),
    )
    // The first mail of each of the four, and the further mails that the network may send.
    expect(sent.filter(({ status }) => status === 'fulfilled')).toHaveLength(4 + invitationMailsPerHour.network)
  })
})

test('the allowed number of wrong attempts does not invalidate a code', () => {
  // Two windows can overlap the five minutes of one code.
  expect(2 * codeTriesPer10Min.address + 2 * codeTriesPer10Min.knownBrowser).toBeLessThan(maxTriesPerCode)
})

test('counts all IPv6 addresses of one /64 as one network', () => {
  const networkOfIp = (ip: string) => networkOf(new Headers({ 'cf-connecting-ip': ip }))
  expect(networkOfIp('2001:db8:1:2::1')).toBe(networkOfIp('2001:db8:1:2:ffff:1:2:3'))
  expect(networkOfIp('2001:db8:1:2::1')).not.toBe(networkOfIp('2001:db8:1:3::1'))
  expect(networkOfIp('203.0.113.7')).toBe('203.0.113.7')
})

test('limits uses of magic links per network', async () => {
  const { count } = counting()
  const uses = await Promise.all(Array.from({ length: 30 }, () => isLinkUseAllowed('production', count, '203.0.113.1')))
  expect([uses[0], uses.at(-1)]).toEqual([true, false])
  expect(await isLinkUseAllowed('production', count, '203.0.113.2')).toBe(true)
})

test('invitations to an address do not count as its sign-in mails', async () => {
  const { count } = counting()
  const ask = (path: string) => assertAddressLimit('production', count, attemptOf(path))
  for (let i = 0; i < invitationMailsPerHour.network; i++) await ask(invite)
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

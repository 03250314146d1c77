// Daily credit ceilings of guests: by network and for all guests together, enforced by the ledger's triggers.

import { describe, expect, test } from 'vitest'
import {
  allGuestsCreditsPerDay,
  creditsPerDay,
  guestNetworkCreditsPerDay,
  guestWideCreditsPerDay,
} from '../../../worker/contract/limits.ts'
import { linkGuest } from '../../../worker/db/account-linking.ts'
import { classifyD1Error } from '../../../worker/db/errors.ts'
import { newId } from '../../../worker/db/new-id.ts'
import { systemClock } from '../../../worker/lib/clock.ts'
import { runScheduledWork } from '../../../worker/scheduled.ts'
import { insert, ledgerRow } from '../../support/rows.ts'
import { auditOnly } from '../audit.ts'
import { content } from '../bindings.ts'
import { connected, env, threadList, turnArgs } from '../sync-wire.ts'
import { Browser, type SessionBody, signInByCode } from './browser.ts'

auditOnly('usage')

const today = Math.floor(Date.now() / 86_400_000)

async function guestFrom(address: string) {
  const browser = new Browser()
  await browser.json('/api/auth/sign-in/anonymous', { body: {}, headers: { 'cf-connecting-ip': address } })
  const { user } = await browser.json<SessionBody>('/api/auth/get-session')
  return { browser, userId: user.id }
}

const networkOf = (userId: string) =>
  content.prepare('select network from guestNetwork where userId = ?').bind(userId).first<string>('network')
const usedOn = async (network: string | null, day = today) =>
  (await content.prepare('select credits from guestUse where day = ? and network = ?').bind(day, network).first<number>('credits')) ?? 0

const reserve = (userId: string, credits: number, day = today) => {
  const row = ledgerRow(userId, newId(), 'reserve', { credits, day, dailyLimit: creditsPerDay.guest })
  const done = insert(content, 'creditLedger', row).then(() => 'reserved', classifyD1Error)
  return { id: String(row.generationId), done }
}
const refused = { kind: 'guard', code: 'guest_limit_reached' }

describe('the ceiling of a network', () => {
  test('holds exactly when its guests reserve in parallel', async () => {
    const guests = await Promise.all(Array.from({ length: 13 }, () => guestFrom('192.0.2.1')))
    // 13 guests with 20 credits each ask for 260 of 200, in 52 parallel reservations.
    const outcomes = await Promise.all(guests.flatMap(({ userId }) => [5, 5, 5, 5].map((credits) => reserve(userId, credits).done)))
    expect(outcomes.filter((outcome) => outcome === 'reserved')).toHaveLength(guestNetworkCreditsPerDay / 5)
    expect(outcomes.filter((outcome) => outcome !== 'reserved')).toEqual(Array.from({ length: 12 }, () => refused))
    expect(await usedOn(await networkOf(guests[0]?.userId ?? ''))).toBe(guestNetworkCreditsPerDay)
  })

  test('keeps the credits of a failed turn that was not charged', async () => {
    const { userId } = await guestFrom('192.0.2.77')
    const { id, done } = reserve(userId, 5)
    await done
    await insert(content, 'creditLedger', ledgerRow(userId, id, 'release', { credits: -5, day: today, unpaid: 1 }))
    expect(await usedOn(await networkOf(userId))).toBe(5)
  })

  test('counts an IPv6 /64 as one network and other networks apart', async () => {
    const [first, same, other] = [
      await guestFrom('2001:db8:1:2::1'),
      await guestFrom('2001:db8:1:2:ffff::2'),
      await guestFrom('2001:db8:1:3::1'),
    ]
    expect(await networkOf(same.userId)).toBe(await networkOf(first.userId))
    expect(await networkOf(other.userId)).not.toBe(await networkOf(first.userId))
    expect(await networkOf(first.userId)).toMatch(/^[0-9a-f]{32}$/)
  })

  test('is refused over the socket with a sentence that suggests to log in', async () => {
    const { browser, userId } = await guestFrom('192.0.2.2')
    await content
      .prepare('insert into guestUse (day, network, credits) values (?, ?, ?)')
      .bind(today, await networkOf(userId), guestNetworkCreditsPerDay)
      .run()
    // The sum of all networks counts what each of them counts.
    await content
      .prepare(
        "insert into guestUse (day, network, credits) values (?1, '', ?2) on conflict (day, network) do update set credits = credits + ?2",
      )
      .bind(today, guestNetworkCreditsPerDay)
      .run()
    const { token } = await browser.json<{ token: string }>('/api/auth/token')
    const wire = await connected({ userId, token }, { queries: [threadList] })
    const id = wire.mutate('threads.send', turnArgs())
    await wire.confirmed(id)
    expect(wire.results.get(`${wire.clientID}/${id}`)).toMatchObject({
      error: 'app',
      details: { code: 'guest_limit_reached' },
    })
    expect(wire.rowsOf('thread')).toEqual([])
  })

  test('gets released credits back, also after the guest became an account', async () => {
    const [guest, { userId: accountId }] = [await guestFrom('192.0.2.3'), await signInByCode(new Browser(), 'released@guests.test')]
    const network = await networkOf(guest.userId)
    const [kept, released, moved] = [reserve(guest.userId, 5), reserve(guest.userId, 4), reserve(guest.userId, 3)]
    await Promise.all([kept.done, released.done, moved.done])
    await insert(content, 'creditLedger', ledgerRow(guest.userId, kept.id, 'settle', { day: today }))
    await insert(content, 'creditLedger', ledgerRow(guest.userId, released.id, 'release', { credits: -4, day: today }))
    expect(await usedOn(network)).toBe(8)
    await linkGuest(env, { guestId: guest.userId, accountId }, Date.now())
    await insert(content, 'creditLedger', ledgerRow(accountId, moved.id, 'release', { credits: -3, day: today }))
    expect(await usedOn(network)).toBe(5)
    expect(await reserve(accountId, 15).done).toBe('reserved')
    expect([await usedOn(network), await networkOf(guest.userId)]).toEqual([5, null])
  })

  test('is not reset by a guest who deletes everything and starts again', async () => {
    const first = await guestFrom('192.0.2.4')
    const network = await networkOf(first.userId)
    await reserve(first.userId, 20).done
    expect((await first.browser.call('/api/auth/delete-user', { body: {} })).status).toBe(200)
    const second = await guestFrom('192.0.2.4')
    expect([await networkOf(second.userId), await usedOn(network)]).toEqual([network, 20])
  })

  test('does not apply to guests without a public address, as on a local server', async () => {
    const [first, second] = [await guestFrom('127.0.0.1'), await guestFrom('::1')]
    expect(await networkOf(first.userId)).not.toBe(await networkOf(second.userId))
  })
})

describe('the ceiling of a wider network', () => {
  const wideOf = async (userId: string) => {
    const { results } = await content
      .prepare('select size, wide from guestWideNetwork where network = ?')
      .bind(await networkOf(userId))
      .all<{ readonly size: string; readonly wide: string }>()
    return Object.fromEntries(results.map(({ size, wide }) => [size, wide]))
  }
  const wideUse = (wide: string | undefined) =>
    content
      .prepare('select credits from guestWideUse where day = ? and wide = ?')
      .bind(today, wide ?? null)
      .first<number>('credits')

  test.each([
    ['IPv6 /56', 'site', '2001:db8:100:100::1', '2001:db8:100:1ff::1', '2001:db8:100:200::1'],
    ['IPv6 /48', 'block', '2001:db8:101:100::1', '2001:db8:101:200::1', '2001:db8:102:100::1'],
    ['IPv6 /32', 'provider', '2001:db9:101:100::1', '2001:db9:102:100::1', '2001:dba:102:100::1'],
    ['IPv4 /24', 'block', '198.18.1.1', '198.18.1.2', '198.18.2.1'],
    ['IPv4 /16', 'provider', '198.19.1.1', '198.19.2.1', '198.51.2.1'],
  ] as const)('%s: holds for all its parts together', async (_name, size, first, same, other) => {
    const [guest, neighbour, stranger] = [await guestFrom(first), await guestFrom(same), await guestFrom(other)]
    const { [size]: wide } = await wideOf(guest.userId)
    await content
      .prepare('insert into guestWideUse (day, wide, size, credits) values (?, ?, ?, ?)')
      .bind(today, wide, size, guestWideCreditsPerDay[size] - 10)
      .run()
    const kept = reserve(guest.userId, 6)
    expect(await kept.done).toBe('reserved')
    expect(await reserve(neighbour.userId, 4).done).toBe('reserved')
    expect(await reserve(neighbour.userId, 1).done).toEqual(refused)
    expect(await reserve(stranger.userId, 1).done).toBe('reserved')
    await insert(content, 'creditLedger', ledgerRow(guest.userId, kept.id, 'release', { credits: -6, day: today }))
    expect(await wideUse(wide)).toBe(guestWideCreditsPerDay[size] - 6)
    expect(await reserve(neighbour.userId, 1).done).toBe('reserved')
  })

  test('counts what guests really use', async () => {
    const guests = [await guestFrom('2001:db8:200:100::1'), await guestFrom('2001:db8:200:101::1')]
    for (const { userId } of guests) await reserve(userId, 7).done
    const wide = await wideOf(guests[0]?.userId ?? '')
    expect(await Promise.all(['site', 'block', 'provider'].map((size) => wideUse(wide[size])))).toEqual([14, 14, expect.any(Number)])
  })

  test('no network can use up the credits of all guests, and is forgotten with its last guest', async () => {
    const shares = [guestNetworkCreditsPerDay, ...Object.values(guestWideCreditsPerDay)].map((credits) => credits / allGuestsCreditsPerDay)
    expect(Math.max(...shares)).toBeLessThanOrEqual(1 / 4)
    const { browser, userId } = await guestFrom('2001:db8:300:100::1')
    const network = await networkOf(userId)
    const left = () => content.prepare('select count(*) n from guestWideNetwork where network = ?').bind(network).first<number>('n')
    expect(await left()).toBe(3)
    expect((await browser.call('/api/auth/delete-user', { body: {} })).status).toBe(200)
    expect(await left()).toBe(0)
  })
})

test('the ceiling of all guests holds exactly, and a new day starts at zero', async () => {
  const day = today + 1
  const guests = await Promise.all(Array.from({ length: 10 }, (_, i) => guestFrom(`198.51.100.${i}`)))
  const before = allGuestsCreditsPerDay - 25
  await content.batch([
    // Filled in portions that no network exceeds.
    ...Array.from({ length: Math.ceil(before / guestNetworkCreditsPerDay) }, (_, i) =>
      content
        .prepare('insert into guestUse (day, network, credits) values (?, ?, ?)')
        .bind(day, `share-${i}`, Math.min(guestNetworkCreditsPerDay, before - i * guestNetworkCreditsPerDay)),
    ),
    content.prepare("insert into guestUse (day, network, credits) values (?, '', ?)").bind(day, before),
  ])
  const outcomes = await Promise.all(guests.map(({ userId }) => reserve(userId, 5, day).done))
  expect(outcomes.filter((outcome) => outcome === 'reserved')).toHaveLength(5)
  expect(outcomes.filter((outcome) => outcome !== 'reserved')).toEqual(Array.from({ length: 5 }, () => refused))
  expect(await usedOn('', day)).toBe(allGuestsCreditsPerDay)
  expect(await Promise.all(guests.map(({ userId }) => reserve(userId, 5, day + 1).done))).toEqual(guests.map(() => 'reserved'))
})

test('the scheduled job removes the counters of past days', async () => {
  const { userId } = await guestFrom('203.0.113.1')
  const network = await networkOf(userId)
  for (const day of [today - 2, today - 1, today]) await reserve(userId, 1, day).done
  await runScheduledWork(env, systemClock)
  const days = async (table: string) =>
    (await content.prepare(`select day from ${table} where network = ? order by day`).bind(network).all<{ day: number }>()).results.map(
      ({ day }) => day,
    )
  expect([await days('guestUse'), await days('guestReservation')]).toEqual([
    [today - 1, today],
    [today - 1, today],
  ])
})

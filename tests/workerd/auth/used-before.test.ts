// An account that is deleted and created again on the same day continues with the usage of that day.
import { expect, test } from 'vitest'
import { dayMs, dayOf } from '../../../worker/contract/access.ts'
import { forksPerDay, storedContentBytes, storedContentRows } from '../../../worker/contract/limits.ts'
import { checkContentStatement } from '../../../worker/db/content-use.ts'
import { newId } from '../../../worker/db/new-id.ts'
import { newUserId } from '../../../worker/db/shards.ts'
import { systemClock } from '../../../worker/lib/clock.ts'
import { runScheduledWork } from '../../../worker/scheduled.ts'
import { insert, ledgerRow, threadRow, userRow } from '../../support/rows.ts'
import { auditOnly } from '../audit.ts'
import { content, env } from '../bindings.ts'
import { Browser, guest, signInByCode } from './browser.ts'

auditOnly('ledger')

const { DB } = env
const today = dayOf(Date.now())

async function account(email: string, browser = new Browser()) {
  const { userId } = await signInByCode(browser, email)
  return { browser, userId }
}

/** One settled and one open reservation: 12 credits, 2 searches and 1 research. */
async function use(userId: string): Promise<void> {
  const [ended, open] = [newId(), newId()]
  const limits = { day: today, dailyLimit: 200, searchLimit: 50, researchLimit: 15 }
  await insert(content, 'creditLedger', ledgerRow(userId, ended, 'reserve', { credits: 5, search: 1, research: 1, ...limits }))
  await insert(content, 'creditLedger', ledgerRow(userId, ended, 'settle', { day: today }))
  await insert(content, 'creditLedger', ledgerRow(userId, open, 'reserve', { credits: 7, search: 1, research: 0, ...limits }))
}

const usageOf = (userId: string) =>
  content.prepare('select credits, search, research, day from usage where userId = ?').bind(userId).first<Record<string, number>>()
const remove = async (browser: Browser) => expect((await browser.call('/api/auth/delete-user', { body: {} })).status).toBe(200)
const savedRows = async () => (await DB.prepare('select * from usedBefore').all()).results

test('deleting an account does not reset the usage of the day', async () => {
  const first = await account('again@used.test')
  await use(first.userId)
  await remove(first.browser)
  const second = await account('again@used.test')
  expect(second.userId).not.toBe(first.userId)
  const used = { credits: 12, search: 2, research: 1, day: today }
  expect(await usageOf(second.userId)).toEqual(used)
  await remove(second.browser)
  const third = await account('again@used.test')
  expect(await usageOf(third.userId)).toEqual(used)
  expect(await usageOf((await account('other@used.test')).userId)).toEqual({ credits: 0, search: 0, research: 0, day: null })
})

test('deleting an account does not reset the unpaid turns of the day', async () => {
  const first = await account('unpaid@used.test')
  for (let turn = 0; turn < 2; turn++) {
    const failed = newId()
    await insert(content, 'creditLedger', ledgerRow(first.userId, failed, 'reserve', { credits: 5, day: today, dailyLimit: 200 }))
    await insert(content, 'creditLedger', ledgerRow(first.userId, failed, 'release', { credits: -5, day: today, unpaid: 1 }))
  }
  await remove(first.browser)
  const second = await account('unpaid@used.test')
  const unpaid = content.prepare('select sum(unpaid) unpaid from creditLedger where userId = ?').bind(second.userId)
  expect(await unpaid.first('unpaid')).toBe(2)
})

test('deleting an account does not reset the forks of the day', async () => {
  const first = await account('forks@used.test')
  const { maxBytes, maxRows } = { maxBytes: storedContentBytes.free, maxRows: storedContentRows.free }
  const fork = async (userId: string, day: number) => {
    await insert(content, 'thread', threadRow(userId))
    await checkContentStatement(content, userId, { maxBytes, maxRows, fork: { day, maxForks: forksPerDay.free } }).run()
  }
  const shown = (userId: string) => content.prepare('select forks, forkDay from usage where userId = ?').bind(userId).first()
  for (let forks = 0; forks < forksPerDay.free; forks++) await fork(first.userId, today)
  await remove(first.browser)
  const second = await account('forks@used.test')
  expect(await shown(second.userId)).toEqual({ forks: forksPerDay.free, forkDay: today })
  await expect(fork(second.userId, today)).rejects.toThrow('fork_limit_reached')
  await fork(second.userId, today + 1)
  expect(await shown(second.userId)).toEqual({ forks: 1, forkDay: today + 1 })
  await fork((await account('no-forks@used.test')).userId, today)
})

test('deleting an account does not reset the mutations of the day', async () => {
  const first = await account('writes@used.test')
  const progress = 'insert into clientProgress (userId, clientGroupID, clientID, lastMutationID, updatedAt) values (?, ?, ?, 1, ?)'
  const writes = (userId: string) => content.prepare('select mutations, mutationDay from contentUse where userId = ?').bind(userId).first()
  await content.prepare(progress).bind(first.userId, 'group', 'client', Date.now()).run()
  await content.prepare('update contentUse set mutations = 250 where userId = ?').bind(first.userId).run()
  await remove(first.browser)
  const second = await account('writes@used.test')
  expect(await writes(second.userId)).toEqual({ mutations: 250, mutationDay: today })
  const shown = content.prepare('select mutations, mutationDay from usage where userId = ?').bind(second.userId)
  expect(await shown.first()).toEqual({ mutations: 200, mutationDay: today })
})

test('usage of the new account adds to the restored usage', async () => {
  const first = await account('adds@used.test')
  await use(first.userId)
  await remove(first.browser)
  const second = await account('adds@used.test')
  await use(second.userId)
  await remove(second.browser)
  expect(await usageOf((await account('adds@used.test')).userId)).toMatchObject({ credits: 24, search: 4, research: 2 })
})

test('a guest who logs in to the address again gets the restored usage in addition to the guest’s', async () => {
  const first = await account('linked@used.test')
  await use(first.userId)
  await remove(first.browser)
  const { browser, userId: guestId } = await guest()
  await insert(content, 'creditLedger', ledgerRow(guestId, newId(), 'reserve', { credits: 3, day: today, dailyLimit: 20 }))
  const { userId } = await account('linked@used.test', browser)
  expect(await usageOf(userId)).toMatchObject({ credits: 15, search: 2 })
})

test('a sign-in during the deletion does not consume the saved usage', async () => {
  const first = await account('during@used.test')
  await use(first.userId)
  await remove(first.browser)
  // A user row that the deletion has not reached yet.
  const dying = await account('during@used.test')
  await DB.prepare('delete from user where id = ?').bind(dying.userId).run()
  expect(await usageOf((await account('during@used.test')).userId)).toMatchObject({ credits: 12 })
})

test('an account whose creation failed before its first rows gets the usage at the next sign-in', async () => {
  const first = await account('halfway@used.test')
  await use(first.userId)
  await remove(first.browser)
  const userId = newUserId(env)
  await insert(DB, 'user', userRow({ id: userId, email: 'halfway@used.test', emailVerified: 1 }))
  expect((await account('halfway@used.test')).userId).toBe(userId)
  expect(await usageOf(userId)).toMatchObject({ credits: 12, search: 2, research: 1 })
})

test('stores no address and nothing about guests, and the scheduled job drops the rows of past days', async () => {
  const { browser, userId } = await account('private@used.test')
  await use(userId)
  const before = await savedRows()
  await remove(browser)
  const saved = (await savedRows()).slice(before.length)
  expect(saved).toEqual([
    {
      address: expect.stringMatching(/^[0-9a-f]{32}$/),
      day: today,
      credits: 12,
      search: 2,
      research: 1,
      unpaid: 0,
      forks: 0,
      mutations: 0,
    },
  ])
  const { browser: guestBrowser } = await guest()
  const count = (await savedRows()).length
  await remove(guestBrowser)
  expect(await savedRows()).toHaveLength(count)
  await runScheduledWork(env, systemClock)
  expect(await savedRows()).toHaveLength(count)
  await runScheduledWork(env, () => Date.now() + dayMs)
  expect(await savedRows()).toEqual([])
})

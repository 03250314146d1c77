// A guest's queue continues for the account, even if no tab of the account is opened. Rule U5 of worker/sync/SPEC.md.

import { runDurableObjectAlarm } from 'cloudflare:test'
import { expect, test } from 'vitest'
import { dayOf } from '../../../worker/contract/access.ts'
import { creditsPerDay } from '../../../worker/contract/limits.ts'
import { linkGuest } from '../../../worker/db/account-linking.ts'
import { newId } from '../../../worker/db/new-id.ts'
import { notify } from '../../../worker/user-sync/rpc.ts'
import { insert, ledgerRow, queuedRow, threadRow } from '../../support/rows.ts'
import { auditOnly } from '../audit.ts'
import { content } from '../bindings.ts'
import { inside } from '../sync-object.ts'
import { connected, env, me, recentThreads, turnArgs } from '../sync-wire.ts'
import { generationOf, givenTurn } from '../turns.ts'
import { until } from '../until.ts'
import { Browser, guest, signInByCode } from './browser.ts'

auditOnly('ledger')

const { DB } = env
const short = '/demo chunks=2 delay=0'
const email = () => `${newId().toLowerCase()}@queue-linking.test`
const all = async (sql: string, ...values: string[]) =>
  (
    await content
      .prepare(sql)
      .bind(...values)
      .all<Record<string, unknown>>()
  ).results
const queuedOf = (userId: string) => all('select hold from queuedMessage where userId = ?', userId)
const completed = (userId: string) => all("select id from generation where userId = ? and status = 'completed'", userId)
/** True if the object stores anything for the user. */
const isKept = (userId: string) => inside({ userId, token: '' }, (_object, { storage }) => storage.kv.get('userId') !== undefined)

/** Resolves when nothing is queued and this many answers exist for the account. */
async function settled(userId: string, answers: number): Promise<void> {
  const looked = async () => ({ queue: await queuedOf(userId), completed: await completed(userId) })
  await until(looked, (found) => found.queue.length === 0 && found.completed.length === answers, 'an empty queue')
}

/** A ready thread of a user with a queued message. */
async function waiting(userId: string, hold: string | null = null): Promise<void> {
  const thread = threadRow(userId)
  await insert(content, 'thread', thread)
  await insert(content, 'queuedMessage', queuedRow(userId, String(thread.id), { text: short, hold }))
}

test("[U5] sends a guest's queued message when the answer ends, without a connection of the account", async () => {
  const { browser, userId: guestId } = await guest()
  const { token } = await browser.json<{ token: string }>('/api/auth/token')
  const wire = await connected({ userId: guestId, token }, { queries: [me, recentThreads] })
  const { threadId, ...asked } = turnArgs('/demo chunks=40 delay=50')
  await wire.confirmed(wire.mutate('threads.send', { threadId, ...asked }))
  for (const text of [short, short]) {
    const queued = { id: newId(), answerId: newId(), threadId, modelId: 'kimi-k2', text, at: 1 }
    await wire.confirmed(wire.mutate('queue.add', queued))
  }
  await wire.close()
  const { userId } = await signInByCode(browser, email())
  await settled(userId, 3)
  expect(await completed(guestId)).toEqual([])
})

test('[U5] account linking sends a message that is due', async () => {
  const { browser, userId: guestId } = await guest()
  await waiting(guestId)
  const { userId } = await signInByCode(browser, email())
  await settled(userId, 1)
})

test('[U5] a message held by a guest limit is sent when the account has credits', async () => {
  const address = email()
  const { userId: accountId } = await signInByCode(new Browser(), address)
  const subscription = { id: 's', status: 'active', currentPeriodEndMs: Date.now() + 60_000_000, cancelAtPeriodEnd: false }
  await insert(DB, 'userCustomer', { id: accountId, userId: accountId, subscription: JSON.stringify(subscription) })
  const { browser, userId: guestId } = await guest()
  await waiting(guestId, 'credits_exhausted')
  const today = dayOf(Date.now())
  await insert(content, 'creditLedger', ledgerRow(guestId, newId(), 'reserve', { credits: creditsPerDay.guest, day: today }))
  await signInByCode(browser, address)
  await settled(accountId, 1)
})

test('[U5] the end of an answer names its user when the notification of account linking was lost', async () => {
  const { userId: accountId } = await signInByCode(new Browser(), email())
  const turn = await givenTurn('/demo chunks=2 delay=0')
  const queued = queuedRow(turn.userId, turn.threadId, { text: short })
  await insert(content, 'queuedMessage', queued)
  await linkGuest(env, { guestId: turn.userId, accountId }, 1)
  await generationOf(turn).start(turn)
  await settled(accountId, 2)
})

test('[U5] the alarm of an object without connections repeats a read that D1 did not answer', async () => {
  const { userId } = await signInByCode(new Browser(), email())
  await waiting(userId)
  const user = { userId, token: '' }
  await inside(user, ({ watch }) => {
    watch.failsAtBatch = watch.batches.length + 1
  })
  await notify(env, [userId], 'queue')
  expect(await queuedOf(userId)).toHaveLength(1)
  await runDurableObjectAlarm(env.USER_SYNC.getByName(userId))
  await settled(userId, 1)
})

test('[U5] a queue that waits for the user, an empty queue or a missing user stores nothing in the object', async () => {
  const { userId: accountId } = await signInByCode(new Browser(), email())
  for (const hold of ['stopped', 'plan_waiting', 'premium_required', undefined]) {
    const { userId: guestId } = await guest()
    if (hold !== undefined) await waiting(guestId, hold)
    expect(await linkGuest(env, { guestId, accountId }, 1), hold).toBe(false)
  }
  await notify(env, [accountId])
  expect(await isKept(accountId)).toBe(false)
  // Named by the end of an answer whose user was deleted.
  const { userId: deletedId } = await signInByCode(new Browser(), email())
  await DB.prepare('delete from user where id = ?').bind(deletedId).run()
  await notify(env, [deletedId], 'queue')
  expect(await isKept(deletedId)).toBe(false)
})

// A queue after a research plan: the plan waits for the user, and no message is sent until the user decides. Rules: worker/turns/SPEC.md,
// U6.

import { expect, test } from 'vitest'
import type { AnswerMessage } from '../../worker/contract/threads/messages.ts'
import { insert } from '../support/rows.ts'
import { content } from './bindings.ts'
import { evict, stubOf } from './sync-object.ts'
import { connected, env, freshId, me, newUser, recentThreads, turnArgs } from './sync-wire.ts'

const turnsOf = async (threadId: string) =>
  (await content.prepare('select id, status from generation where threadId = ? order by createdAt').bind(threadId).all()).results
const queuedOf = async (threadId: string) =>
  (await content.prepare('select id, hold from queuedMessage where threadId = ? order by createdAt').bind(threadId).all()).results

/** A plan, and two messages that were queued before it. */
async function planned() {
  const user = await newUser()
  const subscription = { id: 's', status: 'active', currentPeriodEndMs: Date.now() + 60_000_000, cancelAtPeriodEnd: false }
  await insert(env.DB, 'userCustomer', { id: user.userId, userId: user.userId, subscription: JSON.stringify(subscription) })
  const wire = await connected(user, { queries: [me, recentThreads] })
  const { threadId, answerId: planId, ...args } = turnArgs('/demo delay=0 search=tea')
  const queued = ['first', 'second'].map(() => ({
    ...{ id: freshId('queued'), answerId: freshId('answer'), threadId, modelId: 'kimi-k2' },
    ...{ text: '/demo chunks=2 delay=0', at: 1 },
  }))
  // In one batch: they wait before the plan starts.
  const last = wire.push([
    { name: 'threads.send', args: { threadId, answerId: planId, ...args, mode: 'research' } },
    ...queued.map((args) => ({ name: 'queue.add', args })),
  ])
  await wire.confirmed(last)
  await wire.until(() => queued.every(({ id }) => wire.row('queuedMessage', id)?.hold === 'plan_waiting'), 'a queue held by the plan')
  const messageIn = (id: string) => wire.row('message', id)
  expect((messageIn(planId)?.message as AnswerMessage | undefined)?.metadata.ending).toBe('completed')
  const untilSent = () => wire.until(() => queued.every(({ answerId }) => messageIn(answerId) !== undefined), 'answers to both')
  return { user, wire, threadId, planId, queued, messageIn, untilSent, ref: { threadId, messageId: planId, at: 1 } }
}

test('[U6] a plan holds messages that were queued before it, also in an object that wakes without a connection', async () => {
  const { user, wire, threadId, planId, queued } = await planned()
  await wire.close()
  await evict(user)
  await stubOf(user).notify(user.userId)
  expect(await queuedOf(threadId)).toEqual(queued.map(({ id }) => ({ id, hold: 'plan_waiting' })))
  expect(await turnsOf(threadId)).toEqual([{ id: planId, status: 'completed' }])
})

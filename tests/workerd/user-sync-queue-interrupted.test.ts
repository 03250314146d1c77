// A queue after an answer whose object died: half of the answer is stored and can be continued until another message follows. Rules:
// worker/turns/SPEC.md, U2.

import { expect, test } from 'vitest'
import type { StartTurn } from '../../worker/contract/turn.ts'
import { content } from './bindings.ts'
import { evict, stubOf } from './sync-object.ts'
import { connected, freshId, me, newUser, recentThreads, turnArgs } from './sync-wire.ts'
import { fireAlarm, kill, openStream, readEvents, recordedGeneration, untilWatched } from './turns.ts'

const turnsOf = async (threadId: string) =>
  (await content.prepare('select id, status from generation where threadId = ? order by createdAt').bind(threadId).all()).results

/** Half an answer and two queued messages. */
async function interrupted() {
  const user = await newUser()
  const wire = await connected(user, { queries: [me, recentThreads] })
  const { threadId, answerId, ...args } = turnArgs('/demo chunks=5000 delay=25')
  await wire.confirmed(wire.mutate('threads.send', { threadId, answerId, ...args }))
  const queued = ['first', 'second'].map(() => ({
    ...{ id: freshId('queued'), answerId: freshId('answer'), threadId, modelId: 'kimi-k2' },
    ...{ text: '/demo chunks=2 delay=0', at: 1 },
  }))
  for (const message of queued) await wire.confirmed(wire.mutate('queue.add', message))
  const turn = { generationId: answerId, threadId, userId: user.userId } as StartTurn
  await recordedGeneration(answerId)
  await readEvents(await openStream(turn), (events) => events.length > 2)
  await untilWatched(turn)
  await kill(turn)
  await fireAlarm(turn)
  await wire.until(() => wire.row('thread', threadId)?.status === 'ready', 'a thread that is ready')
  const holds = () => queued.map(({ id }) => wire.row('queuedMessage', id)?.hold)
  const untilHeld = (hold: string | null) => wire.until(() => holds().every((is) => is === hold), `a queue held by ${hold}`)
  return { user, wire, threadId, answerId, args, queued, holds, untilHeld }
}

test('[U2] an interrupted turn holds its queue, also in an object that wakes without a connection', async () => {
  const { user, wire, threadId, answerId, queued, untilHeld } = await interrupted()
  await untilHeld('interrupted')
  await wire.close()
  await evict(user)
  await stubOf(user).notify()
  const { results } = await content.prepare('select id, hold from queuedMessage where threadId = ? order by createdAt').bind(threadId).all()
  expect(results).toEqual(queued.map(({ id }) => ({ id, hold: 'interrupted' })))
  expect(await turnsOf(threadId)).toEqual([{ id: answerId, status: 'interrupted' }])
})

test('[U2] a message queued after an interruption waits, and all are sent when the user continues', async () => {
  const { wire, threadId, answerId, queued, untilHeld } = await interrupted()
  await untilHeld('interrupted')
  const late = { ...queued[0], id: freshId('queued'), answerId: freshId('answer') }
  await wire.confirmed(wire.mutate('queue.add', late))
  expect(wire.row('queuedMessage', late.id)?.hold).toBe('interrupted')
  await wire.confirmed(wire.mutate('queue.send', { id: queued[0]?.id, at: 1 }))
  await wire.until(() => wire.row('message', late.answerId) !== undefined, 'the answer to the last of them')
  expect(await turnsOf(threadId)).toEqual([
    { id: answerId, status: 'interrupted' },
    ...[...queued, late].map((message) => ({ id: message.answerId, status: 'completed' })),
  ])
  await wire.close()
})

test('[U2] continuing the interrupted answer makes the queue wait for its rest', async () => {
  const { wire, threadId, answerId, args, untilHeld } = await interrupted()
  await untilHeld('interrupted')
  const { messageId: parentId, modelId, at } = args
  const again = { threadId, parentId, modelId, at, answerId: freshId('answer'), continueId: answerId }
  await wire.confirmed(wire.mutate('threads.answer', again))
  await untilHeld(null)
  wire.mutate('threads.stop', { threadId })
  await untilHeld('stopped')
  expect(await turnsOf(threadId)).toEqual([
    { id: answerId, status: 'interrupted' },
    { id: again.answerId, status: 'stopped' },
  ])
  await wire.close()
})

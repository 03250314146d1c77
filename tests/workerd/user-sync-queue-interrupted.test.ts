// A queue after an answer whose object died: half of the answer is stored and can be continued until another message follows. Rules:
// worker/turns/SPEC.md, U2.

import { expect, test } from 'vitest'
import type { StartTurn } from '../../worker/contract/threads/turn.ts'
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

// A queue behind an answer whose object died: half of it is there, and can be continued as long as nothing is said behind it.
import { expect, test } from 'vitest'
import type { TurnOrder } from '../../worker/contract/turn.ts'
import { connected, env, evict, freshId, me, newPerson, recentThreads, stubOf, turnArgs } from './sync-wire.ts'
import { kill, openStream, readEvents, ringAlarm, untilWatched } from './turns.ts'

const turnsOf = async (threadId: string) =>
  (await env.DB.prepare('select id, status from generation where threadId = ? order by createdAt').bind(threadId).all()).results

/** Half an answer, and two messages behind it. */
async function interrupted() {
  const person = await newPerson()
  const wire = await connected(person, { queries: [me, recentThreads] })
  const { threadId, answerId, ...args } = turnArgs('/demo chunks=5000 delay=25')
  await wire.confirmed(wire.mutate('threads.send', { threadId, answerId, ...args }))
  const queued = ['first', 'second'].map(() => ({
    ...{ id: freshId('queued'), answerId: freshId('answer'), threadId, modelId: 'kimi-k2' },
    ...{ text: '/demo chunks=2 delay=0', at: 1 },
  }))
  for (const message of queued) await wire.confirmed(wire.mutate('queue.add', message))
  const turn = { generationId: answerId, threadId, userId: person.userId } as TurnOrder
  await readEvents(await openStream(turn), (events) => events.length > 2)
  await untilWatched(turn)
  await kill(turn)
  await ringAlarm(turn)
  await wire.until(() => wire.row('thread', threadId)?.status === 'ready', 'a thread that is ready')
  const holds = () => queued.map(({ id }) => wire.row('queuedMessage', id)?.hold)
  const untilHeld = (hold: string | null) => wire.until(() => holds().every((is) => is === hold), `a queue held by ${hold}`)
  return { person, wire, threadId, answerId, args, queued, holds, untilHeld }
}

test('[U2] a turn that was interrupted holds its queue, also for an object that wakes without a tab', async () => {
  const { person, wire, threadId, answerId, queued, untilHeld } = await interrupted()
  await untilHeld('interrupted')
  await wire.close()
  await evict(person)
  await stubOf(person).notify()
  const { results } = await env.DB.prepare('select id, hold from queuedMessage where threadId = ? order by createdAt').bind(threadId).all()
  expect(results).toEqual(queued.map(({ id }) => ({ id, hold: 'interrupted' })))
  expect(await turnsOf(threadId)).toEqual([{ id: answerId, status: 'interrupted' }])
})

test('[U2] a message that arrives just after an interruption waits as well, and all go on when the person sends on', async () => {
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

test('[U2] whoever continues the half answer has the queue wait for the rest of it', async () => {
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

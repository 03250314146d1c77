// A queue behind an answer whose object died: nobody wished that, so it goes on by itself.
import { expect, test } from 'vitest'
import type { TurnOrder } from '../../worker/contract/turn.ts'
import { connected, env, freshId, me, newPerson, recentThreads, turnArgs } from './sync-wire.ts'
import { kill, openStream, readEvents, ringAlarm, untilWatched } from './turns.ts'

test('[U2] a queue goes on behind a turn that was interrupted', async () => {
  const person = await newPerson()
  const wire = await connected(person, { queries: [me, recentThreads] })
  const { threadId, answerId, ...args } = turnArgs('/demo chunks=5000 delay=25')
  await wire.confirmed(wire.mutate('threads.send', { threadId, answerId, ...args }))
  const queued = { id: freshId('queued'), answerId: freshId('answer'), threadId, modelId: 'kimi-k2', text: '/demo chunks=2 delay=0', at: 1 }
  await wire.confirmed(wire.mutate('queue.add', queued))
  const turn = { generationId: answerId, threadId, userId: person.userId } as TurnOrder
  await readEvents(await openStream(turn), (events) => events.length > 2)
  await untilWatched(turn)
  await kill(turn)
  await ringAlarm(turn)
  await wire.until(() => wire.row('message', queued.answerId) !== undefined, 'the answer to the queued message')
  const { results } = await env.DB.prepare('select id, status from generation where threadId = ? order by createdAt').bind(threadId).all()
  expect(results).toEqual([
    { id: answerId, status: 'interrupted' },
    { id: queued.answerId, status: 'completed' },
  ])
  expect(wire.row('queuedMessage', queued.id)).toBeUndefined()
  await wire.close()
})

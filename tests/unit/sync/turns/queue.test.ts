// Which queued messages are due, from rows alone. Rules: worker/sync/SPEC.md, U.
import { describe, expect, test } from 'vitest'
import { dueQueued, hasQueue } from '../../../../worker/sync/turns/queue.ts'
import { type Given, person, replicaOf, userId } from '../replica.ts'

const queued = (id: string, createdAt: number, changes: object = {}): Given => [
  'queuedMessage',
  {
    id,
    threadId: 'thread-one',
    userId,
    answerId: `answer-${id}`,
    text: id,
    modelId: 'kimi-k2',
    effort: null,
    mode: null,
    hold: null,
    createdAt,
    ...changes,
  },
]
const due = (...rows: readonly Given[]) => dueQueued(replicaOf(...person, ...rows)).map(({ id }) => id)

describe('[U1] due is', () => {
  test('the oldest of a ready thread, one of each', () => {
    const other: Given = ['thread', { id: 'thread-two' }]
    expect(due(['thread'], other, queued('late', 2), queued('early', 1), queued('elsewhere', 3, { threadId: 'thread-two' }))).toEqual([
      'early',
      'elsewhere',
    ])
  })

  test.each<[name: string, thread: object]>([
    ['in a thread that is answered', { status: 'submitted' }],
    ['in one that is stopping', { status: 'stopping' }],
    ['in a deleted one', { deletedAt: 5 }],
  ])('nothing %s', (_name, thread) => expect(due(['thread', { ...thread }], queued('waiting', 1))).toEqual([]))

  test('nothing whose thread is not there', () => expect(due(queued('waiting', 1))).toEqual([]))
})

test('[U2] what is held holds everything behind it', () => {
  expect(due(['thread'], queued('held', 1, { hold: 'stopped' }), queued('free', 2))).toEqual([])
  expect(due(['thread'], queued('free', 1), queued('held', 2, { hold: 'stopped' }))).toEqual(['free'])
})

test('a queue is known by its rows', () => {
  expect([hasQueue(replicaOf(...person)), hasQueue(replicaOf(...person, ['thread'], queued('waiting', 1)))]).toEqual([false, true])
})

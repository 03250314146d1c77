// Which queued messages are due, from rows only. Rules: worker/turns/SPEC.md, U1, U2, U4.
import { describe, expect, test } from 'vitest'
import { dayOf } from '../../../worker/contract/access.ts'
import { creditsPerDay, searchesPerDay } from '../../../worker/contract/limits.ts'
import { dueQueued, hasQueue, nextQueueCheckAt } from '../../../worker/turns/queue.ts'
import { type Given, replicaOf, userId, userRows } from '../sync/replica.ts'

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
const nowMs = 20_000 * 24 * 60 * 60 * 1000 + 5_000
const due = (...rows: readonly Given[]) => dueQueued(replicaOf(...userRows, ...rows), userId, nowMs).map(({ id }) => id)

describe('[U1] due messages', () => {
  test('are the oldest of each ready thread', () => {
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
  ])('are none %s', (_name, thread) => expect(due(['thread', { ...thread }], queued('waiting', 1))).toEqual([]))

  test('are none without a thread', () => expect(due(queued('waiting', 1))).toEqual([]))
})

test('[U2] a held message holds every later one', () => {
  expect(due(['thread'], queued('held', 1, { hold: 'stopped' }), queued('free', 2))).toEqual([])
  expect(due(['thread'], queued('free', 1), queued('held', 2, { hold: 'stopped' }))).toEqual(['free'])
})

test('hasQueue reads the rows', () => {
  expect([hasQueue(replicaOf(...userRows)), hasQueue(replicaOf(...userRows, ['thread'], queued('waiting', 1)))]).toEqual([false, true])
})

describe('[U4] a message held by a daily limit', () => {
  const dayMs = 24 * 60 * 60 * 1000
  const pro = { id: 'sub', status: 'active', currentPeriodEndMs: nowMs + dayMs, cancelAtPeriodEnd: false }
  const held = queued('held', 1, { hold: 'credits_exhausted' })
  const dueWith = (usage: object, changes: readonly Given[] = [], message = held) =>
    dueQueued(
      replicaOf(['user'], ['setting'], ['model', { capabilities: ['tools'] }], ['usage', { ...usage }], ['thread'], message, ...changes),
      userId,
      nowMs,
    ).map(({ id }) => id)
  const spent = { credits: creditsPerDay.guest - 1, day: dayOf(nowMs) }

  test('waits while its price exceeds the remaining credits, also when the counted day is ahead of the clock', () => {
    expect(dueWith(spent)).toEqual([])
    expect(dueWith({ ...spent, day: dayOf(nowMs) + 1 })).toEqual([])
  })

  test.each<[when: string, usage: object, changes: readonly Given[]]>([
    ['on the next day', { ...spent, day: dayOf(nowMs) - 1 }, []],
    ['when credits come back', { ...spent, credits: creditsPerDay.guest - 2 }, []],
    ['with a plan that allows more', spent, [['userCustomer', { id: userId, userId, subscription: pro }]]],
    ['for any other refusal to be found out', spent, [['model', { access: 'premium_required' }]]],
  ])('is due %s', (_when, usage, changes) => expect(dueWith(usage, changes)).toEqual(['held']))

  test('counts searches in the same way', () => {
    const search = queued('held', 1, { hold: 'tool_limit_reached', mode: 'search' })
    const used = { credits: 0, search: searchesPerDay.guest, day: dayOf(nowMs) }
    expect(dueWith(used, [], search)).toEqual([])
    expect(dueWith({ ...used, day: dayOf(nowMs) - 1 }, [], search)).toEqual(['held'])
  })

  test('has an alarm in the first minute after midnight', () => {
    const at = nextQueueCheckAt(replicaOf(...userRows, ['thread'], held), userId, nowMs) ?? 0
    const midnight = (dayOf(nowMs) + 1) * dayMs
    expect(at).toBeGreaterThanOrEqual(midnight)
    expect(at).toBeLessThan(midnight + 60_000)
    expect(nextQueueCheckAt(replicaOf(...userRows, ['thread'], queued('stopped', 1, { hold: 'stopped' })), userId, nowMs)).toBeNull()
  })
})

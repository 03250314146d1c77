import { describe, expect, test } from 'vitest'
import { groupOf, groupThreads, neighbourOf, sidebarOrder } from '../../../worker/contract/threads/thread-groups.ts'

const nowMs = Date.UTC(2026, 10, 20, 12)
const hourMs = 60 * 60 * 1000
const dayMs = 24 * hourMs
const thread = (id: string, ageMs: number) => ({ id, updatedAt: nowMs - ageMs })

describe('groups are rolling windows on the last activity', () => {
  test.each([
    ['a clock that is behind', -5000, 'today'],
    ['now', 0, 'today'],
    ['just under a day', dayMs - 1, 'today'],
    ['exactly a day', dayMs, 'yesterday'],
    ['just under two days', 2 * dayMs - 1, 'yesterday'],
    ['exactly two days', 2 * dayMs, 'last30Days'],
    ['just under thirty days', 30 * dayMs - 1, 'last30Days'],
    ['exactly thirty days', 30 * dayMs, 'history'],
    ['years', 1000 * dayMs, 'history'],
  ])('%s', (_, ageMs, group) => {
    expect(groupOf(nowMs - ageMs, nowMs)).toBe(group)
  })

  test('empty groups are omitted and threads keep their order', () => {
    const threads = [thread('a', 0), thread('b', hourMs), thread('c', 40 * dayMs), thread('d', 50 * dayMs)]
    expect(groupThreads(threads, nowMs).map(({ name, threads: members }) => [name, members.map(({ id }) => id)])).toEqual([
      ['today', ['a', 'b']],
      ['history', ['c', 'd']],
    ])
    expect(groupThreads([], nowMs)).toEqual([])
  })
})

test('pinned threads come first, the newest pin first, also if they are older than the list', () => {
  const pinned = (id: string, pinnedAt: number) => ({ ...thread(id, 0), pinnedAt })
  const list = [thread('a', 0), pinned('b', 1), thread('c', 40 * dayMs)]
  const ordered = sidebarOrder<{ id: string; updatedAt: number; pinnedAt?: number }>(list, [pinned('old', 2), pinned('b', 1)])
  expect(groupThreads(ordered, nowMs).map(({ name, threads }) => [name, threads.map(({ id }) => id)])).toEqual([
    ['pinned', ['old', 'b']],
    ['today', ['a']],
    ['history', ['c']],
  ])
})

describe('the neighbour of a thread', () => {
  const ids = ['a', 'b', 'c']
  test.each([
    ['a', 1, 'b'],
    ['c', 1, 'a'],
    ['a', -1, 'c'],
    ['b', -1, 'a'],
    [undefined, 1, 'a'],
    [undefined, -1, 'c'],
    ['gone', 1, 'a'],
  ] as const)('from %s by %i is %s', (current, step, expected) => {
    expect(neighbourOf(ids, current, step)).toBe(expected)
  })

  test('an empty list has none', () => {
    expect(neighbourOf([], 'a', 1)).toBeUndefined()
    expect(neighbourOf([], undefined, -1)).toBeUndefined()
  })
})

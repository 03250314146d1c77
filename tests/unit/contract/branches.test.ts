// The tree of a thread: paths, versions, and where a branch ends.
import { describe, expect, test } from 'vitest'
import { headWithout, idsBelowDeleted, newestLeafBelow, pathTo, versionsOf } from '../../../worker/contract/threads/branches.ts'
import { withMoreBelow } from '../../../worker/contract/threads/more-below.ts'

const ids = (nodes: readonly { readonly id: string }[]) => nodes.map(({ id }) => id)

describe('the path to the head', () => {
  const tree = [
    { id: 'q1', parentId: null },
    { id: 'a1', parentId: 'q1' },
    { id: 'a1b', parentId: 'q1' },
    { id: 'q2', parentId: 'a1' },
    { id: 'a2', parentId: 'q2' },
  ]
  test.each<[name: string, headId: string | null | undefined, path: readonly string[]]>([
    ['to the newest answer', 'a2', ['q1', 'a1', 'q2', 'a2']],
    ['to another version', 'a1b', ['q1', 'a1b']],
    ['to a question without an answer', 'q2', ['q1', 'a1', 'q2']],
    ['without a head', null, []],
    ['to a head that has not arrived', 'missing', []],
    ['of nothing', undefined, []],
  ])('%s', (_, headId, path) => expect(ids(pathTo(tree, headId))).toEqual(path))

  test('starts later if its start is missing', () => {
    expect(ids(pathTo(tree.slice(1), 'a2'))).toEqual(['a1', 'q2', 'a2'])
  })

  test('ends even if messages form a cycle', () => {
    const circle = [
      { id: 'a', parentId: 'b' },
      { id: 'b', parentId: 'a' },
    ]
    expect(ids(pathTo(circle, 'a'))).toEqual(['b', 'a'])
  })

  test('does not depend on the order of the messages', () => {
    expect(ids(pathTo(tree.toReversed(), 'a2'))).toEqual(['q1', 'a1', 'q2', 'a2'])
  })
})

const message = (id: string, parentId: string | null, createdAt: number, deletedAt: number | null = null) => ({
  id,
  parentId,
  createdAt,
  deletedAt,
  message: { role: id.startsWith('q') ? ('user' as const) : ('assistant' as const) },
})

/** q1 has answers a1 (with q2, a2 below) and b1 (with q3 below); q1x is another root; c1 was deleted with q4 below it. */
const q1 = message('q1', null, 1)
const a1 = message('a1', 'q1', 2)
const b1 = message('b1', 'q1', 3)
const c1 = message('c1', 'q1', 4, 9)
const rows = [
  q1,
  a1,
  b1,
  c1,
  message('q2', 'a1', 5),
  message('q3', 'b1', 6),
  message('a2', 'q2', 7),
  message('q4', 'c1', 8),
  message('q1x', null, 10),
]

describe('versions', () => {
  test('are the messages of one role with one parent, oldest first, without deleted ones', () => {
    expect(ids(versionsOf(rows, b1))).toEqual(['a1', 'b1'])
    expect(ids(versionsOf(rows.toReversed(), q1))).toEqual(['q1', 'q1x'])
    expect(ids(versionsOf([...rows, message('q9', 'q1', 11)], a1))).toEqual(['a1', 'b1'])
  })

  test('with equal times have a stable order', () => {
    const twins = [message('a2', 'q', 1), message('a1', 'q', 1)]
    const [twin = a1] = twins
    expect(ids(versionsOf(twins, twin))).toEqual(['a1', 'a2'])
  })
})

describe('the newest leaf', () => {
  test.each([
    ['a1', 'a2'],
    ['b1', 'q3'],
    ['q2', 'a2'],
    ['a2', 'a2'],
    ['q1', 'a2'],
  ])('below %s is %s', (id, leaf) => expect(newestLeafBelow(rows, id)).toBe(leaf))

  test('is found even if messages form a cycle', () => {
    expect(newestLeafBelow([message('a', 'b', 1), message('b', 'a', 2)], 'a')).toBe('a')
  })
})

test('a message has more below than its own answer if a message follows, unless that is deleted', () => {
  expect([...withMoreBelow(rows)].filter((id) => id !== 'c1').toSorted()).toEqual(['a1', 'b1', 'q1'])
  expect(withMoreBelow([q1, c1, message('q4', 'c1', 8)]).has('q1')).toBe(false)
  expect(withMoreBelow([q1, a1, message('q2', 'a1', 5, 9)]).size).toBe(0)
})

describe('after deleting a message the head is', () => {
  test.each([
    ['the branch of the version before it', b1, 'a2'],
    ['the branch of the version after it', a1, 'q3'],
    ['another beginning', q1, 'q1x'],
  ])('%s', (_what, deleted, head) => expect(headWithout(rows, deleted)).toBe(head))

  test('its parent, if it has no other version; null, if it was the only root', () => {
    expect(headWithout(rows, message('q3', 'b1', 6))).toBe('b1')
    expect(headWithout([q1, a1], q1)).toBeNull()
  })
})

test('the messages below deleted ones, on every branch and in a cycle', () => {
  const tree = [
    { id: 'q1', parentId: null },
    { id: 'a1', parentId: 'q1', deletedAt: 5 },
    { id: 'a1b', parentId: 'q1' },
    { id: 'q2', parentId: 'a1' },
    { id: 'a2', parentId: 'q2', deletedAt: 5 },
    { id: 'q3', parentId: 'a2' },
    { id: 'loop', parentId: 'loop', deletedAt: 5 },
    { id: 'cut', parentId: 'not-loaded' },
  ]
  expect([...idsBelowDeleted(tree)].sort()).toEqual(['a2', 'loop', 'q2', 'q3'])
})

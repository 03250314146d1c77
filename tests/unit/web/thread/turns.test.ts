import { describe, expect, test } from 'vitest'
import { pathTo } from '../../../../web/features/thread/path.ts'
import { turnsOf } from '../../../../web/features/thread/turns.ts'
import { answer, question, thread } from './build.ts'

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

  test('starts where it can when its beginning is missing', () => {
    expect(ids(pathTo(tree.slice(1), 'a2'))).toEqual(['a1', 'q2', 'a2'])
  })

  test('ends although messages follow each other in a circle', () => {
    const circle = [
      { id: 'a', parentId: 'b' },
      { id: 'b', parentId: 'a' },
    ]
    expect(ids(pathTo(circle, 'a'))).toEqual(['b', 'a'])
  })

  test('does not care in what order the messages came', () => {
    expect(ids(pathTo(tree.toReversed(), 'a2'))).toEqual(['q1', 'a1', 'q2', 'a2'])
  })
})

describe('the turns of a thread', () => {
  const q1 = question('q1')
  const a1 = answer('a1', 'q1')

  test('at rest are its messages', () => {
    expect(turnsOf(thread([q1, a1])).map(({ kind, id }) => [kind, id])).toEqual([
      ['user', 'q1'],
      ['answer', 'a1'],
    ])
  })

  test('end with the answer being written', () => {
    expect(turnsOf(thread([q1], { status: 'submitted', streamId: 'a1' }))).toEqual([
      { kind: 'user', id: 'q1', parentId: null, message: q1.message },
      { kind: 'live', id: 'a1', parentId: 'q1', isStopping: false },
    ])
    expect(turnsOf(thread([q1], { status: 'stopping', streamId: 'a1' })).at(-1)).toEqual({
      kind: 'live',
      id: 'a1',
      parentId: 'q1',
      isStopping: true,
    })
  })

  test('show the stored answer under the same id as soon as it is there, before and after the thread says so', () => {
    const early = turnsOf(thread([q1, a1], { status: 'submitted', streamId: 'a1', headId: 'q1' }))
    const settled = turnsOf(thread([q1, a1], { streamId: 'a1' }))
    expect(early).toEqual(settled)
    expect(early.at(-1)).toEqual({ kind: 'answer', id: 'a1', parentId: 'q1', message: a1.message })
  })

  test('hide the old version while a new one is written', () => {
    const turns = turnsOf(thread([q1, a1], { status: 'submitted', streamId: 'a2', headId: 'q1' }))
    expect(turns.map(({ kind, id }) => [kind, id])).toEqual([
      ['user', 'q1'],
      ['live', 'a2'],
    ])
  })
})

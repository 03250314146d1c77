// Deletions that one toast undoes.
import { expect, test } from 'vitest'
import { groupDeletions } from '../../../../web/features/shell/undo-toasts.tsx'
import type { Deletion } from '../../../../web/sync/deletions.ts'

const thread = (id: string, deletedAt: number): Deletion => ({ kind: 'thread', id, threadId: id, text: id, deletedAt })
const grouped = (deletions: readonly Deletion[], own: { readonly [id: string]: string } = {}) =>
  groupDeletions(deletions, (id) => own[id]).map((group) => group.map(({ id }) => id))

test('groups the threads that another device deleted together, also in several parts', () => {
  expect(grouped([thread('c', 9000), thread('b', 1400), thread('a', 1000), thread('d', 1000)])).toEqual([['a', 'd', 'b'], ['c']])
})

test('groups the threads that this page deleted together, whatever their times are', () => {
  expect(grouped([thread('a', 1000), thread('b', 5000), thread('c', 1000)], { a: 'a', b: 'a', c: 'c' })).toEqual([['a', 'b'], ['c']])
})

test('never groups messages', () => {
  const message: Deletion = { kind: 'message', id: 'm', threadId: 'a', text: '', deletedAt: 1000 }
  expect(grouped([thread('a', 1000), message, { ...message, id: 'n' }])).toEqual([['a'], ['m'], ['n']])
})

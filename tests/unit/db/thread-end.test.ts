// The end of a thread that a page may contain: the shown path, bounded in turns and in size.
import { expect, test } from 'vitest'
import type { RowOf } from '../../../worker/contract/schema.ts'
import { maxEndChars, maxEndMessages, threadEnd } from '../../../worker/db/first-page.ts'
import { threadRow } from '../web/build.ts'

const thread = (headId: string | null): RowOf<'thread'> => threadRow({ id: 'thread', userId: 'ada', headId })

const message = (id: string, parentId: string | null, changes: Partial<RowOf<'message'>> = {}): RowOf<'message'> => ({
  id,
  threadId: 'thread',
  userId: 'ada',
  parentId,
  message: { role: 'user', parts: [{ type: 'text', text: id }] } as unknown as RowOf<'message'>['message'],
  createdAt: 1,
  updatedAt: 1,
  deletedAt: null,
  bookmarkedAt: null,
  ...changes,
})

const endIds = (headId: string | null, messages: readonly RowOf<'message'>[]) => {
  const byId = new Map(messages.map((row) => [row.id, row]))
  return threadEnd(thread(headId), (id) => byId.get(id), undefined)?.messages.map(({ id }) => id)
}

const chain = (length: number) => Array.from({ length }, (_, i) => message(`m${i}`, i === 0 ? null : `m${i - 1}`))
const long = { message: { text: 'x'.repeat(maxEndChars) } as unknown as RowOf<'message'>['message'] }

test.each([
  ['the path to the head, first things first', 'c', [message('a', null), message('b', 'a'), message('c', 'b')], ['a', 'b', 'c']],
  ['no other versions', 'c', [message('a', null), message('b', 'a'), message('c', 'a')], ['a', 'c']],
  ['what is there, when the beginning is not', 'c', [message('b', 'a'), message('c', 'b')], ['b', 'c']],
  ['nothing of another thread', 'c', [message('b', 'a', { threadId: 'other' }), message('c', 'b')], ['c']],
  ['nothing without a head', null, [message('a', null)], undefined],
  ['nothing when the head is not there', 'gone', [message('a', null)], undefined],
  ['nothing when the head alone is too long', 'b', [message('a', null), message('b', 'a', long)], undefined],
  ['the end alone, when what came before is too long', 'b', [message('a', null, long), message('b', 'a')], ['b']],
])('%s', (_, headId, messages, expected) => {
  expect(endIds(headId, messages)).toEqual(expected)
})

test('the project without its instructions, and none for a deleted one', () => {
  const project: RowOf<'project'> = {
    ...{ id: 'tea', userId: 'ada', name: 'Tea shop', icon: null, color: 'green', instructions: 'Short.' },
    ...{ modelId: null, offTools: null, files: null, isMemoryOff: null, createdAt: 1, updatedAt: 1, deletedAt: null },
  }
  const projectOf = (row: RowOf<'project'> | undefined) => threadEnd(thread('a'), () => message('a', null), row)?.project
  expect(projectOf(project)).toEqual({ id: 'tea', name: 'Tea shop', icon: null, color: 'green' })
  expect([projectOf(undefined), projectOf({ ...project, deletedAt: 2 })]).toEqual([null, null])
})

test('a long thread ends after the allowed turns, and a cycle ends', () => {
  expect(endIds('m99', chain(100))).toEqual(
    chain(100)
      .slice(-maxEndMessages)
      .map(({ id }) => id),
  )
  expect(endIds('a', [message('a', 'b'), message('b', 'a')])).toHaveLength(maxEndMessages)
})

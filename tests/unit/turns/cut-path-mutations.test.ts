// Mutators whose writes differ in a browser: the path to a message is cut, an ancestor is deleted, or a link is public only on the server.
import { getMutator, isMutator } from '@rocicorp/zero'
import { describe, expect, test } from 'vitest'
import type { Json } from '../../../worker/sync/engine/types.ts'
import { beginTransaction } from '../../../worker/sync/push/apply-mutators.ts'
import { mutatorApp } from '../../../worker/user-sync/config.ts'
import { answered, type Given, overlayOf, replicaOf, userId, userMessage, userRows } from '../sync/replica.ts'

const nowMs = 1_800_000_000_000

/** The writes of a mutator on these rows, in the browser or on the server. */
async function writesOf(location: 'client' | 'server', rows: readonly Given[], name: string, args: { readonly [name: string]: Json }) {
  const mutator: unknown = getMutator(mutatorApp.mutators as Parameters<typeof getMutator>[0], name)
  if (!isMutator(mutator)) throw new Error(`${name} is no mutator`)
  const overlay = overlayOf(replicaOf(...userRows, ...rows))
  const { tx, writes } = beginTransaction({ overlay, userId, clientID: 'c', mutationID: 1, app: mutatorApp })
  const located = { ...tx, location } as typeof tx
  await mutator.fn({ tx: located, args: { threadId: 'thread-one', at: 1, ...args }, ctx: { userId, nowMs } })
  return writes.map(({ kind, table, row }) => [kind, table, row])
}

const deletedAt = (given: Given): Given => [given[0], { ...given[1], deletedAt: 5 }]
const thread = (headId: string): Given => ['thread', { headId }]

/** question-1, answer-1, question-2, and two answers to it. */
const beginning = [userMessage('question-1', null), answered('answer-1', 'question-1')]
const end = [userMessage('question-2', 'answer-1'), answered('answer-2a', 'question-2'), answered('answer-2b', 'question-2')]
const moved = (headId: string) => ['update', 'thread', { id: 'thread-one', headId }]
const changed = (id: string, at: number | null) => ['update', 'message', { id, deletedAt: at }]

describe('in a browser that has not loaded the parent of a message', () => {
  test.each([
    ['messages.delete', [thread('answer-2a')], end, [changed('question-2', nowMs), moved('answer-1')]],
    [
      'messages.restore',
      [thread('answer-1')],
      end.map((one, i) => (i === 0 ? deletedAt(one) : one)),
      [changed('question-2', null), moved('answer-2b')],
    ],
  ] as const)('%s leaves the write to the server', async (name, head, loaded, written) => {
    const args = { messageId: 'question-2' }
    expect(await writesOf('client', [...head, ...loaded], name, args)).toEqual([])
    expect(await writesOf('client', [...head, ...beginning, ...loaded], name, args)).toEqual(written)
    expect(await writesOf('server', [...head, ...beginning, ...loaded], name, args)).toEqual(written)
  })

  test('messages below a loaded parent are deleted and restored at once', async () => {
    const args = { messageId: 'answer-2a' }
    expect(await writesOf('client', [thread('answer-2a'), ...end], 'messages.delete', args)).toEqual([
      changed('answer-2a', nowMs),
      moved('answer-2b'),
    ])
    const withDeleted = end.map((one, i) => (i === 1 ? deletedAt(one) : one))
    expect(await writesOf('client', [thread('answer-2b'), ...withDeleted], 'messages.restore', args)).toEqual([
      changed('answer-2a', null),
      moved('answer-2a'),
    ])
  })

  test('the first message of a thread has no parent to load', async () => {
    const versions = [userMessage('question-1', null), userMessage('question-1b', null)]
    expect(await writesOf('client', [thread('question-1b'), ...versions], 'messages.delete', { messageId: 'question-1b' })).toEqual([
      changed('question-1b', nowMs),
      moved('question-1'),
    ])
  })

  test('a question without its answers is not shown before the server has found its branch', async () => {
    const rows = [thread('answer-2a'), ...end, userMessage('question-2x', 'answer-1')]
    const args = { messageId: 'question-2x' }
    expect(await writesOf('client', [...beginning, ...rows], 'threads.show', args)).toEqual([])
    expect(await writesOf('server', [...beginning, ...rows], 'threads.show', args)).toEqual([moved('question-2x')])
  })

  test('a fork is left to the server, which has the whole path', async () => {
    const args = { messageId: 'answer-2a', newThreadId: 'fork-of-thread-one' }
    const rows = [thread('answer-2a'), ...end]
    expect(await writesOf('client', rows, 'threads.fork', args)).toEqual([])
    const copied = await writesOf('server', [...beginning, ...rows], 'threads.fork', args)
    expect(copied.map(([, table]) => table)).toEqual(['thread', 'message', 'message', 'message', 'message'])
  })
})

describe.each(['client', 'server'] as const)('below a deleted message, %s', (location) => {
  const below = [beginning[0], deletedAt(answered('answer-1', 'question-1'))].filter((one) => one !== undefined)
  const hidden = end.map((one, i) => (i === 1 ? deletedAt(one) : one))

  test('a restored message stays hidden, and the thread keeps its head', async () => {
    // `answer-2b` is where the deletion of `answer-2a` would have moved the head.
    const rows = [thread('answer-2b'), ...below, ...hidden]
    expect(await writesOf(location, rows, 'messages.restore', { messageId: 'answer-2a' })).toEqual([changed('answer-2a', null)])
  })

  test('a message that is not on the screen is deleted without moving the head', async () => {
    const rows = [thread('question-1'), ...below, ...end]
    expect(await writesOf(location, rows, 'messages.delete', { messageId: 'question-2' })).toEqual([changed('question-2', nowMs)])
  })

  test('a message cannot be shown', async () => {
    const rows = [thread('question-1'), ...below, ...end]
    await expect(writesOf(location, rows, 'threads.show', { messageId: 'answer-2a' })).rejects.toMatchObject({
      details: { code: 'not_found' },
    })
  })
})

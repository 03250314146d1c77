// The mutation of an import on the server: its rows, a repetition, and what is refused.
import { describe, expect, test } from 'vitest'
import { maxImportMessages, storedContentRows } from '../../../worker/contract/limits.ts'
import type { ImportedMessage, ImportedThread } from '../../../worker/contract/threads/import-args.ts'
import type { Outcome } from '../../../worker/sync/pull/source.ts'
import { effectsIn, type Given, overlayOf, replicaOf, runNamed, userRows } from '../sync/replica.ts'

const nowMs = 1_800_000_000_000

const question: ImportedMessage = { id: 'import-question', parentId: null, role: 'user', text: 'Why?', createdAt: 1_000 }
const answer: ImportedMessage = {
  ...{ id: 'import-answer-1', parentId: 'import-question', role: 'assistant', text: 'Because.', reasoning: 'Hm.', createdAt: 2_000 },
  model: { id: 'gpt-4o', name: 'GPT-4o', icon: 'openai' },
}
const more: ImportedMessage = { id: 'import-question-2', parentId: 'import-answer-1', role: 'user', text: 'Really?', createdAt: 3_000 }
const thread = (changes: Partial<ImportedThread> = {}): ImportedThread => ({
  ...{ id: 'import-thread', title: 'Reasons', headId: 'import-answer-1', createdAt: 1_000, updatedAt: 5_000 },
  messages: [question, answer],
  ...changes,
})

const importer = (...rows: readonly Given[]) => {
  const overlay = overlayOf(replicaOf(...userRows, ...rows))
  return (...threads: readonly ImportedThread[]): Promise<Outcome> =>
    runNamed(overlay, 'threads.import', { threads: threads as never }, nowMs)
}
const rowsOf = (outcome: Outcome) => (outcome.type === 'applied' ? outcome.writes : outcome.error.details)
const codeOf = (outcome: Outcome) => (outcome.type === 'refused' ? (outcome.error.details as { code: string }).code : outcome.type)

test('writes the thread with its dates and the messages with their models, and starts no turn', async () => {
  const outcome = await importer()(thread())
  expect(rowsOf(outcome)).toMatchObject([
    {
      kind: 'insert',
      table: 'thread',
      row: { id: 'import-thread', title: 'Reasons', status: 'ready', createdAt: 1_000, updatedAt: 5_000 },
    },
    {
      kind: 'insert',
      table: 'message',
      row: { id: 'import-question', message: { parts: [{ type: 'text', text: 'Why?' }] }, createdAt: 1_000 },
    },
    {
      ...{ kind: 'insert', table: 'message' },
      row: {
        parentId: 'import-question',
        message: {
          parts: [{ type: 'reasoning', text: 'Hm.' }, { type: 'text' }],
          metadata: { modelName: 'GPT-4o', ending: 'completed', credits: 0 },
        },
      },
    },
  ])
  expect(effectsIn(outcome)).toMatchObject({ opened: [], content: { maxRows: expect.any(Number) } })
})

test('a repetition writes nothing; new messages of a later file continue the thread', async () => {
  const run = importer()
  await run(thread())
  expect(rowsOf(await run(thread()))).toEqual([])
  expect(rowsOf(await run(thread({ messages: [question, answer, more], headId: more.id, updatedAt: 6_000 })))).toMatchObject([
    { kind: 'insert', table: 'message', row: { id: more.id } },
    { kind: 'update', table: 'thread', row: { headId: more.id, updatedAt: 6_000 } },
  ])
})

test('keeps the branch that the user has continued, and leaves a deleted thread deleted', async () => {
  const known: readonly Given[] = [
    ['thread', { id: 'import-thread', headId: 'own-message', updatedAt: 9_000 }],
    ['message', { id: 'import-question', threadId: 'import-thread', createdAt: 1_000 }],
    ['message', { id: 'own-message', threadId: 'import-thread', parentId: 'import-question', createdAt: 8_000 }],
  ]
  const writes = rowsOf(await importer(...known)(thread()))
  expect(writes).toMatchObject([{ kind: 'insert' }, { kind: 'update', row: { updatedAt: 9_000 } }])
  expect(JSON.stringify(writes)).not.toContain('headId')
  expect(rowsOf(await importer(['thread', { id: 'import-thread', deletedAt: 5 }])(thread()))).toEqual([])
})

describe('is refused', () => {
  const long = Array.from({ length: maxImportMessages + 1 }, (_, index) => ({ ...question, id: `message-${index}` }))
  test.each<readonly [what: string, code: string, threads: readonly ImportedThread[]]>([
    ['a parent that comes later', 'invalid_request', [thread({ messages: [answer, question] })]],
    ['a message that is not newer than its parent', 'invalid_request', [thread({ messages: [question, { ...answer, createdAt: 1_000 }] })]],
    ['a message of the future', 'invalid_request', [thread({ messages: [question, { ...answer, createdAt: nowMs + 1 }] })]],
    ['a head that does not exist', 'invalid_request', [thread({ headId: 'not-there' })]],
    ['the same id twice', 'invalid_request', [thread(), thread()]],
    [
      'too many messages',
      'invalid_request',
      [
        thread({ messages: long.slice(0, 300), headId: 'message-1' }),
        thread({ id: 'other-thread', messages: long.slice(300), headId: 'message-300' }),
      ],
    ],
    [
      'a text that is too long',
      'message_too_long',
      [thread({ messages: [{ ...question, text: 'x'.repeat(100_001) }], headId: question.id })],
    ],
  ])('%s', async (_what, code, threads) => expect(codeOf(await importer()(...threads))).toBe(code))

  test('a message of another thread', async () => {
    const run = importer(['thread', { id: 'other-thread' }], ['message', { id: 'import-answer-1', threadId: 'other-thread' }])
    expect(codeOf(await run(thread()))).toBe('invalid_request')
  })

  test('above the storage of the plan', async () => {
    const run = importer(['usage', { contentRows: storedContentRows.pro }])
    expect(codeOf(await run(thread()))).toBe('content_full')
  })
})

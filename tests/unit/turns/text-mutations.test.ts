// Texts and titles that clients send: what counts as empty, and what is stored for a text that is not valid Unicode.
import { describe, expect, test } from 'vitest'
import type { Outcome } from '../../../worker/sync/pull/source.ts'
import { type Given, overlayOf, replicaOf, runNamed, userMessage, userRows } from '../sync/replica.ts'

const file = { id: 'file-one', name: 'tea.txt', mediaType: 'text/plain', sizeBytes: 5 }
const plan: Given = [
  'message',
  {
    ...{ id: 'the-plan', parentId: 'question-1' },
    message: {
      ...{ id: 'the-plan', role: 'assistant', metadata: { modelId: 'kimi-k2', ending: 'completed', credits: 0, mode: 'research' } },
      parts: [{ type: 'tool-plan', toolCallId: 'plan', state: 'output-available', input: {}, output: { steps: [] } }],
    },
  },
]
const turn = { threadId: 'thread-one', answerId: 'answer-new', modelId: 'kimi-k2', at: 1 }
const send = { ...turn, messageId: 'message-new', parentId: 'question-1' }

const mutate = (name: string, args: object) => {
  const overlay = overlayOf(replicaOf(...userRows, ['thread', { headId: 'question-1' }], userMessage('question-1', null)))
  return runNamed(overlay, name, args as never, 1_800_000_000_000)
}
const codeOf = (outcome: Outcome) => (outcome.type === 'refused' ? (outcome.error.details as { code: string }).code : outcome.type)
const written = (outcome: Outcome) => (outcome.type === 'applied' ? JSON.stringify(outcome.writes) : codeOf(outcome))

describe.each(['', ' \n', '\u0000', '\u200b', '\u0000\u200b \u2060', '\u3164\u2800'])('the invisible text %j', (text) => {
  test('is no message, no title, no prompt and no step of a plan', async () => {
    expect(codeOf(await mutate('threads.send', { ...send, text }))).toBe('message_empty')
    expect(codeOf(await mutate('queue.add', { ...turn, id: 'queued-new', text }))).toBe('message_empty')
    expect(codeOf(await mutate('threads.rename', { threadId: 'thread-one', title: text }))).toBe('title_empty')
    expect(codeOf(await mutate('prompts.save', { id: 'prompt-one', name: 'Tea', text }))).toBe('prompt_text')
    const overlay = overlayOf(replicaOf(...userRows, ['thread', { headId: 'the-plan' }], userMessage('question-1', null), plan))
    const step = { threadId: 'thread-one', messageId: 'the-plan', stepId: 'step-2', text, at: 1 }
    expect(codeOf(await runNamed(overlay, 'research.putStep', step, 1))).toBe('message_empty')
  })

  test('is sent with a file, whose name is the title', async () => {
    const args = { ...send, threadId: 'thread-new', parentId: null, text, files: [file] }
    expect(written(await mutate('threads.send', args))).toContain('"title":"tea.txt"')
  })
})

test.each(['.', '👩🏽\u200d👩', '1\ufe0f\u20e3', 'ك', '\u0301'])('%j is a message and a title', async (text) => {
  expect(codeOf(await mutate('queue.add', { ...turn, id: 'queued-new', text }))).toBe('applied')
  expect(codeOf(await mutate('threads.rename', { threadId: 'thread-one', title: text }))).toBe('applied')
})

test('a lone surrogate is stored as a replacement character', async () => {
  const [text, stored] = ['a\ud800b', 'a\ufffdb']
  const messages = [{ id: 'imported-one', parentId: null, role: 'user', text, createdAt: 1 }]
  const imported = { id: 'imported-thread', title: text, headId: 'imported-one', createdAt: 1, updatedAt: 1, messages }
  const calls: readonly (readonly [name: string, args: object])[] = [
    ['queue.add', { ...turn, id: 'queued-new', text }],
    ['threads.rename', { threadId: 'thread-one', title: text }],
    ['drafts.save', { threadId: 'thread-one', text, revision: 'revision-1', base: null }],
    ['threads.import', { threads: [imported] }],
  ]
  for (const [name, args] of calls) {
    const writes = written(await mutate(name, args))
    expect(writes, name).toContain(stored)
    expect(writes, name).not.toContain('\\ud800')
  }
})

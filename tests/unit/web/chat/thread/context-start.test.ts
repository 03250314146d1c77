// The mark and the meter of a long thread: the server's rule, applied to the next message.
import { expect, test } from 'vitest'
import { isContextShown } from '../../../../../web/features/chat/composer/context-use.ts'
import type { ShownMessage } from '../../../../../web/features/chat/message/shown-messages.ts'
import { threadContext } from '../../../../../web/features/chat/thread/context-start.ts'
import { textTokens } from '../../../../../worker/contract/models/token-estimates.ts'

const stored = { parentId: null, versions: { ids: [], at: 0 }, hasMoreBelow: false, isBookmarked: false }
const question = (id: string, text: string): ShownMessage => ({
  kind: 'user',
  id,
  ...stored,
  message: { id, role: 'user', parts: [{ type: 'text', text }] },
})
const answer = (id: string): ShownMessage => ({
  kind: 'answer',
  id,
  ...stored,
  message: {
    id,
    role: 'assistant',
    parts: [{ type: 'text', text: 'Yes.' }],
    metadata: { modelId: 'm', modelName: 'M', modelIcon: 'm', ending: 'completed', credits: 1 },
  },
})
const long = 'x'.repeat(21_600)
const model = { name: 'M', contextTokens: 128_000, maxOutputTokens: 16_000 }

test('a thread that fits has no mark, and uses a part of its context', () => {
  const { start, use } = threadContext([question('q1', 'Hi'), answer('a1')], model, { plan: 'guest', isTemporary: false }, [])
  expect(start).toBeNull()
  expect(use).toMatchObject({ modelName: 'M', maxTokens: 18_500, before: 'sent', isAtLeast: false })
  expect(use.tokens).toBeLessThan(50)
})

const longThread = [question('q1', 'Hi'), answer('a1'), question('q2', long), answer('a2'), question('q3', long), answer('a3')]

test('the mark is above the first question that is sent after a summary, while an answer streams that of its request', () => {
  expect(textTokens(long)).toBe(7_200)
  const shownMessages = [...longThread, question('q4', long), answer('a4')]
  const live: ShownMessage = { kind: 'live', id: 'a5', parentId: 'q5', isStopping: false }
  const summary = { id: 'a2', userId: 'u', threadId: 't', text: 'Hi was said.', tokens: 8_000, createdAt: 1 }
  for (const isRunning of [false, true]) {
    const shown = isRunning ? [...shownMessages, question('q5', 'And?'), live] : shownMessages
    const { start, use } = threadContext(shown, model, { plan: 'guest', isTemporary: false }, [])
    expect(start).toEqual({ messageId: 'q4', summary: null, isRunning })
    expect(use.before).toBe('toSummarize')
    // An account's request has space for all of them.
    expect(threadContext(shown, model, { plan: 'free', isTemporary: false }, []).start).toBeNull()
    const summarized = threadContext(shown, model, { plan: 'guest', isTemporary: false }, [summary])
    expect(summarized).toMatchObject({ start: { messageId: 'q3', summary, isRunning }, use: { before: 'summarized' } })
  }
})

test('without room for a summary, the next question is sent alone', () => {
  const project = { instructions: 'x'.repeat(54_000), files: null, isMemoryOff: null }
  const { start, use } = threadContext(longThread, model, { plan: 'guest', isTemporary: false, project }, [])
  expect([start, use.before]).toEqual([null, 'omitted'])
})

test('a thread whose beginning is not loaded uses at least what is loaded', () => {
  const loaded = longThread.slice(1, 4).map((shown, index) => (index === 0 ? { ...shown, parentId: 'q1' } : shown))
  expect(threadContext(loaded, model, { plan: 'guest', isTemporary: false }, [])).toMatchObject({
    start: null,
    use: { isAtLeast: true, before: 'sent' },
  })
})

test('the instructions of the project leave less room', () => {
  expect(threadContext(longThread, model, { plan: 'guest', isTemporary: false }, []).use.before).toBe('sent')
  const project = { instructions: 'x'.repeat(19_500), files: null, isMemoryOff: null }
  expect(threadContext(longThread, model, { plan: 'guest', isTemporary: false, project }, []).use.before).toBe('toSummarize')
})

test('the meter is quiet until half of the context is used', () => {
  const use = { modelName: 'M', maxTokens: 100, isAtLeast: false, before: 'sent' } as const
  expect([49, 50].map((tokens) => isContextShown({ ...use, tokens }))).toEqual([false, true])
  expect(isContextShown({ ...use, tokens: 10, before: 'summarized' })).toBe(true)
})

// The position of the mark in a long thread: the server's rule, applied to the next message.
import { expect, test } from 'vitest'
import type { ShownMessage } from '../../../../../web/features/chat/message/shown-messages.ts'
import { contextStart } from '../../../../../web/features/chat/thread/context-start.tsx'
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
const model = { contextTokens: 128_000, maxOutputTokens: 16_000 }

test('a thread that fits has no mark', () => {
  expect(contextStart([question('q1', 'Hi'), answer('a1')], model, { plan: 'guest' })).toBeNull()
})

test('the mark is above the first question that is still sent, also while an answer streams', () => {
  expect(textTokens(long)).toBe(7_200)
  const shownMessages = [question('q1', long), answer('a1'), question('q2', long), answer('a2'), question('q3', 'And?')]
  const live: ShownMessage = { kind: 'live', id: 'a3', parentId: 'q3', isStopping: false }
  for (const shown of [shownMessages, [...shownMessages, live]]) {
    expect(contextStart([...shown.slice(0, 4), question('q3', long), ...shown.slice(5)], model, { plan: 'guest' })).toEqual({
      messageId: 'q3',
      includesFirst: true,
    })
    // An account's request has space for all of them.
    expect(contextStart(shown, model, { plan: 'free' })).toBeNull()
  }
})

test('a first question that uses all the space is no longer sent', () => {
  const shownMessages = [question('q1', long.repeat(3)), answer('a1'), question('q2', 'And?'), answer('a2')]
  expect(contextStart(shownMessages, model, { plan: 'guest' })).toEqual({ messageId: 'q2', includesFirst: false })
})

test('the instructions of the project move the mark', () => {
  const shorter = 'x'.repeat(15_000)
  const shownMessages = [question('q1', long), answer('a1'), question('q2', shorter), answer('a2'), question('q3', 'And?'), answer('a3')]
  expect(contextStart(shownMessages, model, { plan: 'guest' })).toBeNull()
  const project = { instructions: 'x'.repeat(19_500), files: null }
  expect(contextStart(shownMessages, model, { plan: 'guest', project })).toEqual({ messageId: 'q3', includesFirst: true })
})

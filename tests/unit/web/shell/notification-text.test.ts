// The text of a notification says how the answer ended.
import { expect, test } from 'vitest'
import { notificationOf } from '../../../../web/features/shell/notifications/answer-notifications.tsx'
import type { AnswerMessage, Ending, MessagePart } from '../../../../worker/contract/threads/messages.ts'

const answer = (ending: Ending, parts: readonly MessagePart[] = []): AnswerMessage => ({
  id: 'answer-1',
  role: 'assistant',
  parts,
  metadata: { modelId: 'm', modelName: 'M', modelIcon: 'i', ending, credits: 1 },
})
const plan: MessagePart = {
  type: 'tool-plan',
  toolCallId: 'plan',
  state: 'output-available',
  input: {},
  output: { steps: [{ id: 'step-1', text: 'Where tea grows', queries: [] }] },
}

const waiting: MessagePart = { type: 'tool-save_note', toolCallId: 'c', state: 'approval-requested', input: {}, approval: { id: 'a' } }

test.each([
  ['a completed answer', answer('completed'), 'Your answer is ready.'],
  ['an answer that has not arrived', null, 'Your answer is ready.'],
  ['an interrupted answer', answer('interrupted'), "The answer couldn't be finished."],
  ['a failed answer', answer('failed'), "The answer couldn't be finished."],
  ['a call that waits', answer('completed', [waiting]), 'An answer waits for your approval of a tool.'],
  ['a plan', answer('completed', [plan]), 'Your research plan is ready for review.'],
])('%s', (_name, message, body) => {
  expect(notificationOf({ title: 'Tea' }, message)).toEqual({ title: 'Tea', body })
})

test('an untitled thread has the name of a new one', () => {
  expect(notificationOf({ title: null }, null).title).toBe('New thread')
})

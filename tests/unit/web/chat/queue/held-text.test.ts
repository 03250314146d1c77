// Why a queue is held, with the actions available there.
import { expect, test } from 'vitest'
import { type ShownMessage, shownMessagesOf } from '../../../../../web/features/chat/message/shown-messages.ts'
import { heldText, shownHold } from '../../../../../web/features/chat/queue/queue.tsx'
import { planTool, type ResearchPlan } from '../../../../../worker/contract/research/research.ts'
import type { QueueHold } from '../../../../../worker/contract/schema.ts'
import { answer, question, thread } from '../build.ts'

test.each<[QueueHold, string]>([
  ['stopped', 'Queue paused. You stopped the previous answer.'],
  ['plan_waiting', 'Queue paused. The previous research plan waits for your approval.'],
  ['approval_waiting', 'Queue paused. The previous answer waits for your approval of a tool.'],
  ['model_retired', 'Queue paused. This model is no longer offered. Choose another one.'],
  [
    'model_unreachable_now',
    "Queue paused. The server of the first queued message's model can't be reached. Choose another model, or send the message later.",
  ],
  ['no_model', 'Queue paused. The model of the first queued message is no longer offered. Choose another one.'],
  ['images_unsupported', "Queue paused. The model of the first queued message can't read images. Choose another one."],
  ['documents_unsupported', "Queue paused. The model of the first queued message can't read PDFs. Choose another one."],
])('a queue held by %s', (hold, words) => {
  expect(heldText(hold, 0)).toBe(words)
})

test('messages held by the daily limit are sent after the reset without an action', () => {
  expect(heldText('credits_short', 0)).toMatch(/^This costs more credits than you have left today\. Sent automatically after the reset at /)
  expect(heldText('credits_exhausted', 0)).toMatch(/^Daily usage limit reached\. Sent automatically after the reset at /)
})

test('messages held by a plan show it only where that plan waits', () => {
  const plan = { steps: [{ id: 's', text: 'Tea', queries: [] }] }
  const messageOf = (output: ResearchPlan) => {
    const part = { type: `tool-${planTool}`, toolCallId: 'p', state: 'output-available', input: {}, output } as const
    return shownMessagesOf(thread([question('q'), answer('plan', 'q', [part])])).at(-1) as Extract<ShownMessage, { kind: 'answer' }>
  }
  expect(shownHold('plan_waiting', messageOf(plan))).toBe('plan_waiting')
  for (const head of [undefined, messageOf({ ...plan, isDismissed: true })]) expect(shownHold('plan_waiting', head)).toBe('plan_gone')
  expect(shownHold('stopped', undefined)).toBe('stopped')
  expect(heldText('plan_gone', 0)).toBe('Queue paused. It waits for a plan or a tool of an answer that was deleted or is another version.')
})

test('messages held by an approval show it only where that call waits', () => {
  const call = { type: 'tool-save_note', toolCallId: 'c', state: 'approval-requested', input: {}, approval: { id: 'a' } } as const
  const messageOf = (state: 'approval-requested' | 'output-denied', isInput = false) => {
    const part = { ...call, state, approval: { id: 'a', ...(isInput && { isInput }) } }
    return shownMessagesOf(thread([question('q'), answer('a', 'q', [part])])).at(-1) as Extract<ShownMessage, { kind: 'answer' }>
  }
  expect(shownHold('approval_waiting', messageOf('approval-requested'))).toBe('approval_waiting')
  expect(shownHold('approval_waiting', messageOf('approval-requested', true))).toBe('input_waiting')
  expect(heldText('input_waiting', 0)).toBe('Queue paused. A tool server asks you for input for the previous answer.')
  for (const head of [undefined, messageOf('output-denied')]) expect(shownHold('approval_waiting', head)).toBe('plan_gone')
})

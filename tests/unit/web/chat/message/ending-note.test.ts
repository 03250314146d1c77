import { expect, test } from 'vitest'
import { chargeNote, endingText, firstSentence } from '../../../../../web/features/chat/message/ending-note.tsx'
import type { AnswerMetadata } from '../../../../../worker/contract/threads/messages.ts'

const metadata = (ending: AnswerMetadata['ending'], credits: number): AnswerMetadata => ({
  modelId: 'kimi-k2',
  modelName: 'Kimi K2',
  modelIcon: 'moonshot',
  ending,
  credits,
})

test('explains the price of an answer that was stopped before its first word', () => {
  expect(chargeNote(metadata('stopped', 3), false)).toBe('You were charged because your message had already been sent to the model.')
})

test.each(['failed', 'interrupted'] as const)('explains why an answer that %s without content was charged', (ending) => {
  expect(chargeNote(metadata(ending, 3), false)).toBe('You were charged because more than 20 answers failed today.')
})

test.each(['failed', 'interrupted'] as const)('states whether an answer that %s was charged', (ending) => {
  expect(chargeNote(metadata(ending, 0), false)).toBe('You were not charged.')
  expect(chargeNote(metadata(ending, 3), true)).toBe('You were charged because part of the answer was written.')
})

test('adds nothing to a stopped answer with content, or one that was free', () => {
  expect(chargeNote(metadata('stopped', 3), true)).toBe('')
  expect(chargeNote(metadata('stopped', 0), false)).toBe('')
})

test('an old failure is shown without advice and charge, which the details of the answer have', () => {
  const text = endingText(metadata('failed', 0), false)
  expect(text).toBe('The answer failed. Try again, or choose another model. You were not charged.')
  expect(firstSentence(text)).toBe('The answer failed.')
  expect(firstSentence('Daily usage limit reached')).toBe('Daily usage limit reached')
  expect(endingText(metadata('completed', 3), true)).toBe('')
})

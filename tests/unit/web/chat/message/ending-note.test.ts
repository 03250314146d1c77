import { expect, test } from 'vitest'
import { creditsNote, creditsReason, endingText, firstSentence } from '../../../../../web/features/chat/message/ending-note.tsx'
import type { AnswerMetadata } from '../../../../../worker/contract/threads/messages.ts'

const metadata = (ending: AnswerMetadata['ending'], credits: number): AnswerMetadata => ({
  modelId: 'kimi-k2',
  modelName: 'Kimi K2',
  modelIcon: 'moonshot',
  ending,
  credits,
})

test.each([
  ['stopped', 3, false, 'Used 3 credits.', 'Your message had already been sent to the model.'],
  ['failed', 3, false, 'Used 3 credits.', 'More than 20 answers failed today.'],
  ['interrupted', 1, true, 'Used 1 credit.', 'Part of the answer was written.'],
  ['failed', 0, false, 'No credits used.', null],
  ['stopped', 3, true, '', null],
  ['stopped', 0, false, '', null],
] as const)('an answer that %s and used %i credits, with content: %s', (ending, credits, hasAnswer, note, reason) => {
  expect(creditsNote(metadata(ending, credits), hasAnswer)).toBe(note)
  expect(creditsReason(metadata(ending, credits), hasAnswer)).toBe(reason)
})

test('an old failure is shown without advice and credits, which the details of the answer have', () => {
  const text = endingText(metadata('failed', 0), false)
  expect(text).toBe('The answer failed. Try again, or choose another model. No credits used.')
  expect(firstSentence(text)).toBe('The answer failed.')
  expect(firstSentence('Daily usage limit reached')).toBe('Daily usage limit reached')
  expect(endingText(metadata('completed', 3), true)).toBe('')
})

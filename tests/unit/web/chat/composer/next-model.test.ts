import { expect, test } from 'vitest'
import { pickedModelId } from '../../../../../web/features/chat/composer/next-model.ts'

const picked = { modelId: 'opus', answerId: 'a1' }

const kimi = { id: 'a1', modelId: 'kimi' }

test.each([
  ['never picked', null, 'a1', kimi, null],
  ['picked after the last answer', picked, 'a1', kimi, 'opus'],
  ['picked before another answer', picked, 'a2', { id: 'a2', modelId: 'gemini' }, null],
  ['picked before the first answer', { ...picked, answerId: null }, null, undefined, 'opus'],
  ['picked while an answer is written', { ...picked, answerId: 'a2' }, 'a2', kimi, 'opus'],
  ['picked while an answer was written that has ended', { ...picked, answerId: 'a2' }, 'a2', { id: 'a2', modelId: 'kimi' }, 'opus'],
  ['picked before the answer that is written', picked, 'a2', kimi, 'opus'],
])('[T7] a model that was %s', (_, choice, answerId, last, expected) => {
  expect(pickedModelId(choice, answerId, last)).toBe(expected)
})

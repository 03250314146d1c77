import { expect, test } from 'vitest'
import { threadModelId } from '../../../../../web/features/chat/composer/next-model.ts'

const picked = { modelId: 'opus', answerId: 'a1' }

test.each([
  ['the model of the last answer', null, { id: 'a1', modelId: 'kimi' }, 'kimi'],
  ["the user's model before the first answer", null, undefined, null],
  ['the model that was picked after this answer', picked, { id: 'a1', modelId: 'kimi' }, 'opus'],
  ['the model of an answer since then', picked, { id: 'a2', modelId: 'gemini' }, 'gemini'],
  ['the model that was picked before the first answer', { ...picked, answerId: null }, undefined, 'opus'],
])('[T7] the next message of a thread goes to %s', (_, choice, last, expected) => {
  expect(threadModelId(choice, last)).toBe(expected)
})

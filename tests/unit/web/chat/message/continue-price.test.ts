// The prices of Continue and Retry of a research. tests/workerd/db/research-costs.test.ts tests that the database charges the same.
import { expect, test } from 'vitest'
import { continuePrice } from '../../../../../web/features/chat/message/ending-note.tsx'

const paid = { by: 'a', credits: 3 }

test('a failed and paid research costs nothing, or the difference to a more expensive model', () => {
  expect(continuePrice(paid, { credits: 3 })).toBe('Already paid')
  expect(continuePrice(paid, { credits: 1 })).toBe('Already paid')
  expect(continuePrice(paid, { credits: 5 })).toBe('2 credits more than already paid')
  expect(continuePrice({ by: 'a', credits: 0 }, { credits: 0 })).toBe('Already paid')
})

test('one that counts again shows its price', () => {
  expect(continuePrice(undefined, { credits: 1 })).toBe('From 1 credit and 1 research')
  expect(continuePrice(undefined, { credits: 3 })).toBe('From 3 credits and 1 research')
})

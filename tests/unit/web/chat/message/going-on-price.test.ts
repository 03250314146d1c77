// The prices of Continue and Retry of a research. tests/workerd/db/research-costs.test.ts tests that the database charges the same.
import { expect, test } from 'vitest'
import { goingOnPrice } from '../../../../../web/features/chat/message/answer-view.tsx'

const paid = { by: 'a', credits: 3 }

test('a failed and paid research costs nothing, or the difference to a more expensive model', () => {
  expect(goingOnPrice(paid, { credits: 3 })).toBe('Costs nothing: it is paid already')
  expect(goingOnPrice(paid, { credits: 1 })).toBe('Costs nothing: it is paid already')
  expect(goingOnPrice(paid, { credits: 5 })).toBe('2 credits more than was paid')
  expect(goingOnPrice({ by: 'a', credits: 0 }, { credits: 0 })).toBe('Costs nothing: it is paid already')
})

test('one that counts again shows its price', () => {
  expect(goingOnPrice(undefined, { credits: 1 })).toBe('1 credit and 1 research')
  expect(goingOnPrice(undefined, { credits: 3 })).toBe('3 credits and 1 research')
})

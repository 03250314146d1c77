// What Continue and Retry of a research name. That the record holds the same is tested beside the record (tests/workerd/db/research-costs.test.ts).
import { expect, test } from 'vitest'
import { goingOnPrice } from '../../../../web/features/thread/going-on-price.ts'

const paid = { by: 'a', credits: 3 }

test('what broke and was paid costs nothing, or what a dearer model costs more', () => {
  expect(goingOnPrice(paid, { credits: 3 })).toBe('Costs nothing: it is paid already')
  expect(goingOnPrice(paid, { credits: 1 })).toBe('Costs nothing: it is paid already')
  expect(goingOnPrice(paid, { credits: 5 })).toBe('2 credits more than was paid')
  expect(goingOnPrice({ by: 'a', credits: 0 }, { credits: 0 })).toBe('Costs nothing: it is paid already')
})

test('what is counted anew names its research as well', () => {
  expect(goingOnPrice(undefined, { credits: 1 })).toBe('1 credit and 1 research')
  expect(goingOnPrice(undefined, { credits: 3 })).toBe('3 credits and 1 research')
})

// The setup finding about the costs of a credit: the price of PRO against the most expensive mode of each model.
import { expect, test } from 'vitest'
import { creditCostFinding } from '../../../worker/setup/payments.ts'
import { catalogueRows } from '../../support/migrated-db.ts'

const models = catalogueRows()
const small = models.filter(({ id }) => id === 'gpt-oss-20b')
const prices = { inputMicroDollarsPerMillionTokens: 0, outputMicroDollarsPerMillionTokens: 0 }
/** Has no tools, so that no search is paid for. */
const free = { name: 'Free', capabilities: [], ...prices }
const unpriced = (name: string) => ({ name, credits: 1 })

test('compares the most expensive mode with the price of Stripe', () => {
  const { state, detail } = creditCostFinding(small, { unitAmount: 60_000, currency: 'usd' })
  expect(state).toBe('warning')
  expect(detail).toMatch(
    /^PRO at 600\.00 USD a month brings 10\.00 cents .* with 1 of 1 models, at most 18\.73 cents with GPT OSS 20B\. `npm/,
  )
})

test.each([null, { unitAmount: 60_000, currency: 'eur' }])('uses and names the default without a price in USD: %j', (price) => {
  const pattern = /^PRO at 25 USD a month \(the default, because Stripe returned no price in USD\) brings 0\.42 cents/
  expect(creditCostFinding(models, price).detail).toMatch(pattern)
})

test('counts the models without a price, and names at most three', () => {
  const two = creditCostFinding([...small, ...['A', 'B'].map(unpriced)], null)
  expect(two.detail).toContain('Models without a price, whose cost is unknown: 2 (A, B).')
  const five = creditCostFinding([...small, ...['A', 'B', 'C', 'D', 'E'].map(unpriced)], null)
  expect(five.detail).toContain('Models without a price, whose cost is unknown: 5 (A, B, C, 2 more).')
})

test('states that every credit is covered only if each model has a price', () => {
  expect(creditCostFinding([free], null)).toEqual({ state: 'works', detail: expect.stringMatching(/covers every credit, whatever/) })
  const { state, detail } = creditCostFinding([free, unpriced('A')], null)
  expect(state).toBe('warning')
  expect(detail).toContain('covers every credit of the models with a price. Models without a price, whose cost is unknown: 1 (A).')
})

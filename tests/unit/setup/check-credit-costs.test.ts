// The setup finding about the costs of a credit: the price of PRO against what a credit pays for.
import { expect, test } from 'vitest'
import { defaultCreditMicroDollars as price } from '../../../worker/contract/models/quote.ts'
import { creditCostFinding } from '../../../worker/setup/payments.ts'
import { catalogueRows } from '../../support/migrated-db.ts'

const priced = catalogueRows().filter(
  ({ inputMicroDollarsPerMillionTokens, unavailable }) => unavailable == null && inputMicroDollarsPerMillionTokens != null,
)
const small = priced.filter(({ id }) => id === 'gpt-oss-20b')
const unpriced = (name: string) => ({ name, credits: 1 })

test('PRO at its default price covers every credit of the catalogue', () => {
  expect(creditCostFinding(priced, null, price)).toEqual({ state: 'works', detail: expect.stringMatching(/covers every credit, whatever/) })
})

test('warns if a credit pays for more than PRO brings, and names the setting', () => {
  const { state, detail } = creditCostFinding(priced, { unitAmount: 1_250, currency: 'usd' }, price)
  expect(state).toBe('warning')
  expect(detail).toMatch(
    /^PRO at 12\.50 USD a month has 0\.19 cents .* with \d+ of \d+ models, at most 0\.39 cents .* CREDIT_MICRO_DOLLARS=1937 or less/,
  )
  expect(creditCostFinding(priced, { unitAmount: 1_250, currency: 'usd' }, 1_937).state).toBe('works')
})

test.each([null, { unitAmount: 60_000, currency: 'eur' }])('uses and names the default without a price in USD: %j', (stripe) => {
  const pattern = /^PRO at 25 USD a month \(the default, because Stripe returned no price in USD\) has 0\.39 cents/
  expect(creditCostFinding(priced, stripe, 2 * price).detail).toMatch(pattern)
})

test('counts the models without a price, and names at most three', () => {
  const two = creditCostFinding([...small, ...['A', 'B'].map(unpriced)], null, price)
  expect(two.state).toBe('warning')
  expect(two.detail).toContain('covers every credit of the models with a price. Models without a price, whose cost is unknown: 2 (A, B).')
  const five = creditCostFinding([...small, ...['A', 'B', 'C', 'D', 'E'].map(unpriced)], null, price)
  expect(five.detail).toContain('Models without a price, whose cost is unknown: 5 (A, B, C, 2 more).')
})

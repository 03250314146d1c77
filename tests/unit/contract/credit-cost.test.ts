// The worst cost of a credit, over the whole catalogue.
import { expect, test } from 'vitest'
import { planBudgets } from '../../../worker/contract/context-budget.ts'
import { creditCost, proMicroDollarsPerCredit } from '../../../worker/contract/credit-cost.ts'
import { catalogueRows } from '../../support/migrated-db.ts'

test('the cost of a request with its whole budget follows the prices', () => {
  const model = { credits: 8, inputMicroDollarsPerMillionTokens: 5_000_000, outputMicroDollarsPerMillionTokens: 25_000_000 }
  const cost = creditCost('pro', { ...model, contextTokens: 1_000_000, maxOutputTokens: 128_000 })
  // 40,000 tokens in at 5 USD and 8,000 out at 25 USD are 0.40 USD for 8 credits.
  expect(cost).toMatchObject({ inputTokens: 40_000, outputTokens: 8_000, chatMicroDollars: 50_000 })
  // Ten such requests with what four searches and six pages found, and the fees of the search provider.
  expect(cost?.searchMicroDollars).toBe(Math.ceil((10 * (72_000 * 5 + 8_000 * 25) + 4 * 7_000 + 6 * 1_000) / 8))
})

test('a model without a price has no cost', () => {
  expect(creditCost('pro', { credits: 1 })).toBeNull()
})

test('PRO at 25 USD yields 0.4166 cents per credit', () => {
  expect(proMicroDollarsPerCredit).toBe(4166)
})

test('no credit of the catalogue costs more than twice the bound of its plan, in a request without tools', () => {
  for (const plan of ['guest', 'free', 'pro'] as const)
    for (const model of catalogueRows().filter(({ unavailable }) => unavailable == null)) {
      const isUsable = plan === 'pro' || model.access === 'public' || (plan === 'free' && model.access === 'account_required')
      const cost = creditCost(plan, model)
      if (isUsable && cost)
        expect(cost.chatMicroDollars, `${plan} ${model.id}`).toBeLessThanOrEqual(2 * planBudgets[plan].microDollarsPerCredit)
    }
})

// The worst cost of a credit, over the whole catalogue.
import { expect, test } from 'vitest'
import { planBudgets } from '../../../worker/contract/context-budget.ts'
import { creditCost, proMicroDollarsPerCredit } from '../../../worker/contract/credit-cost.ts'
import { catalogueRows } from '../../support/migrated-db.ts'

const model = {
  credits: 8,
  inputMicroDollarsPerMillionTokens: 5_000_000,
  outputMicroDollarsPerMillionTokens: 25_000_000,
  contextTokens: 1_000_000,
  maxOutputTokens: 128_000,
  capabilities: ['tools'] as const,
}
const perCredit = (inputTokens: number, requests: number, fees: number) => Math.ceil((inputTokens * 5 + requests * 8_000 * 25 + fees) / 8)

test('the cost of a request follows the prices, with the whole budget and with the longest message', () => {
  const cost = creditCost('pro', model)
  // 40,000 tokens in at 5 USD and 8,000 out at 25 USD are 0.40 USD for 8 credits.
  expect(cost).toMatchObject({ inputTokens: 40_000, outputTokens: 8_000, chatMicroDollars: 50_000 })
  expect(cost?.longestMicroDollars).toBe(perCredit(128_000, 1, 0))
})

test('a message in Search mode makes one request more than its steps, and each step reads the outputs before it', () => {
  const found = 4 * 6_000 + 6 * 12_000
  const outputs = 8_000 * (1 + 2 + 3 + 4 + 5 + 6 + 7 + 8 + 9)
  expect(creditCost('pro', model)?.searchMicroDollars).toBe(perCredit(11 * (128_000 + found) + outputs, 11, 4 * 7_000 + 6 * 1_000))
})

test('a research makes a plan, notes of eight steps and a report that reads them', () => {
  const notes = 1_500 + 16_000 + 100_000 + 2 * 6_000 + 3 * 12_000
  const report = 128_000 + 8 * (300 + 8_000)
  const fees = 8 * (2 * 7_000 + 3 * 1_000)
  expect(creditCost('pro', model)?.researchMicroDollars).toBe(perCredit(128_000 + 8 * notes + report, 10, fees))
  expect(creditCost('free', model)?.researchMicroDollars).toBeNull()
})

test('no request is larger than the context window', () => {
  const small = { ...model, contextTokens: 64_000, maxOutputTokens: 8_000 }
  expect(creditCost('pro', small)?.searchMicroDollars).toBe(perCredit(11 * 64_000, 11, 4 * 7_000 + 6 * 1_000))
})

test('a model without tools neither searches nor researches', () => {
  const cost = creditCost('pro', { ...model, capabilities: [] })
  expect(cost).toMatchObject({ searchMicroDollars: null, researchMicroDollars: null })
  expect(cost?.worstMicroDollars).toBe(cost?.longestMicroDollars)
})

test('the worst cost is the highest of all modes', () => {
  for (const row of catalogueRows()) {
    const cost = creditCost('pro', row)
    if (!cost) continue
    const { chatMicroDollars, longestMicroDollars, searchMicroDollars, researchMicroDollars } = cost
    expect(cost.worstMicroDollars).toBe(Math.max(chatMicroDollars, longestMicroDollars, searchMicroDollars ?? 0, researchMicroDollars ?? 0))
  }
})

test('a model without a price has no cost', () => {
  expect(creditCost('pro', { credits: 1 })).toBeNull()
})

test('PRO at 25 USD yields 0.4166 cents per credit', () => {
  expect(proMicroDollarsPerCredit()).toBe(4166)
})

test('no credit of the catalogue costs more than twice the bound of its plan, in a request without tools whose conversation fits into the budget', () => {
  for (const plan of ['guest', 'free', 'pro'] as const)
    for (const model of catalogueRows().filter(({ unavailable }) => unavailable == null)) {
      const isUsable = plan === 'pro' || model.access === 'public' || (plan === 'free' && model.access === 'account_required')
      const cost = creditCost(plan, model)
      if (isUsable && cost)
        expect(cost.chatMicroDollars, `${plan} ${model.id}`).toBeLessThanOrEqual(2 * planBudgets[plan].microDollarsPerCredit)
    }
})

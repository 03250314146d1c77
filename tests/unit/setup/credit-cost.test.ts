// The highest cost of a credit, over the whole catalogue.
import { expect, test } from 'vitest'
import { planBudgets } from '../../../worker/contract/models/context-budget.ts'
import { creditCost, proMicroDollarsPerCredit } from '../../../worker/setup/credit-cost.ts'
import { catalogueRows } from '../../support/migrated-db.ts'

const model = {
  credits: 8,
  inputMicroDollarsPerMillionTokens: 5_000_000,
  outputMicroDollarsPerMillionTokens: 25_000_000,
  contextTokens: 1_000_000,
  maxOutputTokens: 128_000,
  capabilities: ['tools'] as const,
}
const perCredit = (inputTokens: number, outputTokens: number, fees: number) => Math.ceil((inputTokens * 5 + outputTokens * 25 + fees) / 8)
const found = 4 * 6_000 + 6 * 6_000
const searchFees = 4 * 7_000 + 6 * 1_000

test('the cost of a request follows the prices, with the whole budget and with the longest message', () => {
  const cost = creditCost('pro', model)
  // 40,000 tokens in at 5 USD and 8,000 out at 25 USD are 0.40 USD for 8 credits.
  expect(cost).toMatchObject({ inputTokens: 40_000, outputTokens: 8_000, chatMicroDollars: 50_000 })
  expect(cost?.longestMicroDollars).toBe(perCredit(128_000, 8_000, 0))
})

test('the longest message in Search mode has tools in its first request, and makes two more', () => {
  const expensive = { ...model, credits: 1 }
  const inputTokens = 128_000 + 2 * (128_000 + found + 8_000)
  expect(creditCost('pro', expensive)?.searchMicroDollars).toBe(inputTokens * 5 + 3 * 8_000 * 25 + searchFees)
})

test('a shorter message in Search mode makes requests up to the budget of the turn, and two more', () => {
  const cheap = { ...model, credits: 1, inputMicroDollarsPerMillionTokens: 100_000, outputMicroDollarsPerMillionTokens: 400_000 }
  const inputTokens = 4 * (128_000 + 16_000) + 128_000 + 2 * (found + 2 * 16_000)
  expect(creditCost('pro', cheap)?.searchMicroDollars).toBe(Math.ceil(inputTokens * 0.1 + 4 * 16_000 * 0.4 + searchFees))
})

test('a research makes a plan, notes of eight steps and a report that reads them', () => {
  const notes = 1_500 + 16_000 + 8_000 + 2 * 6_000 + 3 * 6_000
  const report = 128_000 + 8 * (300 + 8_000)
  const fees = 8 * (2 * 7_000 + 3 * 1_000)
  expect(creditCost('pro', model)?.researchMicroDollars).toBe(perCredit(128_000 + 8 * notes + report, 10 * 8_000, fees))
  expect(creditCost('free', model)?.researchMicroDollars).toBeNull()
})

test('no request is larger than the context window', () => {
  const small = { ...model, contextTokens: 64_000, maxOutputTokens: 8_000 }
  expect(creditCost('pro', { ...small, credits: 1 })?.searchMicroDollars).toBe(
    Math.ceil((128_000 - 128_000 / 3 + 2 * 64_000) * 5 + 4 * 8_000 * 25 + searchFees),
  )
})

test('a model without tools neither searches nor researches', () => {
  const cost = creditCost('pro', { ...model, capabilities: [] })
  expect(cost).toMatchObject({ searchMicroDollars: null, researchMicroDollars: null })
  expect(cost?.highestMicroDollars).toBe(cost?.longestMicroDollars)
})

test('the highest cost is that of the most expensive mode', () => {
  for (const row of catalogueRows()) {
    const cost = creditCost('pro', row)
    if (!cost) continue
    const { chatMicroDollars, longestMicroDollars, searchMicroDollars, researchMicroDollars } = cost
    expect(cost.highestMicroDollars).toBe(
      Math.max(chatMicroDollars, longestMicroDollars, searchMicroDollars ?? 0, researchMicroDollars ?? 0),
    )
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

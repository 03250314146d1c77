// The highest cost of a credit, over the whole catalogue, and what a month of PRO earns.
import { describe, expect, test } from 'vitest'
import { modelRefusal } from '../../../worker/contract/access.ts'
import { creditsPerDay } from '../../../worker/contract/limits.ts'
import { budgetFor } from '../../../worker/contract/models/context-budget.ts'
import type { TurnMode } from '../../../worker/contract/models/modes.ts'
import {
  expectedOutput,
  defaultCreditMicroDollars as price,
  quoteFor,
  reservationsFor,
  settledCredits,
  tokenPrices,
} from '../../../worker/contract/models/quote.ts'
import { defaultProPrice } from '../../../worker/contract/organizations/pro-price.ts'
import { creditCost, proMicroDollarsPerCredit } from '../../../worker/setup/credit-cost.ts'
import { catalogueRows } from '../../support/migrated-db.ts'
import { createRng } from '../../support/rng.ts'

const models = catalogueRows().filter(({ unavailable }) => unavailable == null)

test('no credit costs more than 1.5 times its price, with any plan, model and mode', () => {
  for (const plan of ['guest', 'free', 'pro'] as const)
    for (const model of models.filter((row) => modelRefusal(plan, row) === null)) {
      const cost = creditCost(plan, model, price)
      if (!cost) continue
      for (const turn of [cost.first, cost.longest, cost.search, cost.research])
        if (turn) expect(turn.microDollars, `${plan} ${model.id}`).toBeLessThanOrEqual(1.5 * price)
    }
})

test('a model without tools neither searches nor researches, and only PRO researches', () => {
  const [model] = models.filter(({ id }) => id === 'gemini-2.5-flash')
  expect(creditCost('pro', { ...model, capabilities: [] }, price)).toMatchObject({ search: null, research: null })
  expect(creditCost('free', { ...model }, price)).toMatchObject({ search: expect.anything(), research: null })
  expect(creditCost('pro', { ...model }, price)).toMatchObject({ search: expect.anything(), research: expect.anything() })
})

test('a model without a price has no cost', () => expect(creditCost('pro', { credits: 1 }, price)).toBeNull())

test('PRO at 25 USD yields 0.4166 cents per credit', () => expect(proMicroDollarsPerCredit()).toBe(4_166))

/** Chosen: what a small model costs for one title, in the first turn of a thread. */
const titleMicroDollars = 300

/**
 * Thirty days of a subscriber who sends messages to one model until the credits of the day do not suffice for the next one. Threads grow up to
 * the largest input of the plan. The real input is up to a third below the estimate, and output varies up to the limit of the reservation.
 */
function month(model: (typeof models)[number], seed: number) {
  const rng = createRng(seed)
  const prices = tokenPrices(model)
  if (!prices) return null
  const budget = budgetFor('pro', model)
  let [microDollars, credits, turns] = [0, 0, 0]
  for (let day = 0; day < 30; day++) {
    let left: number = creditsPerDay.pro
    let inputTokens = 1_600
    for (let refused = 0; refused < 3; ) {
      const canSearch = model.capabilities?.includes('tools') === true
      const mode: TurnMode = canSearch && rng.chance(0.2) ? 'search' : 'chat'
      const quote = quoteFor({ model, plan: 'pro', mode, inputTokens }, price)
      const [reserved] = reservationsFor([quote], left) ?? []
      if (reserved === undefined) {
        refused += 1
        inputTokens = 1_600
        continue
      }
      const output = rng.chance(0.1) ? budget.outputTokens : rng.below(3 * expectedOutput(model))
      const requests = mode === 'search' ? 2 + rng.below(4) : 1
      const wanted = requests * inputTokens * (0.67 + 0.33 * rng.next()) * prices.written + output * prices.output + (requests - 1) * 7_000
      const used = Math.min(wanted, reserved * price)
      const charged = settledCredits({ ...quote, creditMicroDollars: price }, { microDollars: used, isKnown: true }, reserved)
      microDollars += used + (inputTokens === 1_600 ? titleMicroDollars : 0)
      left -= charged
      credits += charged
      turns += 1
      inputTokens = rng.chance(0.2) ? 1_600 : Math.min(budget.inputTokens, inputTokens + 200 + rng.below(4_000))
    }
    expect(left).toBeGreaterThanOrEqual(0)
  }
  return { dollars: microDollars / 1_000_000, credits, turns }
}

describe('a month of PRO at full use', () => {
  test.each([1, 2, 3])('earns with every model: seed %i', (seed) => {
    for (const model of models) {
      const used = month(model, seed)
      if (!used) continue
      expect(used.dollars, `${model.id}: ${used.turns} turns, ${used.credits} credits`).toBeLessThan(defaultProPrice.unitAmount / 100)
    }
  })
})

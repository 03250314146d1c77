// The highest cost of a credit, over the whole catalogue, and what a month of PRO earns.
import { describe, expect, test } from 'vitest'
import { modelRefusal } from '../../../worker/contract/access.ts'
import { creditsPerDay, maxPlanSteps, memoryReadingsPerDay, researchesPerDay, unpaidTurnsPerDay } from '../../../worker/contract/limits.ts'
import { budgetFor } from '../../../worker/contract/models/context-budget.ts'
import type { TurnMode } from '../../../worker/contract/models/modes.ts'
import {
  expectedOutput,
  defaultCreditMicroDollars as price,
  type QuotedTurn,
  quoteFor,
  reservationsFor,
  settledCredits,
  tokenPrices,
  toolFee,
} from '../../../worker/contract/models/quote.ts'
import { smallModels } from '../../../worker/contract/models/small-models.ts'
import { searchTool } from '../../../worker/contract/models/tools.ts'
import { defaultProPrice } from '../../../worker/contract/organizations/pro-price.ts'
import { creditCost } from '../../../worker/setup/credit-cost.ts'
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

/** Stripe's standard fee for a payment by card in the United States: https://stripe.com/pricing, read 2026-11-30. */
const paymentFeeMicroDollars = 0.029 * defaultProPrice.unitAmount * 10_000 + 300_000
const revenueMicroDollars = defaultProPrice.unitAmount * 10_000 - paymentFeeMicroDollars

/** The model that the catalogue's connection has for titles and readings. */
const small = tokenPrices(smallModels.gateway) ?? { input: 0, output: 0 }
const ofSmall = (inputTokens: number, outputTokens: number) => inputTokens * small.input + outputTokens * small.output
/** Chosen: the beginning of a long message, and reasoning of a model that ignores the setting. */
const titleMicroDollars = ofSmall(1_000, 1_000)
const newThreadTokens = 1_600

/** A subscriber's month in micro-dollars. `paid`: the charged turns. The rest is what credits do not pay. */
type Month = { paid: number; titles: number; readings: number; unpaid: number; credits: number; turns: number }

/**
 * Thirty days of a subscriber with memory who sends typed messages to one model until the credits of the day do not suffice for the next one. Threads
 * grow up to the largest input of the plan. The real input is up to a third below the estimate, and output varies up to the limit of the reservation.
 * Chosen: a turn in five searches, one in fifty plans a research and a third of the plans is not started, one in thirty fails after its provider
 * has read its input, and one in twenty is stopped.
 */
function month(model: (typeof models)[number], seed: number): Month | null {
  const rng = createRng(seed)
  const prices = tokenPrices(model)
  if (!prices) return null
  const budget = budgetFor('pro', model)
  const canSearch = model.capabilities?.includes('tools') === true
  const sum: Month = { paid: 0, titles: 0, readings: 0, unpaid: 0, credits: 0, turns: 0 }
  for (let day = 0; day < 30; day++) {
    let [left, readings, unpaid, researches, inputTokens] = [creditsPerDay.pro as number, 0, 0, 0, newThreadTokens]
    for (let refused = 0; refused < 3; ) {
      const read = (requests: number) => requests * inputTokens * (0.67 + 0.33 * rng.next()) * prices.written
      const written = () => (rng.chance(0.1) ? budget.outputTokens : rng.below(3 * expectedOutput(model))) * prices.output
      const mayEndFree = unpaid < unpaidTurnsPerDay
      const endsFree = (microDollars: number) => {
        sum.unpaid += microDollars
        unpaid += 1
      }
      let mode: TurnMode = canSearch && rng.chance(0.2) ? 'search' : 'chat'
      let research: QuotedTurn['research']
      if (canSearch && researches < researchesPerDay.pro && mayEndFree && rng.chance(0.02)) {
        const planMicroDollars = read(1) + expectedOutput(model) * prices.output
        if (planMicroDollars > left * price) refused += 1
        if (planMicroDollars > left * price || rng.chance(1 / 3)) {
          endsFree(planMicroDollars)
          continue
        }
        mode = 'research'
        research = { steps: 3 + rng.below(maxPlanSteps - 2), planMicroDollars }
      }
      const quote = quoteFor({ model, plan: 'pro', mode, mayUseTools: canSearch, inputTokens, research }, price)
      const [reserved] = reservationsFor([quote], left) ?? []
      if (reserved === undefined) {
        if (research) endsFree(research.planMicroDollars)
        refused += 1
        inputTokens = newThreadTokens
        continue
      }
      sum.turns += 1
      if (inputTokens === newThreadTokens) sum.titles += titleMicroDollars
      const requests = mode === 'search' || (canSearch && rng.chance(0.2)) ? 2 + rng.below(4) : 1
      const wanted = research
        ? quote.expected * price * (0.6 + 0.6 * rng.next())
        : read(requests) + written() + (requests - 1) * toolFee(searchTool)
      const used = Math.min(wanted, reserved * price)
      if (mayEndFree && rng.chance(1 / 30)) {
        endsFree(Math.min(read(1), used))
        continue
      }
      // The use of a stopped turn is never reported.
      const isKnown = !rng.chance(1 / 20)
      const money = { microDollars: isKnown ? used : 0, isKnown }
      const charged = settledCredits({ ...quote, creditMicroDollars: price }, money, reserved)
      sum.paid += used
      sum.credits += charged
      left -= charged
      if (research) researches += 1
      else if (isKnown && readings < memoryReadingsPerDay) {
        sum.readings += ofSmall(1_000 + rng.below(4_000), 20 + rng.below(400))
        readings += 1
      }
      inputTokens = rng.chance(0.2) ? newThreadTokens : Math.min(budget.inputTokens, inputTokens + 200 + rng.below(4_000))
    }
    expect(left).toBeGreaterThanOrEqual(0)
  }
  return sum
}

describe('a month of PRO at full use', () => {
  test.each([1, 2, 3])('earns with every model after the payment fee: seed %i', (seed) => {
    for (const model of models) {
      const used = month(model, seed)
      if (!used) continue
      const { paid, titles, readings, unpaid } = used
      expect(revenueMicroDollars - paid - titles - readings - unpaid, `${model.id}: ${JSON.stringify(used)}`).toBeGreaterThan(0)
    }
  })
})

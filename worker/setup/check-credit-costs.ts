/** Warns when a PRO subscription can cost more than it brings. */
import { billingFor } from '../billing/billing.ts'
import { readProPrice } from '../billing/read-price.ts'
import type { Env } from '../bindings.ts'
import { defaultProPrice, type ProPrice } from '../contract/pro-price.ts'
import { readAvailableModels } from '../db/catalogue.ts'
import { directoryDb } from '../db/shards.ts'
import type { Settings } from '../settings.ts'
import { type CostedModel, creditCost, proMicroDollarsPerCredit } from './credit-cost.ts'
import { type Finding, warning, works } from './finding.ts'

export async function checkCreditCosts(env: Env, settings: Settings): Promise<Finding> {
  const billing = billingFor(env, settings)
  return creditCostFinding(await readAvailableModels(directoryDb(env)), billing && (await readProPrice(billing)))
}

type NamedModel = CostedModel & { readonly name: string }

/** The default price applies if Stripe's price is unknown or has another currency than the costs. */
export function creditCostFinding(models: readonly NamedModel[], stripePrice: ProPrice | null): Finding {
  const price = stripePrice?.currency === 'usd' ? stripePrice : null
  const pro = price
    ? `PRO at ${(price.unitAmount / 100).toFixed(2)} USD a month`
    : `PRO at ${defaultProPrice.unitAmount / 100} USD a month (the default, because Stripe returned no price in USD)`
  const revenue = proMicroDollarsPerCredit(price ?? defaultProPrice)
  const costs = models.map((model) => ({ name: model.name, microDollars: creditCost('pro', model)?.highestMicroDollars ?? null }))
  const unpriced = costs.filter(({ microDollars }) => microDollars === null).map(({ name }) => name)
  const losing = costs.flatMap(({ name, microDollars }) => (microDollars !== null && microDollars > revenue ? { name, microDollars } : []))
  const [dearest] = losing.toSorted((a, b) => b.microDollars - a.microDollars)
  if (!dearest && unpriced.length === 0) return works(`${pro} covers every credit, whatever the model.`)
  const priced = dearest
    ? `${pro} brings ${cents(revenue)} for a credit if all credits are used. In the worst case a credit costs more with ${losing.length} of ${costs.length} models, at most ${cents(dearest.microDollars)} with ${dearest.name}.`
    : `${pro} covers every credit of the models with a price.`
  const unknown = unpriced.length > 0 ? ` Models without a price, whose cost is unknown: ${unpriced.length} (${firstOf(unpriced)}).` : ''
  return warning(`${priced}${unknown} \`npm run credit-costs\` prints the costs by mode.`)
}

const maxNames = 3

const firstOf = (names: readonly string[]): string =>
  [...names.slice(0, maxNames), ...(names.length > maxNames ? [`${names.length - maxNames} more`] : [])].join(', ')

const cents = (microDollars: number): string => `${(microDollars / 10_000).toFixed(2)} cents`

/** Warns when a PRO subscription can cost more than it brings. */
import { creditCost, proMicroDollarsPerCredit } from '../contract/credit-cost.ts'
import { readAvailableModels } from '../db/catalogue.ts'
import { type DatabaseBindings, directoryDb } from '../db/shards.ts'
import { type Finding, warning, works } from './finding.ts'

export async function checkCreditCosts(env: DatabaseBindings): Promise<Finding> {
  const costs = (await readAvailableModels(directoryDb(env))).flatMap((row) => {
    const cost = creditCost('pro', row)
    return cost ? [{ name: row.name, microDollars: cost.chatMicroDollars }] : []
  })
  const losing = costs.filter(({ microDollars }) => microDollars > proMicroDollarsPerCredit)
  const [dearest] = losing.toSorted((a, b) => b.microDollars - a.microDollars)
  if (!dearest) return works('PRO at 25 USD a month covers every credit, whatever the model.')
  return warning(
    `PRO at 25 USD a month brings ${cents(proMicroDollarsPerCredit)} for a credit if all credits are used. In the worst case a credit costs more with ${losing.length} of ${costs.length} models, at most ${cents(dearest.microDollars)} with ${dearest.name}. \`npm run credit-costs\` prints all models.`,
  )
}

const cents = (microDollars: number): string => `${(microDollars / 10_000).toFixed(2)} cents`

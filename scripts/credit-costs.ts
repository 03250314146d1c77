// `npm run credit-costs`: the worst cost of a credit for each plan and model of the migrations, most expensive first. Models that a connected
// server adds are not in the list. Needs neither a build nor a database.
import { DatabaseSync } from 'node:sqlite'
import { modelRefusal, type Plan } from '../worker/contract/access.ts'
import type { PricedModel } from '../worker/contract/context-budget.ts'
import { creditCost, proMicroDollarsPerCredit } from '../worker/contract/credit-cost.ts'
import { creditsPerDay } from '../worker/contract/limits.ts'
import { migrationNames, migrationText } from './lib/migration-files.ts'

type Row = PricedModel & { readonly id: string }

const database = new DatabaseSync(':memory:')
for (const name of migrationNames()) database.exec(migrationText(name))
const models = database.prepare('select * from model where unavailable is null').all() as unknown as Row[]

const plans: readonly Plan[] = ['guest', 'free', 'pro']
const cents = (microDollars: number) => (microDollars / 10_000).toFixed(2).padStart(8)
const tokens = (count: number) => count.toLocaleString('en').padStart(9)

for (const plan of plans) {
  const costs = models
    .filter((model) => modelRefusal(plan, model) === null)
    .flatMap((model) => {
      const cost = creditCost(plan, model)
      return cost ? [{ id: model.id, ...cost }] : []
    })
    .sort((a, b) => b.chatMicroDollars - a.chatMicroDollars)
  console.log(`\n${plan}: ${creditsPerDay[plan]} credits a day. Worst cost of a credit in cents:`)
  console.log(`  ${'model'.padEnd(22)}    input   output    chat  search`)
  for (const { id, inputTokens, outputTokens, chatMicroDollars, searchMicroDollars } of costs)
    console.log(
      `  ${id.padEnd(22)}${tokens(inputTokens)}${tokens(outputTokens)}${cents(chatMicroDollars)}${cents(searchMicroDollars)}${plan === 'pro' && chatMicroDollars > proMicroDollarsPerCredit ? '  can lose money' : ''}`,
    )
  const [worst] = costs
  if (worst) {
    const dollars = (worst.chatMicroDollars * creditsPerDay[plan] * 30) / 1_000_000
    console.log(`  All credits of 30 days with ${worst.id}: at most ${dollars.toFixed(2)} USD.`)
  }
}
console.log(`\nPRO at 25 USD a month brings${cents(proMicroDollarsPerCredit)} cents for a credit if all credits of 30 days are used.`)

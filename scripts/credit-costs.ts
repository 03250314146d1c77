// `npm run credit-costs`: the highest cost of a credit for each plan and model of the migrations, most expensive first. Models that a connected
// server adds are not in the list. Needs neither a build nor a database.
import { DatabaseSync } from 'node:sqlite'
import { creditsFor, modelRefusal, type Plan } from '../worker/contract/access.ts'
import type { Capability } from '../worker/contract/files/files.ts'
import { creditsPerDay, researchesPerDay, searchesPerDay } from '../worker/contract/limits.ts'
import type { PricedModel } from '../worker/contract/models/context-budget.ts'
import { defaultProPrice } from '../worker/contract/organizations/pro-price.ts'
import { creditCost, proMicroDollarsPerCredit } from '../worker/setup/credit-cost.ts'
import { migrationNames, migrationText } from './lib/migration-files.ts'

type Row = PricedModel & { readonly id: string; readonly capabilities: string | null }
type Cost = NonNullable<ReturnType<typeof creditCost>>

const database = new DatabaseSync(':memory:')
for (const name of migrationNames()) database.exec(migrationText(name))
const rows = database.prepare('select * from model where unavailable is null').all() as unknown as Row[]
const models = rows.map((row) => ({ ...row, capabilities: JSON.parse(row.capabilities ?? '[]') as readonly Capability[] }))

const plans: readonly Plan[] = ['guest', 'free', 'pro']
const cents = (microDollars: number | null) => (microDollars === null ? '-' : (microDollars / 10_000).toFixed(2))
const tokens = (count: number) => count.toLocaleString('en').padStart(9)

for (const plan of plans) {
  const usable = models.filter((model) => modelRefusal(plan, model) === null).map((model) => ({ model, cost: creditCost(plan, model) }))
  const priced = usable.flatMap(({ model, cost }) => (cost ? [{ model, cost }] : []))
  console.log(`\n${plan}: ${creditsPerDay[plan]} credits a day. Highest cost of a credit in cents:`)
  console.log(`  ${'model'.padEnd(22)}    input   output      chat   longest    search  research`)
  for (const { model, cost } of priced.toSorted((a, b) => b.cost.highestMicroDollars - a.cost.highestMicroDollars)) {
    const costs = [cost.chatMicroDollars, cost.longestMicroDollars, cost.searchMicroDollars, cost.researchMicroDollars]
    const note = plan === 'pro' && cost.highestMicroDollars > proMicroDollarsPerCredit() ? '  can lose money' : ''
    console.log(
      `  ${model.id.padEnd(22)}${tokens(cost.inputTokens)}${tokens(cost.outputTokens)}${costs.map((cost) => cents(cost).padStart(10)).join('')}${note}`,
    )
  }
  for (const { model, cost } of usable) if (!cost) console.log(`  ${model.id.padEnd(22)}  unknown, because the model has no price`)
  const costsOfMonth = priced.map(({ model, cost }) => ({ id: model.id, dollars: highestMonthDollars(plan, creditsFor(model), cost) }))
  const [highest] = costsOfMonth.toSorted((a, b) => b.dollars - a.dollars)
  if (highest)
    console.log(
      `  All credits of 30 days with ${highest.id}, within the daily searches and researches: at most ${highest.dollars.toFixed(2)} USD.`,
    )
}
console.log(`\nChat: a conversation within the budget. Longest: one message of the largest size, as in search and research.`)
const proDollars = defaultProPrice.unitAmount / 100
console.log(
  `PRO at ${proDollars} USD a month brings ${cents(proMicroDollarsPerCredit())} cents for a credit if all credits of 30 days are used.`,
)

/** The highest cost of 30 days in US dollars: each day the most expensive messages first, as many as the plan allows. */
function highestMonthDollars(plan: Plan, credits: number, cost: Cost): number {
  const { researchMicroDollars, searchMicroDollars, longestMicroDollars } = cost
  const messages = [
    { perCredit: researchMicroDollars ?? 0, perDay: researchesPerDay[plan] },
    { perCredit: searchMicroDollars ?? 0, perDay: searchesPerDay[plan] },
    { perCredit: longestMicroDollars, perDay: Number.POSITIVE_INFINITY },
  ]
  let creditsLeft: number = creditsPerDay[plan]
  let dayMicroDollars = 0
  for (const { perCredit, perDay } of messages.toSorted((a, b) => b.perCredit - a.perCredit)) {
    const spent = Math.min(creditsLeft, perDay * credits)
    creditsLeft -= spent
    dayMicroDollars += spent * perCredit
  }
  return (30 * dayMicroDollars) / 1_000_000
}

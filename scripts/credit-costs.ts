// `npm run credit-costs`: the worst cost of a credit for each plan and model of the migrations, most expensive first. Models that a connected
// server adds are not in the list. Needs neither a build nor a database.
import { DatabaseSync } from 'node:sqlite'
import { creditsFor, modelRefusal, type Plan } from '../worker/contract/access.ts'
import type { PricedModel } from '../worker/contract/context-budget.ts'
import { creditCost, proMicroDollarsPerCredit } from '../worker/contract/credit-cost.ts'
import type { Capability } from '../worker/contract/files.ts'
import { creditsPerDay, researchesPerDay, searchesPerDay } from '../worker/contract/limits.ts'
import { migrationNames, migrationText } from './lib/migration-files.ts'

type Row = PricedModel & { readonly id: string; readonly capabilities: string | null }
type Cost = NonNullable<ReturnType<typeof creditCost>>

const database = new DatabaseSync(':memory:')
for (const name of migrationNames()) database.exec(migrationText(name))
const rows = database.prepare('select * from model where unavailable is null').all() as unknown as Row[]
const models = rows.map((row) => ({ ...row, capabilities: JSON.parse(row.capabilities ?? '[]') as readonly Capability[] }))

const plans: readonly Plan[] = ['guest', 'free', 'pro']
const cents = (microDollars: number | null) => (microDollars === null ? '-' : (microDollars / 10_000).toFixed(2)).padStart(10)
const tokens = (count: number) => count.toLocaleString('en').padStart(9)

for (const plan of plans) {
  const usable = models.filter((model) => modelRefusal(plan, model) === null).map((model) => ({ model, cost: creditCost(plan, model) }))
  const priced = usable.flatMap(({ model, cost }) => (cost ? [{ model, cost }] : []))
  console.log(`\n${plan}: ${creditsPerDay[plan]} credits a day. Worst cost of a credit in cents:`)
  console.log(`  ${'model'.padEnd(22)}    input   output      chat   longest    search  research`)
  for (const { model, cost } of priced.toSorted((a, b) => b.cost.worstMicroDollars - a.cost.worstMicroDollars)) {
    const costs = [cost.chatMicroDollars, cost.longestMicroDollars, cost.searchMicroDollars, cost.researchMicroDollars]
    const note = plan === 'pro' && cost.worstMicroDollars > proMicroDollarsPerCredit() ? '  can lose money' : ''
    console.log(`  ${model.id.padEnd(22)}${tokens(cost.inputTokens)}${tokens(cost.outputTokens)}${costs.map(cents).join('')}${note}`)
  }
  for (const { model, cost } of usable) if (!cost) console.log(`  ${model.id.padEnd(22)}  unknown, because the model has no price`)
  const months = priced.map(({ model, cost }) => ({ id: model.id, dollars: monthDollars(plan, creditsFor(model), cost) }))
  const [worst] = months.toSorted((a, b) => b.dollars - a.dollars)
  if (worst)
    console.log(
      `  All credits of 30 days with ${worst.id}, within the daily searches and researches: at most ${worst.dollars.toFixed(2)} USD.`,
    )
}
console.log(`\nChat: a conversation within the budget. Longest: one message of the largest size, as in search and research.`)
console.log(`PRO at 25 USD a month brings${cents(proMicroDollarsPerCredit())} cents for a credit if all credits of 30 days are used.`)

/** The most expensive messages first, as many as the plan allows a day. */
function monthDollars(plan: Plan, credits: number, { researchMicroDollars, searchMicroDollars, longestMicroDollars }: Cost): number {
  const messages = [
    { perCredit: researchMicroDollars ?? 0, perDay: researchesPerDay[plan] },
    { perCredit: searchMicroDollars ?? 0, perDay: searchesPerDay[plan] },
    { perCredit: longestMicroDollars, perDay: Number.POSITIVE_INFINITY },
  ]
  let remaining: number = creditsPerDay[plan]
  let day = 0
  for (const { perCredit, perDay } of messages.toSorted((a, b) => b.perCredit - a.perCredit)) {
    const spent = Math.min(remaining, perDay * credits)
    remaining -= spent
    day += spent * perCredit
  }
  return (30 * day) / 1_000_000
}

// `npm run credit-costs`: what the turns of each model cost in credits, and what a credit costs in the worst case, for each plan and model of the
// migrations. Models that a connected server adds are not in the list. Needs neither a build nor a database. `-- --price N` sets another price of a
// credit, in millionths of a US dollar.
import { DatabaseSync } from 'node:sqlite'
import { parseArgs } from 'node:util'
import { modelRefusal, type Plan } from '../worker/contract/access.ts'
import type { Capability } from '../worker/contract/files/files.ts'
import { creditsPerDay } from '../worker/contract/limits.ts'
import type { PricedModel } from '../worker/contract/models/context-budget.ts'
import { creditMicroDollarsAt, defaultCreditMicroDollars } from '../worker/contract/models/quote.ts'
import { defaultProPrice } from '../worker/contract/organizations/pro-price.ts'
import { creditCost, type TurnCost } from '../worker/setup/credit-cost.ts'
import { migrationNames, migrationText } from './lib/migration-files.ts'

type Row = PricedModel & { readonly id: string; readonly capabilities: string | null }

const { values } = parseArgs({ options: { price: { type: 'string' } } })
const price = Number(values.price ?? defaultCreditMicroDollars)
if (!Number.isSafeInteger(price) || price <= 0) throw new Error('--price must be a positive whole number')

const database = new DatabaseSync(':memory:')
for (const name of migrationNames()) database.exec(migrationText(name))
const rows = database.prepare('select * from model where unavailable is null').all() as unknown as Row[]
const models = rows.map((row) => ({ ...row, capabilities: JSON.parse(row.capabilities ?? '[]') as readonly Capability[] }))

const plans: readonly Plan[] = ['guest', 'free', 'pro']
const cents = (microDollars: number) => (microDollars / 10_000).toFixed(2)
const column = (cost: TurnCost | null) =>
  cost === null ? '-'.padStart(22) : `${cost.quote.expected} to ${cost.quote.most}  ${cents(cost.microDollars)}`.padStart(22)

for (const plan of plans) {
  const usable = models
    .filter((model) => modelRefusal(plan, model) === null)
    .map((model) => ({ model, cost: creditCost(plan, model, price) }))
  const priced = usable.flatMap(({ model, cost }) => (cost ? [{ model, cost }] : []))
  console.log(
    `\n${plan}: ${creditsPerDay[plan]} credits a day. Credits of a turn, expected and at most, and the highest cost of a credit in cents:`,
  )
  console.log(`  ${'model'.padEnd(22)}${['first message', 'longest', 'search', 'research'].map((name) => name.padStart(22)).join('')}`)
  for (const { model, cost } of priced.toSorted((a, b) => b.cost.longest.quote.expected - a.cost.longest.quote.expected))
    console.log(`  ${model.id.padEnd(22)}${[cost.first, cost.longest, cost.search, cost.research].map(column).join('')}`)
  for (const { model, cost } of usable) if (!cost) console.log(`  ${model.id.padEnd(22)}  unknown, because the model has no price`)
  const highest = Math.max(...priced.map(({ cost }) => cost.highestMicroDollars))
  const dollars = (30 * creditsPerDay[plan] * highest) / 1_000_000
  console.log(`  All credits of 30 days cost at most ${dollars.toFixed(2)} USD.`)
}
console.log('\nLongest: a thread of the largest size that the plan sends, as in search and research. A research has eight steps.')
console.log(
  `A credit pays for ${cents(price)} cents. PRO at ${defaultProPrice.unitAmount / 100} USD a month has ${cents(creditMicroDollarsAt(defaultProPrice))} cents for a credit if all credits of 30 days are used, without the part for fees and free requests.`,
)

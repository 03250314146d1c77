// `npm run credit-costs` over the catalogue of the migrations.
import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { creditCost } from '../../../worker/setup/credit-cost.ts'
import { catalogueRows } from '../../support/migrated-db.ts'

const print = (...args: string[]) =>
  execFileSync(process.execPath, ['scripts/credit-costs.ts', ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })

test('prints the credits of a turn and the worst cost of a credit for every model that PRO may use', () => {
  const pro = print('--price', '5000').split('\npro: ')[1] ?? ''
  const models = catalogueRows().filter(({ unavailable }) => unavailable == null)
  const priced = models.flatMap((model) => {
    const cost = creditCost('pro', model, 5_000)
    return cost ? [{ id: model.id, cost }] : []
  })
  expect(priced.length).toBeGreaterThan(40)
  for (const { id, cost } of priced) {
    const line = pro.split('\n').find((text) => text.trim().split(/\s+/)[0] === id)
    const columns = [cost.first, cost.longest, cost.search, cost.research].map((turn) =>
      turn === null ? '-' : `${turn.quote.expected} to ${turn.quote.most} ${(turn.microDollars / 10_000).toFixed(2)}`,
    )
    expect(line?.trim().split(/\s+/).slice(1).join(' '), id).toBe(columns.join(' '))
  }
  const unpriced = models.filter((model) => creditCost('pro', model, 5_000) === null)
  expect(unpriced.map(({ id }) => id)).toContain('openrouter-auto')
  for (const { id } of unpriced) expect(pro, id).toMatch(new RegExp(`^ +${id} +unknown`, 'm'))
})

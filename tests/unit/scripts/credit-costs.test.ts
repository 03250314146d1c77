// `npm run credit-costs` over the catalogue of the migrations.
import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { creditCost } from '../../../worker/contract/credit-cost.ts'
import { catalogueRows } from '../../support/migrated-db.ts'

test('prints the worst cost of a credit for every model that PRO may use', () => {
  const printed = execFileSync(process.execPath, ['scripts/credit-costs.ts'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
  const pro = printed.split('\npro: ')[1] ?? ''
  const models = catalogueRows().filter(({ unavailable }) => unavailable == null)
  const priced = models.flatMap((model) => {
    const cost = creditCost('pro', model)
    return cost ? [{ id: model.id, cost }] : []
  })
  expect(priced.length).toBeGreaterThan(40)
  for (const { id, cost } of priced) {
    const line = pro.split('\n').find((text) => text.trim().split(/\s+/)[0] === id)
    expect(line?.trim().split(/\s+/).slice(3, 5), id).toEqual([
      (cost.chatMicroDollars / 10_000).toFixed(2),
      (cost.searchMicroDollars / 10_000).toFixed(2),
    ])
  }
})

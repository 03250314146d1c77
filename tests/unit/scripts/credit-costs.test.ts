// `npm run credit-costs` over the catalogue of the migrations.
import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { creditCost } from '../../../worker/setup/credit-cost.ts'
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
    const { chatMicroDollars, longestMicroDollars, searchMicroDollars, researchMicroDollars } = cost
    const cents = [chatMicroDollars, longestMicroDollars, searchMicroDollars, researchMicroDollars].map((microDollars) =>
      microDollars === null ? '-' : (microDollars / 10_000).toFixed(2),
    )
    expect(line?.trim().split(/\s+/).slice(3, 7), id).toEqual(cents)
  }
  const unpriced = models.filter((model) => creditCost('pro', model) === null)
  expect(unpriced.map(({ id }) => id)).toContain('openrouter-auto')
  for (const { id } of unpriced) expect(pro, id).toMatch(new RegExp(`^ +${id} +unknown`, 'm'))
})

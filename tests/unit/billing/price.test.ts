// The price of PRO, read from Stripe by its SDK and cached.
import { expect, test, vi } from 'vitest'
import { formatPrice } from '../../../web/lib/format-price.ts'
import { readProPrice } from '../../../worker/billing/billing.ts'
import { proPriceCacheMs, proPriceRetryMs } from '../../../worker/contract/limits.ts'
import { defaultProPrice, savesOver70Percent } from '../../../worker/contract/organizations/pro-price.ts'
import { createWorld } from './world.ts'

/** Each test uses another price id, because tests share the cache. */
function worldWithPrice(id: string, unitAmount: number) {
  const world = createWorld()
  world.stripe.price = { ...world.stripe.price, id, unit_amount: unitAmount }
  const calls: string[] = []
  world.onCall = (call) => void calls.push(call)
  return { world, calls, billing: { ...world.billing, priceId: id } }
}

test('the price equals the price object, read once per cache period', async () => {
  const { world, calls, billing } = worldWithPrice('price_cached', 3100)
  expect(await readProPrice(billing)).toEqual({ unitAmount: 3100, currency: 'usd' })
  world.stripe.price = { ...world.stripe.price, unit_amount: 3200 }
  world.nowMs += proPriceCacheMs - 1
  expect(await readProPrice(billing)).toMatchObject({ unitAmount: 3100 })
  world.nowMs += 1
  expect(await readProPrice(billing)).toMatchObject({ unitAmount: 3200 })
  expect(calls).toEqual(['GET /v1/prices/price_cached', 'GET /v1/prices/price_cached'])
})

test('a failure is null, is not retried at once, and is replaced by the next read', async () => {
  const failed = vi.spyOn(console, 'error').mockImplementation(() => undefined)
  const { world, calls, billing } = worldWithPrice('price_away', 2500)
  const answer = world.onCall
  world.onCall = (call) => {
    void answer(call)
    throw new TypeError('network connection lost')
  }
  expect([await readProPrice(billing), await readProPrice(billing)]).toEqual([null, null])
  expect([calls.length, failed.mock.calls.length]).toEqual([1, 1])
  failed.mockRestore()
  world.onCall = answer
  world.nowMs += proPriceRetryMs
  expect(await readProPrice(billing)).toEqual(defaultProPrice)
})

test('prices are written in their currency, and compared only where the comparison is true', () => {
  const prices = [defaultProPrice, { unitAmount: 3000, currency: 'eur' }, { unitAmount: 3500, currency: 'jpy' }]
  expect(prices.map(formatPrice)).toEqual(['$25.00', '€30.00', '¥3,500'])
  expect(prices.map(savesOver70Percent)).toEqual([true, false, false])
  expect(savesOver70Percent({ unitAmount: 3450, currency: 'usd' })).toBe(false)
})

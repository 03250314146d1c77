/** The price of PRO per month, for a user and for a seat of an organization. */
import { useEffect } from 'react'
import { defaultProPrice, type ProPrice, priceBodySchema, savesOver70Percent, separateDollars } from '../../worker/contract/pro-price.ts'
import { formatDollars, formatPrice } from './format.ts'
import { publicUrls } from './public-urls.ts'
import { createStore, useStore } from './store.ts'

const price = createStore<ProPrice>(defaultProPrice)
let isRequested = false

/** `separate` is the price to compare with; null when PRO does not save over 70% of it. */
type ShownPrice = { readonly price: string; readonly separate: string | null }

/** The price at Stripe. $25.00 until the server responds, and if Stripe does not respond. */
export function useProPrice(): ShownPrice {
  useEffect(() => void load(), [])
  const shown = useStore(price)
  return { price: formatPrice(shown), separate: savesOver70Percent(shown) ? formatDollars(separateDollars) : null }
}

/** Once per page; a failed request is repeated by the next component that shows the price. */
async function load(): Promise<void> {
  if (isRequested) return
  isRequested = true
  try {
    const response = await fetch(`${publicUrls().apiUrl}/api/price`)
    const known = priceBodySchema.parse(await response.json()).price
    if (known === null) isRequested = false
    else price.set(known)
  } catch {
    isRequested = false
  }
}

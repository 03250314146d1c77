/** The result of a checkout on the page: a welcome after a payment, otherwise a toast. Loaded when the page returns from one. */
import { type CheckoutResult, checkoutResults } from '../../../worker/contract/http.ts'
import { openOverlay } from '../../lib/overlays.ts'
import { type ToastKind, toast } from '../../ui/toaster.tsx'
import { t } from './texts/en.ts'

type Note = { readonly kind: ToastKind; readonly title: string; readonly description?: string }

/** Chosen: a lease of the payer ends earlier, and the parameter may be missing or invalid. */
const maxRetryAfterS = 60

function noteOf(result: Exclude<CheckoutResult, 'done'>, retryAfterS: number): Note | null {
  switch (result) {
    case 'pending':
      return { kind: 'info', title: t('processing'), description: t('processingDetail') }
    case 'subscribed':
      return { kind: 'info', title: t('subscribed'), description: t('subscribedDetail') }
    case 'returned':
      return null
    case 'no-customer':
      return { kind: 'info', title: t('noCustomer') }
    case 'busy':
      return { kind: 'info', title: t('checkoutBusy'), description: t('checkoutBusyDetail', { seconds: retryAfterS }) }
    case 'failed':
      return { kind: 'error', title: t('checkoutFailed'), description: t('checkoutFailedDetail') }
  }
}

/** Shows the result once: removes it from the address. */
export function showCheckoutNote(history: { readonly replace: (path: string) => void }): void {
  const url = new URL(location.href)
  const result = checkoutResults.find((known) => known === url.searchParams.get('checkout'))
  if (!result) return
  const seconds = Number(url.searchParams.get('retryAfterS'))
  for (const name of ['checkout', 'retryAfterS']) url.searchParams.delete(name)
  history.replace(url.pathname + url.search + url.hash)
  if (result === 'done') {
    openOverlay({ welcomesTo: 'pro' })
    return
  }
  const note = noteOf(result, Number.isInteger(seconds) && seconds > 0 && seconds <= maxRetryAfterS ? seconds : maxRetryAfterS)
  if (note) toast(note.kind, note.title, { id: 'checkout', ...(note.description && { description: note.description }) })
}

/** What a toast says about a checkout. Loaded when the page returns from one. */
import { type CheckoutResult, checkoutResults } from '../../../worker/contract/http.ts'
import { type ToastKind, toast } from '../../ui/toaster.tsx'
import { t } from './texts/en.ts'

type Note = { readonly kind: ToastKind; readonly title: string; readonly description?: string }

function noteOf(result: CheckoutResult): Note | null {
  switch (result) {
    case 'done':
      return { kind: 'success', title: t('hasPro'), description: t('hasProDetail') }
    case 'pending':
      return { kind: 'info', title: t('processing'), description: t('processingDetail') }
    case 'subscribed':
      return { kind: 'info', title: t('subscribed'), description: t('subscribedDetail') }
    case 'returned':
      return null
    case 'no-customer':
      return { kind: 'info', title: t('noCustomer') }
    case 'failed':
      return { kind: 'error', title: t('checkoutFailed'), description: t('checkoutFailedDetail') }
  }
}

/** Shows the result once: removes it from the address. */
export function showCheckoutNote(history: { readonly replace: (path: string) => void }): void {
  const url = new URL(location.href)
  const result = checkoutResults.find((known) => known === url.searchParams.get('checkout'))
  if (!result) return
  url.searchParams.delete('checkout')
  history.replace(url.pathname + url.search + url.hash)
  const note = noteOf(result)
  if (note) toast(note.kind, note.title, { id: 'checkout', ...(note.description && { description: note.description }) })
}

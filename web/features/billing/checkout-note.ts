/** What a toast says about a checkout. Loaded when the page returns from one. */
import type { CheckoutNews } from '../../../worker/contract/http.ts'
import { type ToastKind, toast } from '../../ui/toaster.tsx'
import { t } from './texts/t.ts'

type Note = { readonly kind: ToastKind; readonly title: string; readonly description?: string }

function noteOf(news: CheckoutNews): Note | null {
  switch (news) {
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

export function showCheckoutNote(news: CheckoutNews): void {
  const note = noteOf(news)
  if (note) toast(note.kind, note.title, { id: 'checkout', ...(note.description && { description: note.description }) })
}

/** Shows the result of a checkout once, from the page's query, and removes it from the address. */
import { useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'
import { type CheckoutNews, checkoutNews } from '../../../worker/contract/http.ts'
import { type ToastKind, toast } from '../../ui/toaster.tsx'

type Note = { readonly kind: ToastKind; readonly title: string; readonly description?: string }

const notes: { readonly [news in CheckoutNews]: Note | null } = {
  done: { kind: 'success', title: 'You have PRO now', description: 'Every model is open to you, from this moment on every device.' },
  pending: {
    kind: 'info',
    title: 'Your payment is being processed',
    description: 'PRO begins by itself as soon as the payment is confirmed.',
  },
  subscribed: { kind: 'info', title: 'There is a subscription already', description: 'Nothing was charged. You can manage it here.' },
  returned: null,
  'no-customer': { kind: 'info', title: 'There is nothing to manage yet' },
  failed: {
    kind: 'error',
    title: 'The payment page could not be opened',
    description: 'Nothing was charged. Try again in a moment.',
  },
}

export function useCheckoutNews(): void {
  const router = useRouter()
  useEffect(() => {
    const url = new URL(location.href)
    const news = checkoutNews.find((known) => known === url.searchParams.get('checkout'))
    if (!news) return
    url.searchParams.delete('checkout')
    router.history.replace(url.pathname + url.search + url.hash)
    const note = notes[news]
    if (note) toast(note.kind, note.title, { id: 'checkout', ...(note.description && { description: note.description }) })
  }, [router])
}

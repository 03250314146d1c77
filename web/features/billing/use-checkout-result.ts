/** Shows the result of a checkout once, from the page's query, and removes it from the address. */
import { useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'
import { checkoutResults } from '../../../worker/contract/http.ts'

export function useCheckoutResult(): void {
  const router = useRouter()
  useEffect(() => {
    const url = new URL(location.href)
    const result = checkoutResults.find((known) => known === url.searchParams.get('checkout'))
    if (!result) return
    url.searchParams.delete('checkout')
    router.history.replace(url.pathname + url.search + url.hash)
    void import('./checkout-note.ts').then(({ showCheckoutNote }) => showCheckoutNote(result))
  }, [router])
}

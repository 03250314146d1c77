/** Query parameters of the login page that lead back to the current page. */
import { useLocation } from '@tanstack/react-router'

export function useLoginSearch(): { readonly callbackUrl?: string } {
  const path = useLocation({ select: ({ pathname }) => pathname })
  return path === '/' ? {} : { callbackUrl: path }
}

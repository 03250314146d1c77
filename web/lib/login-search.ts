/** What the login page is asked for: to lead back to where somebody was. */
import { useLocation } from '@tanstack/react-router'

export function useLoginSearch(): { readonly callbackUrl?: string } {
  const path = useLocation({ select: ({ pathname }) => pathname })
  return path === '/' ? {} : { callbackUrl: path }
}

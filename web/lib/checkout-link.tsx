import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'

type CheckoutLinkProps = { readonly isGuest: boolean; readonly className: string; readonly children: ReactNode }

/** A link to the payment page. Payment requires an account: a guest logs in first and then continues to the payment page. */
export function CheckoutLink({ isGuest, className, children }: CheckoutLinkProps) {
  if (isGuest) {
    return (
      <Link to="/login" search={{ callbackUrl: '/api/checkout' }} className={className}>
        {children}
      </Link>
    )
  }
  return (
    <a href={checkoutHref} className={className}>
      {children}
    </a>
  )
}

const checkoutHref = `/api/checkout?${new URLSearchParams({ redirectUrl: '/account/subscription' })}`

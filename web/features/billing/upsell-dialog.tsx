/** The features and the price of PRO, with a link to the checkout. */
import { Link } from '@tanstack/react-router'
import { Check } from 'lucide-react'
import { creditsPerDay } from '../../../worker/contract/limits.ts'
import { closeUpsell } from '../../lib/overlays.ts'
import { useProPrice } from '../../lib/pro-price.ts'
import { useMe } from '../../sync/hooks.ts'
import { buttonClass } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'

const benefits = ['Access to PRO models', 'Access to the research tool', 'Higher limits for search', `${creditsPerDay.pro} Credits daily`]

export function UpsellDialog() {
  const isGuest = useMe()?.plan === 'guest'
  const { price, separate } = useProPrice()
  return (
    <Dialog open onClose={closeUpsell} title="Upgrade to PRO" footer={<GetStarted isGuest={isGuest} />}>
      <p className="mt-3 flex flex-wrap items-baseline gap-x-2">
        {separate && (
          <s className="text-lg text-muted-foreground">
            <span className="sr-only">Instead of </span>
            {separate}
          </s>
        )}
        <span className="text-3xl font-semibold tracking-tight">{price}</span>
        <span className="text-muted-foreground">a month</span>
      </p>
      {separate && <p className="mt-1 text-muted-foreground text-pretty">Save over 70% against separate chat subscriptions.</p>}
      <ul className="mt-5 flex flex-col gap-2.5">
        {benefits.map((benefit) => (
          <li key={benefit} className="flex gap-2.5">
            <Check aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-accent" />
            {benefit}
          </li>
        ))}
      </ul>
      {isGuest && (
        <div className="mt-5 border-t pt-4 text-muted-foreground text-pretty">
          <p>Create account to get {creditsPerDay.free} credits daily and access to more models</p>
          <p className="mt-2">Log in to keep your threads and use more models.</p>
        </div>
      )}
    </Dialog>
  )
}

/** Payment requires an account: a guest signs in first and then continues to the checkout. */
function GetStarted({ isGuest }: { readonly isGuest: boolean }) {
  const look = buttonClass({ variant: 'primary', size: 'lg', className: 'w-full' })
  if (isGuest) {
    return (
      <Link to="/login" search={{ callbackUrl: '/api/checkout' }} className={look}>
        Get Started
      </Link>
    )
  }
  return (
    <a href={checkoutHref} className={look}>
      Get Started
    </a>
  )
}

const checkoutHref = `/api/checkout?${new URLSearchParams({ redirectUrl: '/account/subscription' })}`

/** PRO for the whole organization: current payment, seats, and buttons to pay and to change it. */
import { Link } from '@tanstack/react-router'
import { creditsPerDay } from '../../../worker/contract/limits.ts'
import { mayDo } from '../../../worker/contract/organization.ts'
import { givesPro, isLive, proUntilMs, subscriptionState, willBeCharged } from '../../../worker/contract/subscription.ts'
import { pageSettings } from '../../lib/page-settings.ts'
import { useProPrice } from '../../lib/pro-price.ts'
import { serverNowMs } from '../../lib/server-clock.ts'
import { subscriptionWords } from '../../lib/subscription-words.ts'
import { useMomentsPassed } from '../../lib/use-moments-passed.ts'
import { useMe } from '../../sync/hooks.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { PlanCard, PlanNote } from '../../ui/plan-card.tsx'
import { Section } from '../../ui/section.tsx'
import { useOrganizationView } from './organization-frame.tsx'
import { onlyAdmins } from './role-select.tsx'

export function OrganizationBillingPage() {
  const { organization, subscription, members, role } = useOrganizationView()
  const own = useMe()?.customer?.subscription
  const { price } = useProPrice()
  useMomentsPassed(subscription ? [proUntilMs(subscription)] : [])
  const nowMs = serverNowMs()
  const words = subscription && subscriptionWords(subscription, nowMs)
  const isPro = subscription !== null && givesPro(subscription, nowMs)
  const seats = subscription && isLive(subscription) ? (subscription.seats ?? members.length) : members.length
  const isLasting = isPro && subscriptionState(subscription, nowMs).kind === 'renews'
  const isPaidTwice = own != null && willBeCharged(own, nowMs) && (isPro || mayDo(role, 'organization', 'update'))
  if (!pageSettings.billing) return <p className="text-muted-foreground">Payments are not set up here.</p>
  return (
    <Section
      title="Plan"
      description={`PRO for every member: every model, the research tool and ${creditsPerDay.pro} credits a day each. A seat costs ${price} a month; seats follow the members by themselves.`}
    >
      <PlanCard name={isPro ? 'PRO' : 'No subscription'} badge={words?.badge} detail={countOf(seats)}>
        {words && (
          <PlanNote action={<Way to="customer-portal" label={words.manage.label} isPrimary={words.manage.isUrgent} />}>
            {words.sentence}
          </PlanNote>
        )}
        {!(subscription && isLive(subscription)) && (
          <PlanNote action={<Way to="checkout" label="Upgrade to PRO" isPrimary />}>
            {members.length === 1
              ? 'You are the only member so far.'
              : `All ${members.length} members have PRO from the moment it is paid.`}
            {!mayDo(role, 'organization', 'update') && ' An owner or admin can upgrade.'}
          </PlanNote>
        )}
        {isPaidTwice && (
          <PlanNote
            action={
              <Link to="/account/subscription" className={buttonClass({})}>
                Your subscription
              </Link>
            }
          >
            {isPro ? 'You also pay for PRO yourself.' : 'You already pay for PRO yourself, and a seat here would pay for it again.'}
            {isLasting && ` ${organization.name} pays for you, and goes on doing so.`} You can cancel your own subscription in Settings.
          </PlanNote>
        )}
      </PlanCard>
    </Section>
  )
}

const countOf = (seats: number): string => (seats === 1 ? '1 seat' : `${seats} seats`)

type WayProps = { readonly to: 'checkout' | 'customer-portal'; readonly label: string; readonly isPrimary: boolean }

/** Redirects to a page of the payment provider, which redirects back. */
function Way({ to, label, isPrimary }: WayProps) {
  const { organization, role } = useOrganizationView()
  const variant = isPrimary ? 'primary' : 'secondary'
  if (!mayDo(role, 'organization', 'update')) {
    return (
      <Button variant={variant} disabledReason={onlyAdmins}>
        {label}
      </Button>
    )
  }
  const query = new URLSearchParams({ organizationId: organization.id, redirectUrl: `/team/${organization.id}/billing` })
  return (
    <a href={`/api/${to}?${query}`} className={buttonClass({ variant })}>
      {label}
    </a>
  )
}

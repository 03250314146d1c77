/** PRO for the whole organization: current payment, seats, and buttons to pay and to change it. */
import { Link } from '@tanstack/react-router'
import { creditsPerDay } from '../../../worker/contract/limits.ts'
import { mayDo } from '../../../worker/contract/organizations/organization.ts'
import { givesPro, isLive, proUntilMs } from '../../../worker/contract/organizations/subscription.ts'
import { subscriptionState, willBeCharged } from '../../../worker/contract/organizations/subscription-state.ts'
import { firstPaintText } from '../../lib/i18n/first-paint-text.ts'
import { useMomentsPassed } from '../../lib/moments.ts'
import { pageSettings } from '../../lib/page-settings.ts'
import { useServerNow } from '../../lib/server-clock.ts'
import { subscriptionWords, useProPrice } from '../../lib/subscription.tsx'
import { useMe } from '../../sync/hooks.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { PlanCard, PlanNote } from '../../ui/plan-card.tsx'
import { Section } from '../../ui/section.tsx'
import { useOrganizationView } from './organization-frame.tsx'
import { t } from './texts/en.ts'

export function OrganizationBillingPage() {
  const { organization, subscription, members, role } = useOrganizationView()
  const own = useMe()?.customer?.subscription
  const { price } = useProPrice()
  useMomentsPassed(subscription ? [proUntilMs(subscription)] : [])
  const nowMs = useServerNow()
  const words = subscription && subscriptionWords(subscription, nowMs)
  const isPro = subscription !== null && givesPro(subscription, nowMs)
  const seats = subscription && isLive(subscription) ? (subscription.seats ?? members.length) : members.length
  const isLasting = isPro && subscriptionState(subscription, nowMs).kind === 'renews'
  const isPaidTwice = own != null && willBeCharged(own, nowMs) && (isPro || mayDo(role, 'organization', 'update'))
  if (!pageSettings.billing) return <p className="text-muted-foreground">{t('notConfigured')}</p>
  return (
    <Section title={t('plan')} description={t('planDescription', { credits: creditsPerDay.pro, price })}>
      <PlanCard name={isPro ? firstPaintText('pro') : t('noSubscription')} badge={words?.badge} detail={t('seats', { seats })}>
        {words && (
          <PlanNote action={<PaymentLink to="customer-portal" label={words.manage.label} isPrimary={words.manage.isUrgent} />}>
            {words.sentence}
          </PlanNote>
        )}
        {!(subscription && isLive(subscription)) && (
          <PlanNote action={<PaymentLink to="checkout" label={t('upgradeToPro')} isPrimary />}>
            {members.length === 1 ? t('onlyMember') : t('allGetPro', { members: members.length })}
            {!mayDo(role, 'organization', 'update') && ` ${t('adminCanUpgrade')}`}
          </PlanNote>
        )}
        {isPaidTwice && (
          <PlanNote
            action={
              <Link to="/account/subscription" className={buttonClass({})}>
                {t('yourSubscription')}
              </Link>
            }
          >
            {t(isPro ? 'paidTwice' : 'wouldPayTwice')}
            {isLasting && ` ${t('keepsPaying', { organization: organization.name })}`} {t('cancelOwn')}
          </PlanNote>
        )}
      </PlanCard>
    </Section>
  )
}

type PaymentLinkProps = { readonly to: 'checkout' | 'customer-portal'; readonly label: string; readonly isPrimary: boolean }

/** Redirects to a page of the payment provider, which redirects back. */
function PaymentLink({ to, label, isPrimary }: PaymentLinkProps) {
  const { organization, role } = useOrganizationView()
  const variant = isPrimary ? 'primary' : 'secondary'
  if (!mayDo(role, 'organization', 'update')) {
    return (
      <Button variant={variant} disabledReason={t('onlyAdmins')}>
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

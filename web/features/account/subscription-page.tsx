/** The plan and the remaining daily credits. */
import { Check } from 'lucide-react'
import { planOf } from '../../../worker/contract/access.ts'
import { creditsPerDay, researchesPerDay, searchesPerDay } from '../../../worker/contract/limits.ts'
import { willBeCharged } from '../../../worker/contract/organizations/subscription-state.ts'
import { firstPaintText } from '../../lib/i18n/first-paint-text.ts'
import { formatList } from '../../lib/i18n/intl-format.ts'
import { pageSettings } from '../../lib/page-settings.ts'
import { useServerNow } from '../../lib/server-clock.ts'
import { CheckoutLink, subscriptionWords, useProPrice } from '../../lib/subscription.tsx'
import { useMe } from '../../sync/hooks.ts'
import { type Payer, usePayers } from '../../sync/organizations.ts'
import type { Me } from '../../sync/rows.ts'
import { buttonClass } from '../../ui/button.tsx'
import { Meter } from '../../ui/meter.tsx'
import { PlanCard, PlanNote } from '../../ui/plan-card.tsx'
import { Section } from '../../ui/section.tsx'
import { LoadingBlock } from '../../ui/skeleton.tsx'
import { t } from './texts/en.ts'

export function SubscriptionPage() {
  const me = useMe()
  if (!me) return <LoadingBlock className="h-48" />
  const { plan, credits } = me
  return (
    <>
      <Section title={t('plan')}>
        <CurrentPlan me={me} />
      </Section>
      {plan !== 'pro' && pageSettings.billing && <ProOffer isGuest={plan === 'guest'} />}
      <Section title={t('today')} description={t('creditsReset')}>
        <div className="flex justify-between text-muted-foreground">
          <span>{t('creditsOf', { left: credits.left, limit: credits.limit })}</span>
          <span>{t('creditsUsed', { used: credits.used })}</span>
        </div>
        <Meter
          label={t('creditsLeftToday')}
          value={credits.left}
          max={credits.limit}
          tone={credits.warn ? 'warning' : 'accent'}
          className="mt-2.5 h-1.5"
        />
      </Section>
    </>
  )
}

const proBenefits = () => [
  t('benefitModels'),
  t('benefitCredits', creditsPerDay),
  t('benefitSearches', searchesPerDay),
  t('benefitResearch', { count: researchesPerDay.pro }),
]

function ProOffer({ isGuest }: { readonly isGuest: boolean }) {
  const { price, separate } = useProPrice()
  return (
    <Section title={firstPaintText('pro')}>
      <div className="rounded-lg border p-5">
        <p className="flex items-baseline gap-2">
          <span className="text-2xl font-semibold tracking-tight">{price}</span>
          <span className="text-muted-foreground">{t('aMonth')}</span>
        </p>
        {separate && <p className="mt-1 text-muted-foreground text-pretty">{t('savesOver70')}</p>}
        <ul className="mt-4 flex flex-col gap-2">
          {proBenefits().map((benefit) => (
            <li key={benefit} className="flex gap-2.5">
              <Check aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-accent" />
              {benefit}
            </li>
          ))}
        </ul>
        <CheckoutLink isGuest={isGuest} className={buttonClass({ variant: 'primary', className: 'mt-5' })}>
          {t('upgradeToPro')}
        </CheckoutLink>
      </div>
    </Section>
  )
}

/** The current plan: its end, its payer and the available actions. */
function CurrentPlan({ me: { plan, user, customer } }: { readonly me: Me }) {
  const subscription = customer?.subscription
  const nowMs = useServerNow()
  const payers = usePayers()
  // The plan loads before the names of the payers.
  const isShared = payers.length > 0 || (plan === 'pro' && planOf({ isAnonymous: user.isAnonymous, subscription }, nowMs) !== 'pro')
  const words = subscription && subscriptionWords(subscription, nowMs, isShared)
  const isPaidTwice = subscription != null && payers.length > 0 && willBeCharged(subscription, nowMs)
  return (
    <PlanCard name={firstPaintText(plan)} badge={words?.badge} detail={t('creditsADay', { credits: creditsPerDay[plan] })}>
      {isShared && (
        <PlanNote>
          {payersText(payers)}
          {isPaidTwice && ` ${t('alsoPays')}`}
          {isPaidTwice && payers.some(({ isLasting }) => isLasting) && ` ${t('canCancelOwn')}`}
        </PlanNote>
      )}
      {words && (
        <PlanNote
          action={
            pageSettings.billing && (
              <a href={portalHref} className={buttonClass({ variant: words.manage.isUrgent ? 'primary' : 'secondary' })}>
                {words.manage.label}
              </a>
            )
          }
        >
          {words.sentence}
        </PlanNote>
      )}
    </PlanCard>
  )
}

function payersText(payers: readonly Payer[]): string {
  if (payers.length === 0) return t('organizationPays')
  return t('payersPay', { count: payers.length, names: formatList(payers.map(({ name }) => name)) })
}

const portalHref = `/api/customer-portal?${new URLSearchParams({ redirectUrl: '/account/subscription' })}`

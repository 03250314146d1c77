/** Plan and usage: the current plan, the offer of PRO, and what is left today. */
import { countToday, nextDayStartMs, planOf } from '../../../worker/contract/access.ts'
import { creditsPerDay, researchesPerDay, searchesPerDay, usageWarningRatio } from '../../../worker/contract/limits.ts'
import { willBeCharged } from '../../../worker/contract/organizations/subscription-state.ts'
import { firstPaintText } from '../../lib/i18n/first-paint-text.ts'
import { formatWait } from '../../lib/i18n/format-age.ts'
import { formatList, formatTime } from '../../lib/i18n/format-dates.ts'
import { useMomentsPassed } from '../../lib/moments.ts'
import { pageSettings } from '../../lib/page-settings.ts'
import { useServerNow } from '../../lib/server-clock.ts'
import { CheckoutLink, subscriptionWords } from '../../lib/subscription.tsx'
import { useMe } from '../../sync/hooks.ts'
import { type Payer, usePayers } from '../../sync/organizations.ts'
import type { Me } from '../../sync/rows.ts'
import { buttonClass } from '../../ui/button.tsx'
import { Meter } from '../../ui/meter.tsx'
import { PlanCard, PlanNote } from '../../ui/plan-card.tsx'
import { Section } from '../../ui/section.tsx'
import { LoadingBlock } from '../../ui/skeleton.tsx'
import { PlanComparison } from './plan-comparison.tsx'
import { t } from './texts/en.ts'

export function SubscriptionPage() {
  const me = useMe()
  if (!me) return <LoadingBlock className="h-48" />
  const { plan } = me
  return (
    <>
      <Section title={t('plan')}>
        <CurrentPlan me={me} />
      </Section>
      {plan !== 'pro' && pageSettings.billing && (
        <Section title={firstPaintText('pro')}>
          <div className="rounded-lg border p-5">
            <PlanComparison />
            <CheckoutLink isGuest={plan === 'guest'} className={buttonClass({ variant: 'primary', className: 'mt-5' })}>
              {t('upgradeToPro')}
            </CheckoutLink>
          </div>
        </Section>
      )}
      <DailyUse me={me} />
    </>
  )
}

type DailyUseProps = { readonly me: Me }

/** Today's use of credits, searches and researches, and the time at which it starts again. */
function DailyUse({ me: { plan, credits, usage } }: DailyUseProps) {
  const nowMs = useServerNow()
  const resetAtMs = nextDayStartMs(nowMs)
  useMomentsPassed([resetAtMs])
  const used = (count: number | null | undefined) => countToday(usage?.day, count, nowMs)
  return (
    <Section title={t('today')} description={t('resetsAt', { time: formatTime(resetAtMs), wait: formatWait(resetAtMs - nowMs) })}>
      <div className="flex flex-col gap-4">
        <Use name={t('credits')} used={credits.used} limit={credits.limit} />
        {pageSettings.search && <Use name={t('searches')} used={used(usage?.search)} limit={searchesPerDay[plan]} />}
        {pageSettings.search && researchesPerDay[plan] > 0 && (
          <Use name={t('researches')} used={used(usage?.research)} limit={researchesPerDay[plan]} />
        )}
      </div>
    </Section>
  )
}

type UseProps = { readonly name: string; readonly used: number; readonly limit: number }

function Use({ name, used, limit }: UseProps) {
  const left = Math.max(0, limit - used)
  return (
    <div>
      <div className="flex justify-between gap-4">
        <span>{name}</span>
        <span className="text-muted-foreground">{t('leftOf', { left, limit })}</span>
      </div>
      <Meter
        label={t('leftToday', { name })}
        value={left}
        max={limit}
        tone={used >= limit * usageWarningRatio ? 'warning' : 'accent'}
        className="mt-2 h-1.5"
      />
    </div>
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

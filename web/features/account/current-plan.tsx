/** The current plan: its end, its payer and the available actions. */
import { planOf } from '../../../worker/contract/access.ts'
import { creditsPerDay } from '../../../worker/contract/limits.ts'
import { willBeCharged } from '../../../worker/contract/subscription-state.ts'
import { firstPaintText } from '../../lib/i18n/first-paint-text.ts'
import { formatList } from '../../lib/i18n/intl-format.ts'
import { pageSettings } from '../../lib/page-settings.ts'
import { useServerNow } from '../../lib/server-clock.ts'
import { subscriptionWords } from '../../lib/subscription-texts.ts'
import { type Payer, usePayers } from '../../sync/organizations.ts'
import type { Me } from '../../sync/rows.ts'
import { buttonClass } from '../../ui/button.tsx'
import { PlanCard, PlanNote } from '../../ui/plan-card.tsx'
import { t } from './texts/en.ts'

export function CurrentPlan({ me: { plan, user, customer } }: { readonly me: Me }) {
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

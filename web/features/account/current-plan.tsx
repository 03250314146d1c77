/** The current plan: its end, its payer and the available actions. */
import { planOf } from '../../../worker/contract/access.ts'
import { planName } from '../../../worker/contract/display-names.ts'
import { creditsPerDay } from '../../../worker/contract/limits.ts'
import { willBeCharged } from '../../../worker/contract/subscription.ts'
import { pageSettings } from '../../lib/page-settings.ts'
import { serverNowMs } from '../../lib/server-clock.ts'
import { subscriptionWords } from '../../lib/subscription-words.ts'
import { type Payer, usePayers } from '../../sync/organizations.ts'
import type { Me } from '../../sync/rows.ts'
import { buttonClass } from '../../ui/button.tsx'
import { PlanCard, PlanNote } from '../../ui/plan-card.tsx'

export function CurrentPlan({ me: { plan, user, customer } }: { readonly me: Me }) {
  const subscription = customer?.subscription
  const nowMs = serverNowMs()
  const payers = usePayers()
  // The plan loads before the names of the payers.
  const isShared = payers.length > 0 || (plan === 'pro' && planOf({ isAnonymous: user.isAnonymous, subscription }, nowMs) !== 'pro')
  const words = subscription && subscriptionWords(subscription, nowMs, isShared)
  const isPaidTwice = subscription != null && payers.length > 0 && willBeCharged(subscription, nowMs)
  return (
    <PlanCard name={planName(plan)} badge={words?.badge} detail={`${creditsPerDay[plan]} credits a day`}>
      {isShared && (
        <PlanNote>
          {payersText(payers)}
          {isPaidTwice && ' You also pay for it yourself.'}
          {isPaidTwice && payers.some(({ isLasting }) => isLasting) && ' You can cancel your own subscription and keep PRO.'}
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

const names = new Intl.ListFormat('en')

function payersText(payers: readonly Payer[]): string {
  if (payers.length === 0) return 'An organization that you are a member of pays for your PRO.'
  return `${names.format(payers.map(({ name }) => name))} ${payers.length === 1 ? 'pays' : 'pay'} for your PRO.`
}

const portalHref = `/api/customer-portal?${new URLSearchParams({ redirectUrl: '/account/subscription' })}`

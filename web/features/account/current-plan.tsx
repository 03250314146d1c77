/** The plan a person has, until when, by whose payment, and what there is to do about it. */
import { planOf } from '../../../worker/contract/access.ts'
import { creditsPerDay } from '../../../worker/contract/limits.ts'
import { pageHint } from '../../lib/page-hint.ts'
import { subscriptionWords } from '../../lib/subscription-words.ts'
import type { Me } from '../../sync/rows.ts'
import { buttonClass } from '../../ui/button.tsx'
import { PlanCard, PlanNote } from '../../ui/plan-card.tsx'
import { planName } from './person.ts'

export function CurrentPlan({ me: { plan, user, customer } }: { readonly me: Me }) {
  const subscription = customer?.subscription
  const nowMs = Date.now()
  const words = subscription && subscriptionWords(subscription, nowMs)
  const isShared = plan === 'pro' && planOf({ isAnonymous: user.isAnonymous, subscription }, nowMs) !== 'pro'
  return (
    <PlanCard name={planName(plan)} badge={words?.badge} detail={`${creditsPerDay[plan]} credits a day`}>
      {isShared && <PlanNote>An organization that you are a member of pays for your PRO.</PlanNote>}
      {words && (
        <PlanNote
          action={
            pageHint.billing && (
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

const portalHref = `/api/customer-portal?${new URLSearchParams({ redirectUrl: '/account/subscription' })}`

/** The plan and the remaining daily credits. */
import { Check } from 'lucide-react'
import { creditsPerDay, researchesPerDay, searchesPerDay } from '../../../worker/contract/limits.ts'
import { openUpsell } from '../../lib/overlays.ts'
import { pageSettings } from '../../lib/page-settings.ts'
import { useProPrice } from '../../lib/pro-price.ts'
import { useMe } from '../../sync/hooks.ts'
import { Button } from '../../ui/button.tsx'
import { Meter } from '../../ui/meter.tsx'
import { Section } from '../../ui/section.tsx'
import { Delayed, Skeleton } from '../../ui/skeleton.tsx'
import { CurrentPlan } from './current-plan.tsx'

export function SubscriptionPage() {
  const me = useMe()
  if (!me) {
    return (
      <Delayed>
        <Skeleton className="h-48" />
      </Delayed>
    )
  }
  const { plan, credits } = me
  return (
    <>
      <Section title="Plan">
        <CurrentPlan me={me} />
      </Section>
      {plan !== 'pro' && pageSettings.billing && <ProOffer />}
      <Section title="Today" description="Credits come back every day at midnight UTC.">
        <div className="flex justify-between text-muted-foreground">
          <span>
            {credits.left} of {credits.limit} credits left
          </span>
          <span>{credits.used} used</span>
        </div>
        <Meter
          label="Credits left today"
          value={credits.left}
          max={credits.limit}
          tone={credits.warn ? 'warning' : 'accent'}
          className="mt-2.5 h-1.5"
        />
      </Section>
    </>
  )
}

const proBenefits = [
  'Every model, also those marked PRO',
  `${creditsPerDay.pro} credits a day instead of ${creditsPerDay.free}`,
  `${searchesPerDay.pro} web searches a day instead of ${searchesPerDay.free}`,
  `The research tool, ${researchesPerDay.pro} times a day`,
]

function ProOffer() {
  const { price, separate } = useProPrice()
  return (
    <Section title="PRO">
      <div className="rounded-lg border p-5">
        <p className="flex items-baseline gap-2">
          <span className="text-2xl font-semibold tracking-tight">{price}</span>
          <span className="text-muted-foreground">a month</span>
        </p>
        {separate && <p className="mt-1 text-muted-foreground text-pretty">Over 70% less than separate subscriptions.</p>}
        <ul className="mt-4 flex flex-col gap-2">
          {proBenefits.map((benefit) => (
            <li key={benefit} className="flex gap-2.5">
              <Check aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-accent" />
              {benefit}
            </li>
          ))}
        </ul>
        <Button variant="primary" className="mt-5" onClick={openUpsell}>
          Upgrade to PRO
        </Button>
      </div>
    </Section>
  )
}

/** Below the list: why the chosen model refuses the next message, and the action that unlocks it. */
import { Link } from '@tanstack/react-router'
import type { Plan } from '../../../../worker/contract/access.ts'
import type { Refusal } from '../../../../worker/contract/errors.ts'
import { useLoginSearch } from '../../../lib/navigation.ts'
import { openUpsell } from '../../../lib/overlays.ts'
import { canLogIn, pageSettings } from '../../../lib/page-settings.ts'
import { refusalSentence } from '../../../lib/refusals/sentence.ts'
import { libText } from '../../../lib/texts/en.ts'
import { linkClass } from '../../../ui/button.tsx'
import { t } from './texts/en.ts'

export type RefusedChoice = { readonly refusal: Refusal; readonly modelName: string }

type PickerFooterProps = { readonly refused: RefusedChoice; readonly plan: Plan | undefined }

export function PickerFooter({ refused: { refusal, modelName }, plan }: PickerFooterProps) {
  return (
    // The reason must be visible wherever the list is scrolled.
    <div className="flex min-h-12 shrink-0 flex-wrap content-center items-center gap-x-3 gap-y-1 border-t px-3.5 py-2 low:sticky low:bottom-0 low:bg-raised">
      <p role="alert" className="min-w-36 flex-1 text-pretty">
        <span className="block font-medium">{modelName}</span>
        <span className="text-warning">{refusalSentence(refusal)}</span>
      </p>
      <PlanAction refusal={refusal} plan={plan} />
    </div>
  )
}

function PlanAction({ refusal, plan }: { readonly refusal: Refusal; readonly plan: Plan | undefined }) {
  const loginSearch = useLoginSearch()
  if (refusal.code === 'account_required')
    return (
      canLogIn && (
        <Link to="/login" search={loginSearch} className={linkClass}>
          {libText('logIn')}
        </Link>
      )
    )
  // The user cannot lift the other refusals.
  if (!['credits_exhausted', 'credits_short', 'credits_above_day'].includes(refusal.code)) return null
  if (plan === 'pro') return <span className="shrink-0 text-muted-foreground">{t('resetsDaily')}</span>
  if (!pageSettings.billing) return null
  return (
    <button type="button" className={linkClass} onClick={() => openUpsell('credits')}>
      {libText('upgradeToPro')}
    </button>
  )
}

/**
 * Below the list: a description of the active model, or why the selected one is unavailable, and the action that unlocks models.
 */
import { Link } from '@tanstack/react-router'
import type { Plan } from '../../../../worker/contract/access.ts'
import type { Refusal } from '../../../../worker/contract/errors.ts'
import { cx } from '../../../lib/cx.ts'
import { creditsPerMessage, modelDescription } from '../../../lib/models.ts'
import { useLoginSearch } from '../../../lib/navigation.ts'
import { openUpsell } from '../../../lib/overlays.ts'
import { pageSettings } from '../../../lib/page-settings.ts'
import { refusalSentence } from '../../../lib/refusals/sentence.ts'
import { libText } from '../../../lib/texts/en.ts'
import { hasKeyboard } from '../../../lib/viewport.ts'
import type { ModelRow } from '../../../sync/rows.ts'
import { linkClass } from '../../../ui/button.tsx'
import { capabilityNames } from '../../../ui/capability-badges.tsx'
import { t } from './texts/en.ts'

export type RefusedChoice = { readonly refusal: Refusal; readonly modelName: string }

type PickerFooterProps = {
  readonly active: ModelRow
  readonly problem: Refusal | null
  readonly note: string | undefined
  /** The chosen model refuses the next message. */
  readonly refused: RefusedChoice | null
  /** Why a model of the list is locked. */
  readonly lock: Refusal | null
  readonly plan: Plan | undefined
}

export function PickerFooter({ active, problem, note, refused, lock, plan }: PickerFooterProps) {
  const hasHover = hasKeyboard()
  const sentence = problem ? refusalSentence(problem) : (note ?? modelDescription(active))
  return (
    <div
      className={cx(
        'flex min-h-12 shrink-0 flex-wrap content-center items-center gap-x-3 gap-y-1 border-t px-3.5 py-2 sm:h-21 low:h-auto',
        // The reason must be visible wherever the list is scrolled.
        refused && 'low:sticky low:bottom-0 low:bg-raised',
      )}
    >
      {refused ? (
        <p role="alert" className="min-w-36 flex-1 text-pretty">
          <span className="block font-medium">{refused.modelName}</span>
          <span className="text-warning">{refusalSentence(refused.refusal)}</span>
        </p>
      ) : (
        // Screen readers get it as the description of the option.
        <p
          aria-hidden="true"
          className={cx('line-clamp-2 min-w-36 flex-1 text-xs text-pretty low:hidden', !hasHover && 'text-muted-foreground')}
        >
          {hasHover ? sentence : t('priceUnits')}
        </p>
      )}
      <PlanAction refusal={refused?.refusal ?? lock} plan={plan} />
      {!refused && hasHover && (
        <p aria-hidden="true" className="basis-full text-xs text-muted-foreground *:block">
          <span>{creditsPerMessage(active)}</span>
          <span>{capabilityNames(active.capabilities ?? []).join(' · ')}</span>
        </p>
      )}
    </div>
  )
}

function PlanAction({ refusal, plan }: { readonly refusal: Refusal | null; readonly plan: Plan | undefined }) {
  const loginSearch = useLoginSearch()
  if (refusal?.code === 'account_required')
    return (
      <Link to="/login" search={loginSearch} className={linkClass}>
        {libText('logIn')}
      </Link>
    )
  // The user cannot lift the other refusals.
  if (!refusal || !['premium_required', 'credits_exhausted', 'credits_short'].includes(refusal.code)) return null
  if (plan === 'pro') return <span className="shrink-0 text-muted-foreground">{t('resetsDaily')}</span>
  if (!pageSettings.billing) return null
  return (
    <button type="button" className={linkClass} onClick={openUpsell}>
      {libText('upgradeToPro')}
    </button>
  )
}

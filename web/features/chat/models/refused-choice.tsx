/** Why the selected model is unavailable, with a link to the page that can change it. */
import { Link } from '@tanstack/react-router'
import type { Plan } from '../../../../worker/contract/access.ts'
import type { Refusal } from '../../../../worker/contract/errors.ts'
import { useLoginSearch } from '../../../lib/navigation.ts'
import { openUpsell } from '../../../lib/overlays.ts'
import { pageSettings } from '../../../lib/page-settings.ts'
import { refusalSentence } from '../../../lib/refusals/sentence.ts'
import { libText } from '../../../lib/texts/t.ts'
import { linkClass } from '../../../ui/button.tsx'
import { t } from './texts/t.ts'

type RefusedChoiceProps = { readonly refusal: Refusal; readonly modelName: string; readonly plan: Plan | undefined }

export function RefusedChoice({ refusal, modelName, plan }: RefusedChoiceProps) {
  const loginSearch = useLoginSearch()
  return (
    <div role="alert" className="flex flex-wrap items-center gap-x-3 gap-y-1 border-t px-3.5 py-2.5">
      <p className="min-w-40 flex-1 text-pretty">
        <span className="block font-medium">{modelName}</span>
        <span className="text-warning">{refusalSentence(refusal)}</span>
      </p>
      {refusal.code === 'account_required' ? (
        <Link to="/login" search={loginSearch} className={linkClass}>
          {libText('logIn')}
        </Link>
      ) : !isAboutPlan(refusal.code) ? null : plan === 'pro' ? (
        <span className="shrink-0 text-muted-foreground">{t('resetsDaily')}</span>
      ) : (
        pageSettings.billing && (
          <button type="button" className={linkClass} onClick={openUpsell}>
            {libText('upgradeToPro')}
          </button>
        )
      )}
    </div>
  )
}

/** Everything else is for the operator. */
const isAboutPlan = (code: string): boolean => code === 'premium_required' || code === 'credits_exhausted' || code === 'credits_short'

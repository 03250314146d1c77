/** In the upgrade dialog: what the user wanted, and what it needs. */
import { Link } from '@tanstack/react-router'
import { modelDescription } from '../../lib/models.ts'
import { useLoginSearch } from '../../lib/navigation.ts'
import type { UpsellReason } from '../../lib/overlays.ts'
import { libText } from '../../lib/texts/en.ts'
import { linkClass } from '../../ui/button.tsx'
import { t } from './texts/en.ts'

export function UpsellReasonNote({ reason, isGuest }: { readonly reason: UpsellReason; readonly isGuest: boolean }) {
  const loginSearch = useLoginSearch()
  const isResearch = reason === 'research'
  return (
    <div className="mt-3 rounded-lg bg-foreground/5 px-3.5 py-3 text-pretty">
      <p className="font-medium">{isResearch ? t('researchNeedsPro') : t(needs[reason.needs], { model: reason.model.name })}</p>
      <p className="mt-0.5 text-muted-foreground">{isResearch ? t('researchDetail') : modelDescription(reason.model)}</p>
      {isGuest && !isResearch && reason.needs === 'account' && (
        <Link to="/login" search={loginSearch} className={`${linkClass} mt-1.5`}>
          {libText('logIn')}
        </Link>
      )}
    </div>
  )
}

const needs = { account: 'modelNeedsAccount', pro: 'modelNeedsPro' } as const

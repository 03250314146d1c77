/** In the upgrade dialog: what the user wanted, and what it needs. */
import { Link } from '@tanstack/react-router'
import { modelDescription } from '../../lib/model-description.ts'
import { useLoginSearch } from '../../lib/navigation.ts'
import type { UpsellReason } from '../../lib/overlays.ts'
import { resetTime } from '../../lib/reset-time.ts'
import { useServerNow } from '../../lib/server-clock.ts'
import { libText } from '../../lib/texts/en.ts'
import { linkClass } from '../../ui/button.tsx'
import { t } from './texts/en.ts'

export function UpsellReasonNote({ reason, isGuest }: { readonly reason: UpsellReason; readonly isGuest: boolean }) {
  const loginSearch = useLoginSearch()
  const { headline, detail } = wordsOf(reason, useServerNow())
  return (
    <div className="mt-3 rounded-lg bg-foreground/5 px-3.5 py-3 text-pretty">
      <p className="font-medium">{headline}</p>
      <p className="mt-0.5 text-muted-foreground">{detail}</p>
      {isGuest && typeof reason === 'object' && reason.needs === 'account' && (
        <Link to="/login" search={loginSearch} className={`${linkClass} mt-1.5`}>
          {libText('logIn')}
        </Link>
      )}
    </div>
  )
}

function wordsOf(reason: UpsellReason, nowMs: number): { readonly headline: string; readonly detail: string } {
  if (reason === 'research') return { headline: t('researchNeedsPro'), detail: t('researchDetail') }
  if (reason === 'credits') return { headline: t('creditsUsedUp'), detail: t('creditsStartAgain', { time: resetTime(nowMs) }) }
  return { headline: t(needs[reason.needs], { model: reason.model.name }), detail: modelDescription(reason.model) }
}

const needs = { account: 'modelNeedsAccount', pro: 'modelNeedsPro' } as const

/** The action that resolves a refusal. */
import { Link } from '@tanstack/react-router'
import type { Plan } from '../../../../worker/contract/access.ts'
import { useLoginSearch } from '../../../lib/navigation.ts'
import { openUpsell } from '../../../lib/overlays.ts'
import { canLogIn, pageSettings } from '../../../lib/page-settings.ts'
import { libText } from '../../../lib/texts/en.ts'
import { linkClass } from '../../../ui/button.tsx'
import { t } from './texts/en.ts'

type RefusalActionProps = { readonly code: string; readonly plan: Plan | undefined; readonly onChooseModel: () => void }

export function RefusalAction({ code, plan, onChooseModel }: RefusalActionProps) {
  switch (code) {
    case 'account_required':
    case 'guest_limit_reached':
    case 'research_account_required':
      return <LoginLink />
    case 'premium_required':
      return <UpgradeLink>{libText('upgradeToPro')}</UpgradeLink>
    case 'research_premium_required':
      return <UpgradeLink reason="research">{libText('upgradeToPro')}</UpgradeLink>
    case 'tool_limit_reached':
    case 'credits_exhausted':
      return plan === 'pro' ? (
        <span className="shrink-0 text-muted-foreground">{t('resetsDaily')}</span>
      ) : (
        <UpgradeLink reason={code === 'credits_exhausted' ? 'credits' : undefined}>{t('upgradeLimits')}</UpgradeLink>
      )
    case 'own_daily_limit_reached':
    case 'own_monthly_limit_reached':
      return (
        <Link to="/account/usage" className={linkClass}>
          {t('changeLimit')}
        </Link>
      )
    case 'content_full':
      if (plan === 'pro') return null
      return plan === 'free' ? <UpgradeLink>{t('upgradeStorage')}</UpgradeLink> : <LoginLink />
    case 'message_over_budget':
      if (plan === 'pro') return <ChooseModel onChooseModel={onChooseModel} />
      return plan === 'free' ? <UpgradeLink>{t('upgradeLimits')}</UpgradeLink> : <LoginLink />
    case 'credits_short':
    case 'credits_above_day':
    case 'turn_credits_short':
    case 'tools_unsupported':
    case 'images_unsupported':
    case 'documents_unsupported':
      return <ChooseModel onChooseModel={onChooseModel} />
    case 'session_required':
      return (
        <button type="button" className={linkClass} onClick={() => location.reload()}>
          {libText('reload')}
        </button>
      )
    default:
      return null
  }
}

function ChooseModel({ onChooseModel }: { readonly onChooseModel: () => void }) {
  return (
    <button type="button" className={linkClass} onClick={onChooseModel}>
      {t('chooseModel')}
    </button>
  )
}

function LoginLink() {
  const search = useLoginSearch()
  return (
    canLogIn && (
      <Link to="/login" search={search} className={linkClass}>
        {libText('logIn')}
      </Link>
    )
  )
}

type UpgradeLinkProps = { readonly reason?: 'research' | 'credits' | undefined; readonly children: string }

const UpgradeLink = ({ reason, children }: UpgradeLinkProps) =>
  pageSettings.billing && (
    <button type="button" className={linkClass} onClick={() => openUpsell(reason)}>
      {children}
    </button>
  )

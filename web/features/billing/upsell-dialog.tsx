/** The offer of PRO: price, comparison with a free account, and a link to the checkout. */
import { creditsPerDay } from '../../../worker/contract/limits.ts'
import { closeUpsell, type UpsellReason } from '../../lib/overlays.ts'
import { CheckoutLink } from '../../lib/subscription.tsx'
import { useMe } from '../../sync/hooks.ts'
import { buttonClass } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { PlanComparison } from './plan-comparison.tsx'
import { t } from './texts/en.ts'
import { UpsellReasonNote } from './upsell-reason.tsx'

export function UpsellDialog({ reason }: { readonly reason: UpsellReason | null }) {
  const isGuest = useMe()?.plan === 'guest'
  const footer = (
    <CheckoutLink isGuest={isGuest} className={buttonClass({ variant: 'primary', size: 'lg', className: 'w-full' })}>
      {t('getStarted')}
    </CheckoutLink>
  )
  return (
    <Dialog open onClose={closeUpsell} title={t('upgradeToPro')} footer={footer}>
      {reason && <UpsellReasonNote reason={reason} isGuest={isGuest} />}
      <div className="mt-3">
        <PlanComparison />
      </div>
      {isGuest && (
        <div className="mt-5 border-t pt-4 text-muted-foreground text-pretty">
          <p>{t('createAccount', { credits: creditsPerDay.free })}</p>
          <p className="mt-2">{t('logInToKeep')}</p>
        </div>
      )}
    </Dialog>
  )
}

/** The features and the price of PRO, with a link to the checkout. */
import { Check } from 'lucide-react'
import { creditsPerDay } from '../../../worker/contract/limits.ts'
import { closeUpsell } from '../../lib/overlays.ts'
import { CheckoutLink, useProPrice } from '../../lib/subscription.tsx'
import { useMe } from '../../sync/hooks.ts'
import { buttonClass } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { t } from './texts/en.ts'

const benefits = () => [t('proModels'), t('researchTool'), t('higherLimits'), t('creditsDaily', { credits: creditsPerDay.pro })]

export function UpsellDialog() {
  const isGuest = useMe()?.plan === 'guest'
  const { price, separate } = useProPrice()
  const footer = (
    <CheckoutLink isGuest={isGuest} className={buttonClass({ variant: 'primary', size: 'lg', className: 'w-full' })}>
      {t('getStarted')}
    </CheckoutLink>
  )
  return (
    <Dialog open onClose={closeUpsell} title={t('upgradeToPro')} footer={footer}>
      <p className="mt-3 flex flex-wrap items-baseline gap-x-2">
        {separate && (
          <s className="text-base text-muted-foreground">
            <span className="sr-only">{t('insteadOf')} </span>
            {separate}
          </s>
        )}
        <span className="text-2xl font-semibold tracking-tight">{price}</span>
        <span className="text-muted-foreground">{t('aMonth')}</span>
      </p>
      {separate && <p className="mt-1 text-muted-foreground text-pretty">{t('saveOver70')}</p>}
      <ul className="mt-5 flex flex-col gap-2.5">
        {benefits().map((benefit) => (
          <li key={benefit} className="flex gap-2.5">
            <Check aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-accent" />
            {benefit}
          </li>
        ))}
      </ul>
      {isGuest && (
        <div className="mt-5 border-t pt-4 text-muted-foreground text-pretty">
          <p>{t('createAccount', { credits: creditsPerDay.free })}</p>
          <p className="mt-2">{t('logInToKeep')}</p>
        </div>
      )}
    </Dialog>
  )
}

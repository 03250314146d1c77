/**
 * Send and stop button. The same element in both states, so that it keeps the focus. Text that is typed while an answer streams adds a
 * second button that queues it. `Price` shows the credits of the models, until the
 * quote of the message is loaded (`price/`).
 */
import { ArrowUp, Coins, ListPlus, Square } from 'lucide-react'
import { firstPaintText } from '../../../lib/i18n/first-paint-text.ts'
import { formatNumber } from '../../../lib/i18n/intl-format.ts'
import { IconButton } from '../../../ui/icon-button.tsx'
import { t } from './texts/en.ts'

type SendButtonProps = {
  readonly isBusy: boolean
  readonly isStopping: boolean
  /** There is text that can be queued. */
  readonly canQueue: boolean
  readonly blockedReason: string | undefined
  readonly onSend: () => void
  readonly onStop: () => void
}

export function SendButton({ isBusy, isStopping, canQueue, blockedReason, onSend, onStop }: SendButtonProps) {
  const stoppingReason = isStopping ? t('stopping') : undefined
  return (
    <>
      <IconButton
        variant={isBusy ? 'secondary' : 'primary'}
        label={isBusy ? t('stop') : firstPaintText('sendMessage')}
        disabledReason={isBusy ? stoppingReason : blockedReason}
        onClick={isBusy ? onStop : onSend}
      >
        {isBusy ? <Square className="size-3.5! fill-current" /> : <ArrowUp />}
      </IconButton>
      {isBusy && canQueue && (
        <IconButton variant="primary" label={t('queueMessage')} disabledReason={blockedReason} onClick={onSend}>
          <ListPlus />
        </IconButton>
      )}
    </>
  )
}

export const Price = ({ credits }: { readonly credits: number }) => (
  <span className="text-xs whitespace-nowrap text-muted-foreground">
    <Coins className="mr-1 inline size-3.5 align-[-0.2em] @2xl:hidden" aria-hidden="true" />
    {formatNumber(credits)} <span className="@max-2xl:sr-only">{firstPaintText('creditUnit', { credits })}</span>
  </span>
)

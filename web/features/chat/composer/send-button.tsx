/**
 * Send and stop button. The same element in both states, so that it keeps the focus. Text that is typed while an answer streams adds a
 * second button that queues it.
 */
import { ArrowUp, ListPlus, Square } from 'lucide-react'
import { firstPaintText } from '../../../lib/i18n/first-paint-text.ts'
import { IconButton } from '../../../ui/icon-button.tsx'
import { t } from './texts/t.ts'

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
  if (isBusy)
    return (
      <>
        <IconButton
          key="stop"
          variant="secondary"
          label={t('stop')}
          disabledReason={isStopping ? t('stopping') : undefined}
          onClick={onStop}
        >
          <Square className="size-3.5! fill-current" />
        </IconButton>
        {canQueue && (
          <IconButton key="queue" variant="primary" label={t('queueMessage')} disabledReason={blockedReason} onClick={onSend}>
            <ListPlus />
          </IconButton>
        )}
      </>
    )
  return (
    <IconButton variant="primary" label={firstPaintText('sendMessage')} disabledReason={blockedReason} onClick={onSend}>
      <ArrowUp />
    </IconButton>
  )
}

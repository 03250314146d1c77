/**
 * Send and stop button. The same element in both states, so that it keeps the focus. Text that is typed while an answer streams adds a
 * second button that queues it.
 */
import { ArrowUp, ListPlus, Square } from 'lucide-react'
import { IconButton } from '../../../ui/icon-button.tsx'

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
          size="lg"
          variant="secondary"
          label="Stop generating"
          disabledReason={isStopping ? 'Stopping' : undefined}
          onClick={onStop}
        >
          <Square className="size-3.5! fill-current" />
        </IconButton>
        {canQueue && (
          <IconButton key="queue" size="lg" variant="primary" label="Queue message" disabledReason={blockedReason} onClick={onSend}>
            <ListPlus />
          </IconButton>
        )}
      </>
    )
  return (
    <IconButton size="lg" variant="primary" label="Send message" disabledReason={blockedReason} onClick={onSend}>
      <ArrowUp />
    </IconButton>
  )
}

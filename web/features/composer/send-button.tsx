/**
 * One button in one place: sends, and stops while an answer is being written. It stays the same element, so focus stays on it. What is
 * typed meanwhile brings a second one, to queue it.
 */
import { ArrowUp, ListPlus, Square } from 'lucide-react'
import { IconButton } from '../../ui/icon-button.tsx'

type SendButtonProps = {
  readonly isBusy: boolean
  readonly isStopping: boolean
  /** Something is written that can wait behind the answer. */
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

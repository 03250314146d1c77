/** One button in one place: sends, and stops while an answer is being written. It stays the same element, so focus stays on it. */
import { ArrowUp, Square } from 'lucide-react'
import { IconButton } from '../../ui/icon-button.tsx'

type SendButtonProps = {
  readonly isBusy: boolean
  readonly isStopping: boolean
  readonly blockedReason: string | undefined
  readonly onSend: () => void
  readonly onStop: () => void
}

export function SendButton({ isBusy, isStopping, blockedReason, onSend, onStop }: SendButtonProps) {
  if (isBusy)
    return (
      <IconButton
        size="lg"
        variant="secondary"
        label="Stop generating"
        disabledReason={isStopping ? 'Stopping' : undefined}
        onClick={onStop}
      >
        <Square className="size-3.5! fill-current" />
      </IconButton>
    )
  return (
    <IconButton size="lg" variant="primary" label="Send message" disabledReason={blockedReason} onClick={onSend}>
      <ArrowUp />
    </IconButton>
  )
}

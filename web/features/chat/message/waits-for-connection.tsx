/** Shown at a message that was sent offline, until the server has it. */
import { Clock } from 'lucide-react'
import { useStored } from '../../../lib/store.ts'
import { libText } from '../../../lib/texts/en.ts'
import { useConnection } from '../../../sync/hooks.ts'
import { tooltip } from '../../../ui/tooltip.tsx'
import { unsentIds } from '../composer/outbox.ts'

export const useIsUnsent = (messageId: string | null): boolean => useStored(unsentIds, (ids) => messageId !== null && ids.has(messageId))

export function WaitsForConnection({ messageId }: { readonly messageId: string }) {
  return useIsUnsent(messageId) ? <Sign /> : null
}

function Sign() {
  const { status } = useConnection()
  return (
    <span role="status" className="min-w-0 text-xs text-muted-foreground">
      {(status === 'offline' || status === 'error') && <WaitingWords />}
    </span>
  )
}

export const WaitingWords = () => (
  <span className="flex items-center gap-1.5" {...tooltip(libText('waitingHint'))}>
    <Clock className="size-3.5 shrink-0" aria-hidden="true" />
    {libText('waitingForConnection')}
  </span>
)

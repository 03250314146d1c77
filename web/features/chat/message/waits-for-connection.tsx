/** Shown at a message that was sent offline, until the server has it. */
import { useStored } from '../../../lib/store.ts'
import { useConnection } from '../../../sync/hooks.ts'
import { unsentIds } from '../composer/outbox.ts'
import { WaitingWords } from './waiting-words.tsx'

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

/** Before the first word: the model is being waited for, or the network is. */
import { useConnection } from '../../sync/hooks.ts'
import { useIsUnsent, WaitingWords } from './waits-for-connection.tsx'

export function Waiting({ questionId }: { readonly questionId: string | null }) {
  const { status } = useConnection()
  const isUnsent = useIsUnsent(questionId)
  if (status === 'offline')
    // A question that waits says so itself.
    return <p className="flex h-7 items-center text-xs text-muted-foreground">{!isUnsent && <WaitingWords />}</p>
  return (
    <p className="flex h-7 items-center">
      <span className="size-2.5 animate-breathe rounded-full bg-accent" />
      <span className="sr-only">Waiting for the answer</span>
    </p>
  )
}

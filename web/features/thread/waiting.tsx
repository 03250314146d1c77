/** Before the first word: the model is being waited for, or the network is. */
import { Clock } from 'lucide-react'
import { useConnection } from '../../sync/hooks.ts'

export function Waiting() {
  const { status } = useConnection()
  if (status === 'offline')
    return (
      <p className="flex h-7 items-center gap-2 text-sm text-muted-foreground">
        <Clock className="size-3.5 shrink-0" aria-hidden="true" />
        Kept here. It is sent as soon as the connection is back.
      </p>
    )
  return (
    <p className="flex h-7 items-center">
      <span className="size-2.5 animate-breathe rounded-full bg-accent" />
      <span className="sr-only">Waiting for the answer</span>
    </p>
  )
}

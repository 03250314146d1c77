/** Before the first word: the model is being waited for, or the network is. */
import { useEffect, useState } from 'react'
import { cx } from '../../lib/cx.ts'
import { useConnection } from '../../sync/hooks.ts'
import { useIsUnsent, WaitingWords } from './waits-for-connection.tsx'

/** Ours: most models have begun by then, and a silence that lasts longer looks as if nothing was under way. */
const silenceMs = 3000

export function Waiting({ questionId }: { readonly questionId: string | null }) {
  const { status } = useConnection()
  const isUnsent = useIsUnsent(questionId)
  const isLong = useIsLong()
  if (status === 'offline')
    // A question that waits says so itself.
    return <p className="flex h-7 items-center text-xs text-muted-foreground">{!isUnsent && <WaitingWords />}</p>
  return <WaitingSign isLong={isLong} />
}

/** A dot for whoever sees it; in words too when it lasts. */
export function WaitingSign({ isLong }: { readonly isLong: boolean }) {
  return (
    <p className="flex h-7 items-center gap-2.5 text-xs text-muted-foreground">
      <span aria-hidden="true" className="size-2.5 shrink-0 animate-breathe rounded-full bg-accent" />
      <span className={cx(isLong ? 'animate-appear' : 'sr-only')}>Waiting for the answer</span>
    </p>
  )
}

function useIsLong(): boolean {
  const [isLong, setLong] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setLong(true), silenceMs)
    return () => clearTimeout(timer)
  }, [])
  return isLong
}

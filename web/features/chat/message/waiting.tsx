/** Shown before the first chunk: waiting for the model or the network. */
import { useEffect, useState } from 'react'
import { cx } from '../../../lib/cx.ts'
import { useConnection } from '../../../sync/hooks.ts'
import { t } from './texts/t.ts'
import { useIsUnsent, WaitingWords } from './waits-for-connection.tsx'

/** Chosen: most models start within this time, and a longer silence looks like a failure. */
const silenceMs = 3000

export function Waiting({ questionId }: { readonly questionId: string | null }) {
  const { status } = useConnection()
  const isUnsent = useIsUnsent(questionId)
  const isLong = useIsLong()
  if (status === 'offline')
    // A message that waits shows its state below it.
    return <p className="flex h-7 items-center text-xs text-muted-foreground">{!isUnsent && <WaitingWords />}</p>
  return <WaitingSign isLong={isLong} />
}

/** A dot, and after a while also text. */
export function WaitingSign({ isLong }: { readonly isLong: boolean }) {
  return (
    <p className="flex h-7 items-center gap-2.5 text-xs text-muted-foreground">
      <span aria-hidden="true" className="size-2.5 shrink-0 animate-breathe rounded-full bg-accent" />
      <span className={cx(isLong ? 'animate-appear' : 'sr-only')}>{t('waitingForAnswer')}</span>
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

/** Placeholder shapes for loading content. `Delayed` surrounds a whole skeleton: nothing is shown for the first 150 ms. */
import { type ReactNode, useEffect, useState } from 'react'
import { cx } from '../lib/cx.ts'
import { t } from './texts/en.ts'

export function Skeleton({ className }: { readonly className?: string }) {
  return <span aria-hidden="true" className={cx('block animate-breathe rounded-md bg-foreground/8', className)} />
}

const delayMs = 150

type DelayedProps = { readonly children: ReactNode; readonly label?: string }

export function Delayed({ children, label = t('loading') }: DelayedProps) {
  const [isShown, setShown] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setShown(true), delayMs)
    return () => clearTimeout(timer)
  }, [])
  if (!isShown) return null
  return (
    <div role="status" aria-label={label} className="contents">
      {children}
    </div>
  )
}

/** One shape in place of a whole section or page. Takes its space at once, so that content below it does not move. */
export const LoadingBlock = ({ className }: { readonly className: string }) => (
  <div className={className}>
    <Delayed>
      <Skeleton className="size-full" />
    </Delayed>
  </div>
)

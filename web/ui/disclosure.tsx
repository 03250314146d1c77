/** A summary line that expands. `open` applies until the user toggles it. */
import { ChevronRight } from 'lucide-react'
import { type ReactNode, useId, useState } from 'react'
import { cx } from '../lib/cx.ts'

type DisclosureProps = {
  readonly summary: ReactNode
  readonly children: ReactNode
  readonly open?: boolean
  /** Shows a long summary in full, in several lines. */
  readonly wraps?: boolean
  readonly className?: string
}

export function Disclosure({ summary, children, open = false, wraps = false, className }: DisclosureProps) {
  const [chosen, setChosen] = useState<boolean | null>(null)
  const isOpen = chosen ?? open
  const id = useId()
  return (
    <div className={className}>
      <button
        type="button"
        aria-expanded={isOpen}
        aria-controls={id}
        className="group -ml-1.5 inline-flex min-h-7 max-w-full touch-target items-start gap-1 rounded-md pr-2 pl-1 text-left text-sm text-muted-foreground transition-colors hover:text-foreground"
        onClick={() => setChosen(!isOpen)}
      >
        <ChevronRight aria-hidden="true" className={cx('mt-[0.4375rem] size-3.5 shrink-0 transition-transform', isOpen && 'rotate-90')} />
        <span className={cx('min-w-0 py-1', wraps ? 'wrap-anywhere' : 'truncate')}>{summary}</span>
      </button>
      {isOpen && (
        <div id={id} className="animate-appear pt-2">
          {children}
        </div>
      )}
    </div>
  )
}

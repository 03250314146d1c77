/** A summary line that expands. Uncontrolled by default; `open` and `onOpenChange` control it. */
import { ChevronRight } from 'lucide-react'
import { type ReactNode, useId, useState } from 'react'
import { cx } from '../lib/cx.ts'

type DisclosureProps = {
  readonly summary: ReactNode
  readonly children: ReactNode
  readonly open?: boolean
  readonly onOpenChange?: (open: boolean) => void
  readonly defaultOpen?: boolean
  readonly className?: string
}

export function Disclosure({ summary, children, open, onOpenChange, defaultOpen = false, className }: DisclosureProps) {
  const [ownOpen, setOwnOpen] = useState(defaultOpen)
  const isOpen = open ?? ownOpen
  const id = useId()
  return (
    <div className={className}>
      <button
        type="button"
        aria-expanded={isOpen}
        aria-controls={id}
        className="group -ml-1.5 inline-flex max-w-full touch-target items-center gap-1 rounded-md py-0.5 pr-2 pl-1 text-left text-sm text-muted-foreground transition-colors hover:text-foreground"
        onClick={() => {
          setOwnOpen(!isOpen)
          onOpenChange?.(!isOpen)
        }}
      >
        <ChevronRight aria-hidden="true" className={cx('size-3.5 shrink-0 transition-transform', isOpen && 'rotate-90')} />
        <span className="min-w-0 truncate">{summary}</span>
      </button>
      {isOpen && (
        <div id={id} className="animate-appear pt-2">
          {children}
        </div>
      )}
    </div>
  )
}

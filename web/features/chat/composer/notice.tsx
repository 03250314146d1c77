/** The line above the composer: one sentence with an optional action. */
import { X } from 'lucide-react'
import type { ReactNode } from 'react'
import { cx } from '../../../lib/cx.ts'
import { IconButton } from '../../../ui/icon-button.tsx'

type NoticeProps = {
  readonly children: ReactNode
  readonly tone?: 'neutral' | 'warning' | 'danger'
  /** A link or button at the end of the line. */
  readonly action?: ReactNode
  readonly dismiss?: { readonly label: string; readonly onClick: () => void }
  /** Announced at once: it responds to an action of the user. */
  readonly isUrgent?: boolean
}

const tones = { neutral: 'text-muted-foreground', warning: 'text-warning', danger: 'text-danger' } as const

export function Notice({ children, tone = 'neutral', action, dismiss, isUrgent = false }: NoticeProps) {
  return (
    <div role={isUrgent ? 'alert' : 'status'} className="flex min-h-9 items-center gap-3 px-4 py-1.5 text-sm">
      {/* The action wraps below a sentence that would be too narrow. */}
      <div className="flex min-w-0 flex-1 flex-wrap items-center gap-x-3 gap-y-1">
        <span className={cx('min-w-0 grow basis-48 text-pretty', tones[tone])}>{children}</span>
        {action}
      </div>
      {dismiss && (
        <IconButton size="sm" label={dismiss.label} className="-mr-2" onClick={dismiss.onClick}>
          <X />
        </IconButton>
      )}
    </div>
  )
}

/** A small label next to a name: plan, state or capability. */
import type { ReactNode } from 'react'
import { cx } from '../lib/cx.ts'
import { tooltip } from './tooltip.tsx'

type Tone = 'neutral' | 'accent' | 'warning' | 'danger' | 'success'

const tones: Record<Tone, string> = {
  neutral: 'bg-foreground/8 text-muted-foreground',
  accent: 'bg-accent/14 text-accent',
  warning: 'bg-warning/14 text-warning',
  danger: 'bg-danger/14 text-danger',
  success: 'bg-success/14 text-success',
}

type BadgeProps = { readonly children: ReactNode; readonly tone?: Tone; readonly tooltip?: string; readonly className?: string }

export function Badge({ children, tone = 'neutral', tooltip: text, className }: BadgeProps) {
  return (
    <span
      {...tooltip(text)}
      className={cx(
        'inline-flex h-5 shrink-0 items-center gap-1 rounded-sm px-1.5 text-xs font-medium tracking-wide [&_svg]:size-3',
        tones[tone],
        className,
      )}
    >
      {children}
    </span>
  )
}

import { cx } from '../lib/cx.ts'

type MeterProps = {
  readonly label: string
  readonly value: number
  readonly max: number
  readonly tone?: 'accent' | 'warning'
  readonly className?: string
}

/** A bar that shows a share; the numbers are in the text next to it. */
export function Meter({ label, value, max, tone = 'accent', className }: MeterProps) {
  const share = max > 0 ? Math.min(1, Math.max(0, value / max)) : 0
  return (
    // biome-ignore lint/a11y/useSemanticElements: browsers draw <meter> in their own colours
    <div
      role="meter"
      aria-label={label}
      aria-valuenow={value}
      aria-valuemin={0}
      aria-valuemax={max}
      className={cx('h-1 overflow-hidden rounded-full bg-foreground/10', className)}
    >
      <div
        className={cx('h-full origin-left transition-transform', tone === 'warning' ? 'bg-warning' : 'bg-accent')}
        style={{ transform: `scaleX(${share})` }}
      />
    </div>
  )
}

import { cx } from '../lib/cx.ts'
import { tooltip } from './tooltip.tsx'

type SwitchProps = {
  readonly label: string
  readonly checked: boolean
  readonly onChange: (checked: boolean) => void
  readonly disabledReason?: string | undefined
}

export function Switch({ label, checked, onChange, disabledReason }: SwitchProps) {
  const isDisabled = disabledReason !== undefined
  return (
    <button
      type="button"
      role="switch"
      aria-label={label}
      aria-checked={checked}
      aria-disabled={isDisabled || undefined}
      {...tooltip(disabledReason, { describes: true })}
      className={cx(
        'flex h-5 w-9 shrink-0 touch-target items-center rounded-full p-0.5 transition-colors aria-disabled:cursor-not-allowed aria-disabled:*:opacity-50',
        checked ? 'bg-accent aria-disabled:bg-accent/50' : 'bg-control aria-disabled:bg-control/50',
      )}
      onClick={() => {
        if (!isDisabled) onChange(!checked)
      }}
    >
      <span className={cx('size-4 rounded-full transition-transform', checked ? 'translate-x-4 bg-accent-foreground' : 'bg-background')} />
    </button>
  )
}

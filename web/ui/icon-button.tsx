/** An icon button. Its label is the accessible name and the tooltip. */
import type { ComponentProps, ReactNode } from 'react'
import { cx } from '../lib/cx.ts'
import { tooltip } from './tooltip.tsx'

type Variant = 'ghost' | 'primary' | 'secondary'
type Size = 'sm' | 'md' | 'lg'

const variants: Record<Variant, string> = {
  ghost:
    'text-muted-foreground hover:not-aria-disabled:bg-foreground/8 hover:not-aria-disabled:text-foreground aria-expanded:bg-foreground/8 aria-expanded:text-foreground aria-pressed:text-accent',
  primary:
    'bg-accent text-accent-foreground hover:not-aria-disabled:bg-accent/88 aria-disabled:bg-foreground/10 aria-disabled:text-foreground',
  secondary: 'bg-muted text-foreground hover:not-aria-disabled:bg-foreground/14 aria-disabled:bg-muted/50',
}

const sizes: Record<Size, string> = { sm: 'size-7 [&_svg]:size-3.5', md: 'size-9 [&_svg]:size-4', lg: 'size-11 [&_svg]:size-5' }

type IconButtonProps = Omit<ComponentProps<'button'>, 'disabled' | 'aria-label'> & {
  readonly label: string
  readonly variant?: Variant
  readonly size?: Size
  /** Shortcut shown in the tooltip, for example 'Ctrl B'. */
  readonly keys?: string | undefined
  /** A longer text for the tooltip and the description. */
  readonly description?: string | undefined
  readonly disabledReason?: string | undefined
  readonly children: ReactNode
}

export function IconButton(props: IconButtonProps) {
  const { label, variant = 'ghost', size = 'md', keys, description, disabledReason, className, onClick, children, ...rest } = props
  const isDisabled = disabledReason !== undefined
  const explanation = disabledReason ?? description
  return (
    <button
      type="button"
      {...rest}
      {...(explanation ? tooltip(explanation, { keys, describes: true }) : tooltip(label, { keys }))}
      aria-label={label}
      aria-disabled={isDisabled || undefined}
      className={cx(
        // A disabled button fades, but not its focus ring.
        'inline-flex shrink-0 touch-target items-center justify-center rounded-lg transition-[background-color,color,scale] active:scale-95 aria-disabled:cursor-not-allowed aria-disabled:*:opacity-50 aria-disabled:active:scale-100',
        variants[variant],
        sizes[size],
        className,
      )}
      onClick={isDisabled ? (event) => event.preventDefault() : onClick}
    >
      {children}
    </button>
  )
}

/** Buttons with text. A disabled button stays focusable and shows its reason. */
import type { ComponentProps, ReactNode } from 'react'
import { cx } from '../lib/cx.ts'
import { Spinner } from './spinner.tsx'
import { tooltip } from './tooltip.tsx'

/** `danger-outline` opens a confirmation dialog. `danger` confirms. */
type Variant = 'primary' | 'secondary' | 'ghost' | 'danger' | 'danger-outline'
type Size = 'sm' | 'md' | 'lg'

const base =
  'inline-flex shrink-0 touch-target items-center justify-center gap-2 whitespace-nowrap rounded-lg font-medium select-none transition-[background-color,color,scale] active:scale-[0.98] aria-disabled:cursor-not-allowed aria-disabled:active:scale-100'

// A disabled button changes its colors, not its opacity: opacity would fade the focus ring as well.
const variants: Record<Variant, string> = {
  primary:
    'bg-accent text-accent-foreground hover:not-aria-disabled:bg-accent/88 aria-disabled:bg-foreground/10 aria-disabled:text-foreground/50',
  secondary: 'bg-muted text-foreground hover:not-aria-disabled:bg-foreground/14 aria-disabled:bg-muted/50 aria-disabled:text-foreground/50',
  ghost: 'text-foreground hover:not-aria-disabled:bg-foreground/8 aria-expanded:bg-foreground/8 aria-disabled:text-foreground/50',
  danger:
    'bg-danger text-danger-foreground hover:not-aria-disabled:bg-danger/88 aria-disabled:bg-foreground/10 aria-disabled:text-foreground/50',
  'danger-outline':
    'border border-danger text-danger hover:not-aria-disabled:bg-danger/8 aria-disabled:border-danger/50 aria-disabled:text-danger/50',
}

/** Chosen: buttons and fields are 28, 36 or 44 px high. Rows of a list are not buttons. */
const sizes: Record<Size, string> = { sm: 'h-7 px-2.5 text-xs touch:h-9', md: 'h-9 px-3.5 text-sm', lg: 'h-11 px-5 text-sm' }

type LookProps = { readonly variant?: Variant; readonly size?: Size; readonly className?: string | undefined }

/** The classes alone, for links that look like buttons. */
export const buttonClass = ({ variant = 'secondary', size = 'md', className }: LookProps = {}): string =>
  cx(base, variants[variant], sizes[size], className)

export type ButtonProps = Omit<ComponentProps<'button'>, 'disabled'> &
  LookProps & {
    /** Why the button is disabled; shown on hover and focus, and read by screen readers. */
    readonly disabledReason?: string | undefined
    /** A request is running: the button shows it and ignores presses. */
    readonly pending?: boolean
    readonly children: ReactNode
  }

export function Button({ variant, size, className, disabledReason, pending = false, onClick, children, ...rest }: ButtonProps) {
  const isDisabled = pending || disabledReason !== undefined
  return (
    <button
      type="button"
      {...rest}
      {...tooltip(disabledReason, { describes: true })}
      aria-disabled={isDisabled || undefined}
      aria-busy={pending || undefined}
      className={buttonClass({ ...(variant && { variant }), ...(size && { size }), className })}
      onClick={isDisabled ? (event) => event.preventDefault() : onClick}
    >
      {pending && <Spinner className="[&_circle]:fill-current" />}
      {children}
    </button>
  )
}

/** A link at the end of a notice, to the page that resolves it. */
export const linkClass = 'shrink-0 touch-target rounded-sm whitespace-nowrap font-medium text-accent underline-offset-4 hover:underline'

/** Activity indicator. With a label it is announced; without one it decorates text that describes the activity. */
import { cx } from '../lib/cx.ts'

type SpinnerProps = { readonly label?: string; readonly className?: string }

export function Spinner({ label, className }: SpinnerProps) {
  return (
    // biome-ignore lint/a11y/noSvgWithoutTitle: named by aria-label or hidden, in the spread below
    <svg
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth="2"
      strokeLinecap="round"
      className={cx('size-3.5 shrink-0 animate-spin-slow', className)}
      {...(label ? { role: 'img', 'aria-label': label } : { 'aria-hidden': true })}
    >
      <circle cx="8" cy="8" r="6" opacity="0.25" />
      <path d="M8 2a6 6 0 0 1 6 6" />
    </svg>
  )
}

/** Activity indicator: the logo with a pulsing dot. With a label it is announced; without one it decorates text that describes the activity. */
import { cx } from '../lib/cx.ts'
import { Logo } from './logo.tsx'

type SpinnerProps = { readonly label?: string; readonly className?: string }

export const Spinner = ({ label, className }: SpinnerProps) => (
  <span
    className={cx('inline-block size-4 shrink-0', className)}
    {...(label ? { role: 'img', 'aria-label': label } : { 'aria-hidden': true })}
  >
    <Logo isBusy className="size-full" />
  </span>
)

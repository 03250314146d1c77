import { cx } from '../lib/cx.ts'

/** A P in the shape of a speech bubble. */
type LogoProps = {
  readonly className?: string
  /** The dot breathes: something is on its way. */
  readonly isBusy?: boolean
}

export const Logo = ({ className, isBusy = false }: LogoProps) => (
  <svg viewBox="0 0 20 20" aria-hidden="true" className={cx('size-5', className)}>
    <path d="M3.5 17.5V5A2.5 2.5 0 0 1 6 2.5h4.75a5.25 5.25 0 0 1 0 10.5H8z" fill="currentColor" />
    <circle cx="15.5" cy="15.5" r="2" className={cx('fill-accent', isBusy && 'animate-breathe')} />
  </svg>
)

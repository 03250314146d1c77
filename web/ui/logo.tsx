import { cx } from '../lib/cx.ts'

/** A P in the shape of a speech bubble. */
export const Logo = ({ className }: { readonly className?: string }) => (
  <svg viewBox="0 0 20 20" aria-hidden="true" className={cx('size-5', className)}>
    <path d="M3.5 17.5V5A2.5 2.5 0 0 1 6 2.5h4.75a5.25 5.25 0 0 1 0 10.5H8z" fill="currentColor" />
    <circle cx="15.5" cy="15.5" r="2" className="fill-accent" />
  </svg>
)

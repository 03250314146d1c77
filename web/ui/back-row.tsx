import { Link, type LinkComponentProps } from '@tanstack/react-router'
import { ArrowLeft } from 'lucide-react'
import { cx } from '../lib/cx.ts'
import { buttonClass } from './button.tsx'

type BackRowProps = Omit<LinkComponentProps, 'className' | 'children'> & {
  readonly className?: string | undefined
  readonly children: string
}

/** A link above the title of a page. On a phone it is in the row of the floating bar, next to its buttons, and the page scrolls under both. */
export const BackRow = ({ className, children, ...to }: BackRowProps) => (
  <div className="max-md:absolute max-md:top-0 max-md:left-22 max-md:z-6 max-md:flex max-md:h-(--header-height) max-md:items-center max-md:pt-[env(safe-area-inset-top)] max-md:touch:left-28">
    <Link {...to} className={buttonClass({ variant: 'ghost', size: 'sm', className: cx('text-muted-foreground md:-ml-2.5', className) })}>
      <ArrowLeft aria-hidden="true" className="size-4" />
      {children}
    </Link>
  </div>
)

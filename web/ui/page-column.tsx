import type { ReactNode } from 'react'
import { cx } from '../lib/cx.ts'

type PageColumnProps = {
  /** With space for a list next to the content. */
  readonly isWide?: boolean
  readonly children: ReactNode
}

/** One scrolling column, with space at its top for the bar that replaces a hidden sidebar, and its notice. Opening a page scrolls it to its top (`app.tsx`). */
export const PageColumn = ({ isWide = false, children }: PageColumnProps) => (
  <div data-page-scroller="" className="min-h-0 flex-1 overflow-y-auto">
    <div
      className={cx(
        'mx-auto w-full max-w-2xl px-4 pt-[calc(max(1rem,env(safe-area-inset-top))+3rem+var(--bar-notice-height,0px))] pb-24 touch:mt-2',
        isWide && 'lg:max-w-[59rem]',
      )}
    >
      {children}
    </div>
  </div>
)

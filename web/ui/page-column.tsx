import type { ReactNode } from 'react'

/** One scrolling column, with space at its top for the bar that replaces a hidden sidebar, and its notice. Opening a page scrolls it to its top (`app.tsx`). */
export const PageColumn = ({ children }: { readonly children: ReactNode }) => (
  <div data-page-scroller="" className="min-h-0 flex-1 overflow-y-auto">
    <div className="mx-auto w-full max-w-2xl px-4 pt-[calc(max(1rem,env(safe-area-inset-top))+3rem+var(--bar-notice-height,0px))] pb-24 touch:mt-2">
      {children}
    </div>
  </div>
)

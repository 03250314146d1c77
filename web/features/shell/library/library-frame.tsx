/** The frame of the pages that list threads outside the sidebar: projects and the archive. */
import type { ReactNode } from 'react'
import { usePageTitle } from '../../../lib/page-head.ts'

type LibraryFrameProps = {
  readonly title: string
  /** Replaces the title as the heading's content. */
  readonly heading?: ReactNode
  readonly action?: ReactNode
  readonly children: ReactNode
}

export function LibraryFrame({ title, heading = title, action, children }: LibraryFrameProps) {
  usePageTitle(title)
  return (
    <div className="min-h-0 flex-1 overflow-y-auto">
      <div className="mx-auto w-full max-w-2xl px-4 pt-16 pb-24 md:px-6">
        <div className="flex min-h-9 flex-wrap items-center justify-between gap-3">
          <h1 className="min-w-0 text-2xl font-semibold tracking-tight wrap-anywhere">{heading}</h1>
          {action}
        </div>
        {children}
      </div>
    </div>
  )
}

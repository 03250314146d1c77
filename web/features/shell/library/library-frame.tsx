/** The frame of the pages that list threads outside the sidebar: projects and the archive. */
import type { ReactNode } from 'react'
import { usePageTitle } from '../../../lib/page-head.ts'
import { PageColumn } from '../../../ui/page-column.tsx'

type LibraryFrameProps = {
  readonly heading: ReactNode
  readonly action?: ReactNode
  readonly children: ReactNode
}

export function LibraryFrame({ heading, action, children }: LibraryFrameProps) {
  usePageTitle(null)
  return (
    <PageColumn>
      <div className="flex min-h-9 flex-wrap items-center justify-between gap-3">
        <h1 className="min-w-0 text-2xl font-semibold tracking-tight wrap-anywhere">{heading}</h1>
        {action}
      </div>
      {children}
    </PageColumn>
  )
}

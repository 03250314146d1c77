/** The frame of the pages that list threads outside the sidebar: the projects, the bookmarks and the archive. */
import { Link } from '@tanstack/react-router'
import { MessagesSquare } from 'lucide-react'
import type { ReactNode } from 'react'
import { titleOf } from '../../../../worker/contract/display-names.ts'
import { firstPaintText } from '../../../lib/i18n/first-paint-text.ts'
import { formatAge } from '../../../lib/i18n/format-age.ts'
import { usePageTitle } from '../../../lib/page-head.ts'
import { useServerNow } from '../../../lib/server-clock.ts'
import type { ThreadRow } from '../../../sync/rows.ts'
import { Button } from '../../../ui/button.tsx'
import { EmptyState } from '../../../ui/empty-state.tsx'
import { PageColumn } from '../../../ui/page-column.tsx'
import { t } from './texts/en.ts'

export const headingClass = 'min-w-0 text-title wrap-anywhere'

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
        <h1 className={headingClass}>{heading}</h1>
        {action}
      </div>
      {children}
    </PageColumn>
  )
}

type ThreadItemsProps = {
  readonly threads: readonly ThreadRow[]
  readonly isComplete: boolean
  readonly hasMore: boolean
  readonly onMore: () => void
  readonly empty: string
  /** Shown at the end of a row. */
  readonly action?: (thread: ThreadRow) => ReactNode
}

/** A list of threads with their dates, which grows on request. */
export function ThreadItems({ threads, isComplete, hasMore, onMore, empty, action }: ThreadItemsProps) {
  const nowMs = useServerNow()
  return (
    <>
      {threads.length === 0 && (
        <EmptyState icon={MessagesSquare} isLoading={!isComplete}>
          {empty}
        </EmptyState>
      )}
      <ul className="divide-y">
        {threads.map((thread) => (
          <li key={thread.id} className="flex items-center gap-2">
            <Link
              to="/$threadId"
              params={{ threadId: thread.id }}
              className="flex min-h-11 min-w-0 flex-1 items-center gap-3 rounded-md px-2 -outline-offset-2 hover:bg-foreground/5"
            >
              <span dir="auto" className="min-w-0 flex-1 truncate">
                {titleOf(thread, firstPaintText)}
              </span>
              <span className="shrink-0 text-xs text-muted-foreground">{formatAge(thread.updatedAt, nowMs)}</span>
            </Link>
            {action?.(thread)}
          </li>
        ))}
      </ul>
      {hasMore && (
        <Button variant="ghost" className="mt-2" onClick={onMore}>
          {t('showMore')}
        </Button>
      )}
    </>
  )
}

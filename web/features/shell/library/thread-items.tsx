/** A list of threads with their dates, which grows on request. */
import { Link } from '@tanstack/react-router'
import { MessagesSquare } from 'lucide-react'
import type { ReactNode } from 'react'
import { titleOf } from '../../../../worker/contract/display-names.ts'
import { firstPaintText } from '../../../lib/i18n/first-paint-text.ts'
import { formatAge } from '../../../lib/i18n/format-age.ts'
import { useServerNow } from '../../../lib/server-clock.ts'
import type { ThreadRow } from '../../../sync/rows.ts'
import { Button } from '../../../ui/button.tsx'
import { EmptyState } from '../../../ui/empty-state.tsx'
import { t } from './texts/en.ts'

type ThreadItemsProps = {
  readonly threads: readonly ThreadRow[]
  readonly isComplete: boolean
  readonly hasMore: boolean
  readonly onMore: () => void
  readonly empty: string
  /** Shown at the end of a row. */
  readonly action?: (thread: ThreadRow) => ReactNode
}

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

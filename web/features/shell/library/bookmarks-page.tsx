import { Link } from '@tanstack/react-router'
import { Bookmark, BookmarkX } from 'lucide-react'
import { useState } from 'react'
import { titleOf } from '../../../../worker/contract/display-names.ts'
import { bookmarkPageSize, maxBookmarkWindow } from '../../../../worker/contract/limits.ts'
import { mutators } from '../../../../worker/contract/mutators.ts'
import { withoutMarks } from '../../../../worker/contract/text.ts'
import { excerptOf, summaryOf } from '../../../../worker/contract/threads/search.ts'
import { firstPaintText } from '../../../lib/i18n/first-paint-text.ts'
import { formatAge } from '../../../lib/i18n/format-age.ts'
import { showMessageRequest } from '../../../lib/navigation.ts'
import { serverNowMs, useServerNow } from '../../../lib/server-clock.ts'
import { settled, useAct } from '../../../sync/act.ts'
import { useBookmarks } from '../../../sync/loaded-messages.ts'
import type { BookmarkRow } from '../../../sync/rows.ts'
import { Button } from '../../../ui/button.tsx'
import { EmptyState } from '../../../ui/empty-state.tsx'
import { IconButton } from '../../../ui/icon-button.tsx'
import { toastRefusal } from '../../../ui/toast-refusal.ts'
import { LibraryFrame } from './library-frame.tsx'
import { t } from './texts/en.ts'

/** Chosen: two or three lines. */
const excerptChars = 240

export function BookmarksPage() {
  const [limit, setLimit] = useState(bookmarkPageSize)
  const { bookmarks, isComplete, hasMore } = useBookmarks(limit)
  return (
    <LibraryFrame heading={t('bookmarks')}>
      <p className="mt-1 mb-4 text-muted-foreground text-pretty">{t('bookmarksNote')}</p>
      {bookmarks.length > 0 ? (
        <ul className="divide-y">
          {bookmarks.map((bookmark) => (
            <Item key={bookmark.id} bookmark={bookmark} />
          ))}
        </ul>
      ) : (
        <EmptyState icon={Bookmark} isLoading={!isComplete}>
          {t('noBookmarks')}
        </EmptyState>
      )}
      {hasMore && (
        <Button variant="ghost" className="mt-2" onClick={() => setLimit(Math.min(limit + bookmarkPageSize, maxBookmarkWindow))}>
          {t('showMore')}
        </Button>
      )}
    </LibraryFrame>
  )
}

function Item({ bookmark: { id, threadId, thread, message, bookmarkedAt } }: { readonly bookmark: BookmarkRow }) {
  const act = useAct()
  const title = titleOf(thread, firstPaintText)
  const nowMs = useServerNow()
  const remove = () => act(mutators.messages.bookmark({ threadId, messageId: id, isBookmarked: false, at: serverNowMs() }))
  return (
    <li className="flex items-center gap-2">
      <Link
        to="/$threadId"
        params={{ threadId }}
        // The thread opens at the message.
        onClick={() => showMessageRequest.set({ threadId, messageId: id, words: [] })}
        className="flex min-h-11 min-w-0 flex-1 flex-col gap-0.5 rounded-md px-2 py-2.5 -outline-offset-2 hover:bg-foreground/5"
      >
        <span dir="auto" className="line-clamp-2 wrap-anywhere">
          {excerptOf([], withoutMarks(summaryOf(message)), excerptChars)}
        </span>
        <span className="flex min-w-0 gap-2 text-xs text-muted-foreground">
          <span className="shrink-0">{message.role === 'user' ? t('yourMessage') : message.metadata.modelName}</span>
          <span dir="auto" className="min-w-0 truncate">
            {title}
          </span>
          {bookmarkedAt != null && <span className="shrink-0">{formatAge(bookmarkedAt, nowMs)}</span>}
        </span>
      </Link>
      <IconButton
        label={t('removeBookmarkOf', { title })}
        description={t('removeBookmark')}
        onClick={() => void toastRefusal(settled(remove()))}
      >
        <BookmarkX />
      </IconButton>
    </li>
  )
}

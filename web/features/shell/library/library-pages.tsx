import { Link } from '@tanstack/react-router'
import { ArchiveRestore, Bookmark, BookmarkX, ChevronRight, Folders, Plus } from 'lucide-react'
import { useState } from 'react'
import { titleOf } from '../../../../worker/contract/display-names.ts'
import { bookmarkPageSize, maxBookmarkWindow, threadPageSize } from '../../../../worker/contract/limits.ts'
import { mutators } from '../../../../worker/contract/mutators.ts'
import { shownText } from '../../../../worker/contract/threads/find-in-thread.ts'
import { excerptOf, summaryOf } from '../../../../worker/contract/threads/search.ts'
import { firstPaintText } from '../../../lib/i18n/first-paint-text.ts'
import { formatAge } from '../../../lib/i18n/format-age.ts'
import { showMessageRequest } from '../../../lib/navigation.ts'
import { openOverlay } from '../../../lib/overlays.ts'
import { serverNowMs, useServerNow } from '../../../lib/server-clock.ts'
import { useAct } from '../../../sync/act.ts'
import { useArchivedThreads } from '../../../sync/library-threads.ts'
import { useBookmarks } from '../../../sync/loaded-messages.ts'
import { useProjects } from '../../../sync/organise.ts'
import type { BookmarkRow } from '../../../sync/rows.ts'
import { Button } from '../../../ui/button.tsx'
import { EmptyState } from '../../../ui/empty-state.tsx'
import { IconButton } from '../../../ui/icon-button.tsx'
import { ProjectIcon } from '../../../ui/project-icon.tsx'
import { toastOutcome, useThreadActions } from '../use-thread-actions.ts'
import { LibraryFrame, ThreadItems } from './library-frame.tsx'
import { t } from './texts/en.ts'

export function ArchivePage() {
  const [limit, setLimit] = useState(threadPageSize)
  const { archive } = useThreadActions()
  return (
    <LibraryFrame heading={t('archiveTitle')}>
      <p className="mt-1 mb-4 text-muted-foreground text-pretty">{t('archiveNote')}</p>
      <ThreadItems
        {...useArchivedThreads(limit)}
        onMore={() => setLimit(limit + threadPageSize)}
        empty={t('noArchived')}
        action={(thread) => (
          <IconButton
            label={t('restoreOf', { title: titleOf(thread, firstPaintText) })}
            description={t('restore')}
            onClick={() => archive([thread], false)}
          >
            <ArchiveRestore />
          </IconButton>
        )}
      />
    </LibraryFrame>
  )
}

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
  const bookmark = (isBookmarked: boolean) => act(mutators.messages.bookmark({ threadId, messageId: id, isBookmarked, at: serverNowMs() }))
  const remove = () =>
    void toastOutcome(bookmark(false), {
      message: t('bookmarkRemoved'),
      description: title,
      undo: () => void toastOutcome(bookmark(true)),
    })
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
          {excerptOf([], shownText(message) || summaryOf(message), excerptChars)}
        </span>
        <span className="flex min-w-0 gap-2 text-xs text-muted-foreground">
          <span className="shrink-0">{message.role === 'user' ? t('yourMessage') : message.metadata.modelName}</span>
          <span dir="auto" className="min-w-0 truncate">
            {title}
          </span>
          {bookmarkedAt != null && <span className="shrink-0">{formatAge(bookmarkedAt, nowMs)}</span>}
        </span>
      </Link>
      <IconButton label={t('removeBookmarkOf', { title })} description={t('removeBookmark')} onClick={remove}>
        <BookmarkX />
      </IconButton>
    </li>
  )
}

export function ProjectsPage() {
  const { projects, isComplete } = useProjects()
  return (
    <LibraryFrame
      heading={firstPaintText('projects')}
      action={
        <Button variant="primary" onClick={() => openOverlay({ projectId: null })}>
          <Plus aria-hidden="true" className="size-4" />
          {t('newProject')}
        </Button>
      }
    >
      <p className="mt-1 mb-4 text-muted-foreground text-pretty">{t('projectsNote')}</p>
      {projects.length > 0 ? (
        <ul className="divide-y rounded-lg border">
          {projects.map(({ id, name, icon, color }) => (
            <li key={id}>
              <Link
                to="/project/$projectId"
                params={{ projectId: id }}
                className="flex min-h-12 items-center gap-3 rounded-md px-3 -outline-offset-2 hover:bg-foreground/5"
              >
                <ProjectIcon icon={icon} color={color} className="size-5" />
                <span dir="auto" className="min-w-0 flex-1 truncate font-medium">
                  {name}
                </span>
                <ChevronRight aria-hidden="true" className="size-4 text-muted-foreground" />
              </Link>
            </li>
          ))}
        </ul>
      ) : (
        <EmptyState icon={Folders} isLoading={!isComplete}>
          {t('noProjects')}
        </EmptyState>
      )}
    </LibraryFrame>
  )
}

/** One thread in the list. It opens on pointer down; with Shift, Control or Command it is selected. */
import { Link, useNavigate } from '@tanstack/react-router'
import { type MouseEvent, memo, type RefObject, useEffect, useLayoutEffect, useRef } from 'react'
import { titleOf } from '../../../worker/contract/display-names.ts'
import { isBusy as isThreadBusy } from '../../../worker/contract/thread-status.ts'
import { cx } from '../../lib/cx.ts'
import { firstPaintText } from '../../lib/i18n/first-paint-text.ts'
import type { ThreadRow as Thread } from '../../sync/rows.ts'
import { OneLine } from '../../ui/one-line.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { drag, startSelection } from './selection/selection.ts'
import { t } from './texts/en.ts'
import { ThreadMenu } from './thread-menu.tsx'

type ThreadRowProps = { readonly thread: Thread; readonly isOpen: boolean; readonly onOpen: () => void }

/** A larger window of the query returns the rows that it had as new objects. */
const isSameRow = (a: ThreadRowProps, b: ThreadRowProps): boolean =>
  a.isOpen === b.isOpen && a.onOpen === b.onOpen && (a.thread === b.thread || hasSameColumns(a.thread, b.thread))

const hasSameColumns = (a: Thread, b: Thread): boolean => (Object.keys(b) as (keyof Thread)[]).every((column) => a[column] === b[column])

export const ThreadRow = memo(function ThreadRow({ thread, isOpen, onOpen }: ThreadRowProps) {
  const rowRef = useRef<HTMLLIElement>(null)
  const navigate = useNavigate()
  const isBusy = isThreadBusy(thread)
  const isUnread = !isBusy && !isOpen && thread.unreadAt != null
  useFocusInNewGroup(rowRef, thread.id)

  useEffect(() => {
    if (!isOpen) return undefined
    // After the router has restored the scroll position of the list.
    const frame = requestAnimationFrame(() => {
      const row = rowRef.current
      // A row under the pointer is visible and must not move.
      if (!row?.matches(':hover')) row?.scrollIntoView({ block: 'nearest', behavior: 'instant' })
    })
    return () => cancelAnimationFrame(frame)
  }, [isOpen])

  const openOnPress = (event: MouseEvent) => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
    void navigate({ to: '/$threadId', params: { threadId: thread.id } })
  }

  const selectOrClose = (event: MouseEvent) => {
    if (!event.shiftKey && !event.ctrlKey && !event.metaKey) return onOpen()
    event.preventDefault()
    void startSelection(thread.id, event.shiftKey)
  }

  return (
    <li ref={rowRef} className="group/row relative scroll-my-10 [content-visibility:auto] [contain-intrinsic-size:auto_2rem]">
      <Link
        to="/$threadId"
        params={{ threadId: thread.id }}
        aria-current={isOpen ? 'page' : undefined}
        className={cx(
          'flex h-8 items-center gap-2 rounded-md pr-2 pl-2.5 -outline-offset-2 group-focus-within/row:pr-9 group-hover/row:pr-9 group-has-aria-expanded/row:pr-9 touch:h-11 touch:pr-9',
          isOpen ? 'bg-foreground/9 text-foreground' : 'text-foreground/85 hover:bg-foreground/5',
        )}
        onMouseDown={openOnPress}
        onClick={selectOrClose}
        onDragStart={() => drag(thread.id)}
      >
        <OneLine text={titleOf(thread, firstPaintText)} className={cx('min-w-0 flex-1', !thread.title && 'text-muted-foreground')} />
        {isBusy && <Spinner label={t('answering')} className="text-accent" />}
        {isUnread && (
          <span role="img" aria-label={t('unread')} className="size-2 shrink-0 rounded-full bg-accent forced-color-adjust-none" />
        )}
      </Link>
      <ThreadMenu
        thread={thread}
        className="absolute! top-0.5 right-0.5 -outline-offset-2 opacity-0 group-focus-within/row:opacity-100 group-hover/row:opacity-100 aria-expanded:opacity-100 touch:top-2 touch:opacity-100"
      />
    </li>
  )
}, isSameRow)

/** The focused control of a row that the current commit removes. */
let removed: { readonly threadId: string; readonly tag: string } | null = null

/** Pinning moves a row to another group: React removes it, and mounts it there in the same commit. The keyboard focus follows. */
function useFocusInNewGroup(rowRef: RefObject<HTMLElement | null>, threadId: string): void {
  useLayoutEffect(() => {
    const row = rowRef.current
    if (removed?.threadId === threadId) row?.querySelector<HTMLElement>(removed.tag)?.focus()
    return () => {
      const focused = row?.querySelector(':focus-visible')
      if (!focused) return
      removed = { threadId, tag: focused.localName }
      // After the layout effects of this commit.
      queueMicrotask(() => {
        removed = null
      })
    }
  }, [rowRef, threadId])
}

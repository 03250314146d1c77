/** One thread in the sidebar. A mouse press opens it, before the click. With Shift, Control or Command, a click starts a selection. */
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

type ThreadRowProps = {
  readonly thread: Thread
  readonly isOpen: boolean
  /** Closes the sidebar sheet on small windows. */
  readonly onNavigate: () => void
}

/** Compares columns: a query with a larger limit returns new objects for unchanged rows. */
const arePropsEqual = (a: ThreadRowProps, b: ThreadRowProps): boolean =>
  a.isOpen === b.isOpen && a.onNavigate === b.onNavigate && (a.thread === b.thread || hasSameColumns(a.thread, b.thread))

const hasSameColumns = (a: Thread, b: Thread): boolean => (Object.keys(b) as (keyof Thread)[]).every((column) => a[column] === b[column])

export const ThreadRow = memo(function ThreadRow({ thread, isOpen, onNavigate }: ThreadRowProps) {
  const rowRef = useRef<HTMLLIElement>(null)
  const navigate = useNavigate()
  const isBusy = isThreadBusy(thread)
  const isUnread = !isBusy && !isOpen && thread.unreadAt != null
  useFocusAfterRemoval(rowRef, thread.id)

  useEffect(() => {
    if (!isOpen) return undefined
    // Waits a frame, because the router restores the scroll position of the list first.
    const frame = requestAnimationFrame(() => {
      const row = rowRef.current
      // A row under the pointer is visible and must not move.
      if (!row?.matches(':hover')) row?.scrollIntoView({ block: 'nearest', behavior: 'instant' })
    })
    return () => cancelAnimationFrame(frame)
  }, [isOpen])

  const openOnMouseDown = (event: MouseEvent) => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
    void navigate({ to: '/$threadId', params: { threadId: thread.id } })
  }

  const onClick = (event: MouseEvent) => {
    if (!event.shiftKey && !event.ctrlKey && !event.metaKey) return onNavigate()
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
        onMouseDown={openOnMouseDown}
        onClick={onClick}
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
}, arePropsEqual)

/** Set while React removes a row that has the focus: the thread and the tag name of the focused control. */
let removed: { readonly threadId: string; readonly tag: string } | null = null

/**
 * Keeps the focus when a row changes its group: React unmounts the row and mounts it in the other group in one commit. When a row leaves the
 * list, the focus moves to its neighbour.
 */
function useFocusAfterRemoval(rowRef: RefObject<HTMLElement | null>, threadId: string): void {
  useLayoutEffect(() => {
    const row = rowRef.current
    if (removed?.threadId === threadId) {
      row?.querySelector<HTMLElement>(removed.tag)?.focus()
      removed = null
    }
    return () => {
      const focused = row?.querySelector(':focus')
      if (!focused) return
      const neighbour = row?.nextElementSibling ?? row?.previousElementSibling
      const own = { threadId, tag: focused.localName }
      removed = own
      // Layout effects of this commit run before the microtask.
      queueMicrotask(() => {
        if (removed !== own) return
        removed = null
        neighbour?.querySelector<HTMLElement>('a')?.focus({ preventScroll: true })
      })
    }
  }, [rowRef, threadId])
}

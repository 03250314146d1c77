/** The threads, newest first, in a window that grows when the user scrolls near its end. */

import { Link, useNavigate } from '@tanstack/react-router'
import {
  type KeyboardEvent,
  type MouseEvent,
  memo,
  type ReactNode,
  type RefObject,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { titleOf } from '../../../worker/contract/display-names.ts'
import type { SidebarProject } from '../../../worker/contract/first-page.ts'
import { maxThreadWindow, threadPageSize } from '../../../worker/contract/limits.ts'
import { groupThreads } from '../../../worker/contract/threads/thread-groups.ts'
import { isBusy as isThreadBusy } from '../../../worker/contract/threads/thread-status.ts'
import { cx } from '../../lib/cx.ts'
import { firstPaintText } from '../../lib/i18n/first-paint-text.ts'
import { useOpenThreadId } from '../../lib/navigation.ts'
import { serverNowMs } from '../../lib/server-clock.ts'
import { pageShortcuts } from '../../lib/shortcuts.ts'
import { createStore, useStore, useStored } from '../../lib/store.ts'
import { useSidebarProjects, useSidebarThreads } from '../../sync/organise.ts'
import type { ThreadRow as Thread } from '../../sync/rows.ts'
import { OneLine } from '../../ui/one-line.tsx'
import { Delayed, Skeleton } from '../../ui/skeleton.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { useScrollEdges } from '../../ui/use-scroll-edges.ts'
import { DropProjects, drag, draggedId, SelectableRow, SelectionBar, selection, startSelection } from './selection/selection.ts'
import { t } from './texts/en.ts'
import { startRenaming, TitleField, useIsRenaming } from './thread-dialogs.tsx'
import { ThreadMenu } from './thread-menu.tsx'

type ThreadListProps = {
  readonly onNavigate: () => void
  /** Scrolls with the threads, above them. */
  readonly children: ReactNode
}

export function ThreadList({ onNavigate, children }: ThreadListProps) {
  const limit = useStore(threadLimit)
  const { threads, isComplete, hasMore } = useSidebarThreads(limit)
  const dragged = useStore(draggedId)
  const isSelecting = useStored(selection, (state) => state !== null)
  const openThreadId = useOpenThreadId()
  const projects = new Map(useSidebarProjects().map((project) => [project.id, project]))
  const groups = groupThreads(threads, useServerNowEachMinute())
  const scrollerRef = useRef<HTMLDivElement>(null)
  useScrollEdges(scrollerRef)
  const [hasScrolled, setScrolled] = useState(false)

  return (
    <>
      <div
        ref={scrollerRef}
        onScroll={() => setScrolled(true)}
        className="min-h-0 flex-1 scroll-fade overflow-y-auto overscroll-contain px-2 pb-3 low:flex-[1_0_auto] low:overflow-visible"
      >
        {children}
        <nav aria-label={t('threads')}>
          {groups.map(({ name, threads: members }) => (
            <section key={name} aria-label={firstPaintText(name)}>
              <h2 className="px-2.5 pt-4 pb-1.5 text-xs font-medium text-muted-foreground">{firstPaintText(name)}</h2>
              <ul>
                {members.map((thread) =>
                  isSelecting ? (
                    <SelectableRow key={thread.id} thread={thread} threads={threads} project={projects.get(thread.projectId ?? '')} />
                  ) : (
                    <ThreadRow
                      key={thread.id}
                      thread={thread}
                      project={projects.get(thread.projectId ?? '')}
                      isOpen={thread.id === openThreadId}
                      onNavigate={onNavigate}
                    />
                  ),
                )}
              </ul>
            </section>
          ))}
          {threads.length === 0 && !isComplete && <ListSkeleton />}
          {threads.length === 0 && isComplete && <p className="px-2.5 pt-4 text-muted-foreground text-pretty">{t('noThreads')}</p>}
          {hasMore && limit < maxThreadWindow ? (
            // A new observer for each limit: it reports again if the end is still in view.
            <EndWatcher key={limit} />
          ) : (
            // Shown only after scrolling, now or before the list remounted: a larger limit shows that the user had scrolled.
            isComplete &&
            (hasScrolled || limit > threadPageSize) && (
              <p className="px-2.5 pt-4 text-xs text-muted-foreground">{t(hasMore ? 'olderThreads' : 'endOfThreads')}</p>
            )
          )}
        </nav>
      </div>
      {dragged !== null && <DropProjects id={dragged} threads={threads} />}
      {isSelecting && <SelectionBar threads={threads} />}
    </>
  )
}

/** Chosen: loads the next page 600 px before the end. Browsers without `scrollMargin` load it at the end. */
function EndWatcher() {
  const ref = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const onIntersect = (entries: readonly IntersectionObserverEntry[]) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) raiseThreadLimit()
    }
    const observer = new IntersectionObserver(onIntersect, { scrollMargin: '600px' })
    if (ref.current) observer.observe(ref.current)
    return () => observer.disconnect()
  }, [])
  return (
    <div ref={ref} className="flex justify-center py-4 text-muted-foreground">
      <Spinner label={t('loadingMore')} />
    </div>
  )
}

const skeletonWidths = ['w-3/4', 'w-1/2', 'w-2/3', 'w-4/5', 'w-3/5', 'w-2/3']

function ListSkeleton() {
  return (
    <Delayed label={t('loadingThreads')}>
      <div className="flex flex-col gap-4 px-2.5 pt-10">
        {skeletonWidths.map((width, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a fixed list that never changes
          <Skeleton key={index} className={`h-4 ${width}`} />
        ))}
      </div>
    </Delayed>
  )
}

/**
 * Limit of the sidebar's thread query. Outside of the component, because keyboard navigation uses it and the list keeps its length when it
 * remounts.
 */
export const threadLimit = createStore<number>(threadPageSize)

const raiseThreadLimit = (): void => threadLimit.set(Math.min(threadLimit.get() + threadPageSize, maxThreadWindow))

/** The server time for the thread groups. Updated every minute and when the page becomes visible. */
function useServerNowEachMinute(): number {
  const [nowMs, setNowMs] = useState(serverNowMs)
  useEffect(() => {
    const update = () => {
      if (!document.hidden) setNowMs(serverNowMs())
    }
    const timer = setInterval(update, 60_000)
    document.addEventListener('visibilitychange', update)
    return () => {
      clearInterval(timer)
      document.removeEventListener('visibilitychange', update)
    }
  }, [])
  return nowMs
}

/** One thread in the sidebar. A mouse press opens it, before the click. With Shift, Control or Command, a click starts a selection. */
type ThreadRowProps = {
  readonly thread: Thread
  readonly project: SidebarProject | undefined
  readonly isOpen: boolean
  /** Closes the sidebar sheet on small windows. */
  readonly onNavigate: () => void
}

/** Compares columns: a query with a larger limit returns new objects for unchanged rows. */
const arePropsEqual = (a: ThreadRowProps, b: ThreadRowProps): boolean =>
  a.isOpen === b.isOpen &&
  a.project === b.project &&
  a.onNavigate === b.onNavigate &&
  (a.thread === b.thread || hasSameColumns(a.thread, b.thread))

const hasSameColumns = (a: Thread, b: Thread): boolean => (Object.keys(b) as (keyof Thread)[]).every((column) => a[column] === b[column])

const ThreadRow = memo(function ThreadRow({ thread, project, isOpen, onNavigate }: ThreadRowProps) {
  const rowRef = useRef<HTMLLIElement>(null)
  const navigate = useNavigate()
  const isBusy = isThreadBusy(thread)
  const isRenaming = useIsRenaming(thread.id, 'sidebar')
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

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== pageShortcuts.rename.key) return
    event.preventDefault()
    void startRenaming(thread.id, 'sidebar')
  }

  const onClick = (event: MouseEvent) => {
    if (!event.shiftKey && !event.ctrlKey && !event.metaKey) return onNavigate()
    event.preventDefault()
    void startSelection(thread.id, event.shiftKey)
  }

  return (
    <li ref={rowRef} className="group/row relative scroll-my-10 [content-visibility:auto] [contain-intrinsic-size:auto_2rem]">
      {isRenaming ? (
        <TitleField thread={thread} className="w-full px-2.5 -outline-offset-2" />
      ) : (
        <Link
          to="/$threadId"
          params={{ threadId: thread.id }}
          aria-current={isOpen ? 'page' : undefined}
          className={cx(
            'flex h-8 items-center gap-2 rounded-lg pr-2 pl-2.5 -outline-offset-2 group-focus-within/row:pr-9 group-hover/row:pr-9 group-has-aria-expanded/row:pr-9 touch:h-11 touch:pr-9',
            isOpen ? 'bg-foreground/9 text-foreground font-medium' : 'text-foreground/85 hover:bg-foreground/5',
          )}
          onMouseDown={openOnMouseDown}
          onClick={onClick}
          onKeyDown={onKeyDown}
          onDragStart={() => drag(thread.id)}
        >
          <OneLine text={titleOf(thread, firstPaintText)} className={cx('min-w-0 flex-1', !thread.title && 'text-muted-foreground')} />
          {project && <ProjectDot project={project} className="order-first" />}
          {isBusy && <Spinner label={t('answering')} className="text-muted-foreground" />}
          {isUnread && (
            <span role="img" aria-label={t('unread')} className="size-2 shrink-0 rounded-full bg-accent forced-color-adjust-none" />
          )}
        </Link>
      )}
      <ThreadMenu
        thread={thread}
        className="absolute! top-0.5 right-0.5 -outline-offset-2 opacity-0 group-focus-within/row:opacity-100 group-hover/row:opacity-100 aria-expanded:opacity-100 touch:top-2 touch:opacity-100"
      />
    </li>
  )
}, arePropsEqual)

export const ProjectDot = ({ project, className }: { readonly project: SidebarProject; readonly className?: string }) => (
  <span
    role="img"
    aria-label={t('inProject', { project: project.name })}
    data-hue={project.color ?? 'gray'}
    className={cx('size-1.5 shrink-0 rounded-full bg-current forced-color-adjust-none', className)}
  />
)

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

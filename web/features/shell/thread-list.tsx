/** The threads, newest first, in a window that grows when the user scrolls near its end. */
import { useEffect, useRef, useState } from 'react'
import { maxThreadWindow, threadPageSize } from '../../../worker/contract/limits.ts'
import { groupThreads } from '../../../worker/contract/thread-groups.ts'
import { firstPaintText } from '../../lib/i18n/first-paint-text.ts'
import { useOpenThreadId } from '../../lib/navigation.ts'
import { serverNowMs } from '../../lib/server-clock.ts'
import { createStore, useStore, useStored } from '../../lib/store.ts'
import { useSidebarThreads } from '../../sync/organise.ts'
import { Delayed, Skeleton } from '../../ui/skeleton.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { useScrollEdges } from '../../ui/use-scroll-edges.ts'
import { DropProjects, draggedId, SelectableRow, SelectionBar, selection } from './selection/selection.ts'
import { t } from './texts/en.ts'
import { ThreadRow } from './thread-row.tsx'

export function ThreadList({ onNavigate }: { readonly onNavigate: () => void }) {
  const limit = useStore(threadLimit)
  const { threads, isComplete, hasMore } = useSidebarThreads(limit)
  const dragged = useStore(draggedId)
  const isSelecting = useStored(selection, (state) => state !== null)
  const openThreadId = useOpenThreadId()
  const groups = groupThreads(threads, useServerNowEachMinute())
  const scrollerRef = useRef<HTMLElement>(null)
  useScrollEdges(scrollerRef)
  const [hasScrolled, setScrolled] = useState(false)

  return (
    <>
      <nav
        ref={scrollerRef}
        aria-label={t('threads')}
        onScroll={() => setScrolled(true)}
        className="min-h-0 flex-1 scroll-fade overflow-y-auto overscroll-contain px-2 pb-3 low:flex-[1_0_auto] low:overflow-visible"
      >
        {groups.map(({ name, threads: members }) => (
          <section key={name} aria-label={firstPaintText(name)}>
            <h2 className="px-2.5 pt-4 pb-1.5 text-xs font-medium text-muted-foreground">{firstPaintText(name)}</h2>
            <ul>
              {members.map((thread) =>
                isSelecting ? (
                  <SelectableRow key={thread.id} thread={thread} threads={threads} />
                ) : (
                  <ThreadRow key={thread.id} thread={thread} isOpen={thread.id === openThreadId} onNavigate={onNavigate} />
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

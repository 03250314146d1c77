/**
 * The frame of every page with a session. In a wide window, the sidebar is next to the page. In a narrow window, it is a sheet over the page:
 * a modal dialog, so the rest of the page is inert while it is open. A floating bar appears only while the sidebar is hidden.
 */
import { useNavigate, useRouter } from '@tanstack/react-router'
import { type ReactNode, type RefObject, useEffect, useRef } from 'react'
import { neighbourOf } from '../../../worker/contract/threads/thread-groups.ts'
import { cx } from '../../lib/cx.ts'
import { useKeyboardInset } from '../../lib/keyboard-inset.ts'
import { productName } from '../../lib/page-head.ts'
import { useShortcuts } from '../../lib/shortcuts.ts'
import { useStore } from '../../lib/store.ts'
import { useSidebarThreads } from '../../sync/organise.ts'
import { Delayed, Skeleton } from '../../ui/skeleton.tsx'
import { closeSheet, setSidebar, toggleSidebar, useSidebar } from './sidebar-state.ts'
import { t } from './texts/en.ts'
import { threadLimit } from './thread-list.tsx'

type ShellProps = { readonly sidebar: ReactNode; readonly bar: ReactNode; readonly children: ReactNode }

export function Shell({ sidebar, bar, children }: ShellProps) {
  const { isWide, isOpen } = useSidebar()
  const sidebarRef = useRef<HTMLElement>(null)
  const mainRef = useRef<HTMLElement>(null)
  const scrimRef = useRef<HTMLDivElement>(null)
  const isSheet = !isWide && isOpen
  useKeyboardInset()
  useSwipes(!isWide, isSheet, sidebarRef, scrimRef)
  useFocusAfterToggle(isOpen, sidebarRef, mainRef)
  useFocusAfterNavigation(mainRef)
  useEscape(isSheet)

  return (
    // `clip`, not `hidden`: `scrollIntoView` on visually hidden text could scroll a `hidden` element, and the user could not scroll it back.
    <div className="flex h-(--visible-height,100dvh) overflow-clip">
      <a
        href="#thread"
        inert={isSheet}
        className="sr-only z-30 rounded-md bg-raised px-3 py-2 shadow-float focus:not-sr-only focus:absolute focus:top-2 focus:left-2"
      >
        {t('skipToThread')}
      </a>
      <div
        ref={scrimRef}
        aria-hidden="true"
        className={cx(
          'fixed inset-0 z-10 bg-black/50 transition-opacity md:hidden',
          isSheet ? 'opacity-100' : 'pointer-events-none opacity-0',
        )}
        onClick={closeSheet}
      />
      {/* biome-ignore lint/a11y/useAriaPropsSupportedByRole: the dialog has the attribute; an `aside` may not be a dialog */}
      <section
        ref={sidebarRef}
        role={isSheet ? 'dialog' : 'complementary'}
        aria-modal={isSheet || undefined}
        aria-label={t('sidebar')}
        inert={!isOpen}
        className={cx(
          'fixed inset-y-0 left-0 z-20 flex w-(--width-sidebar) shrink-0 flex-col bg-surface max-md:w-[min(19rem,86vw)] md:border-r low:overflow-y-auto',
          // Opening makes it visible at once: an element whose visibility is in transition cannot be focused in its first frame.
          isOpen ? 'transition-[translate] max-md:shadow-float md:static' : 'invisible -translate-x-full transition-[translate,visibility]',
        )}
      >
        {sidebar}
      </section>
      <main
        ref={mainRef}
        id="thread"
        tabIndex={-1}
        inert={isSheet}
        className="relative flex min-w-0 flex-1 flex-col outline-none has-[[data-temporary]]:bg-temporary"
      >
        {!isOpen && bar}
        {children}
      </main>
    </div>
  )
}

/** On narrow windows only, after the first paint. */
const loadSwipes = () => import('./swipe.ts')

function useSwipes(isEnabled: boolean, isOpen: boolean, panelRef: RefObject<HTMLElement | null>, scrimRef: RefObject<HTMLElement | null>) {
  useEffect(() => {
    const [panel, scrim] = [panelRef.current, scrimRef.current]
    if (!isEnabled || !panel || !scrim) return undefined
    let end: (() => void) | undefined
    let isUnmounted = false
    void loadSwipes().then(({ followSwipes }) => {
      if (!isUnmounted) end = followSwipes({ isOpen, panel, scrim, onSettle: setSidebar })
    })
    return () => {
      isUnmounted = true
      end?.()
    }
  }, [isEnabled, isOpen, panelRef, scrimRef])
}

/**
 * Opening or closing hides the pressed button and may make the focused element inert. Focus then moves to the first button of the part that
 * remains: the sidebar or the main area.
 */
function useFocusAfterToggle(isOpen: boolean, sidebarRef: RefObject<HTMLElement | null>, mainRef: RefObject<HTMLElement | null>) {
  const wasOpenRef = useRef(isOpen)
  useEffect(() => {
    if (wasOpenRef.current === isOpen) return
    wasOpenRef.current = isOpen
    const focused = document.activeElement
    if (focused && focused !== document.body && !focused.closest('[inert]')) return
    const side = isOpen ? sidebarRef.current : mainRef.current
    side?.querySelector<HTMLElement>('button')?.focus({ preventScroll: true })
  }, [isOpen, sidebarRef, mainRef])
}

/** Moves the focus to the new page if the navigation removed or hid the focused element. A page with a composer focuses its text field instead. */
function useFocusAfterNavigation(mainRef: RefObject<HTMLElement | null>) {
  const router = useRouter()
  useEffect(
    () =>
      router.subscribe('onRendered', ({ fromLocation, hrefChanged }) => {
        const main = mainRef.current
        if (!fromLocation || !hrefChanged || hasVisibleFocus() || main?.querySelector('[data-composer]')) return
        main?.focus({ preventScroll: true })
      }),
    [router, mainRef],
  )
}

/** A hidden element keeps the focus until the next layout. */
const hasVisibleFocus = (): boolean => document.activeElement !== document.body && document.activeElement?.checkVisibility() === true

function useEscape(isSheet: boolean) {
  useEffect(() => {
    if (!isSheet) return undefined
    const onKeyDown = (event: KeyboardEvent) => {
      // An overlay on the sheet closes first and prevents the default.
      if (event.key === 'Escape' && !event.defaultPrevented) closeSheet()
    }
    window.addEventListener('keydown', onKeyDown)
    return () => window.removeEventListener('keydown', onKeyDown)
  }, [isSheet])
}

/** Shortcuts that toggle the sidebar and open the previous or next thread of the list. */
export function useShellShortcuts(openThreadId: string | undefined): void {
  const navigate = useNavigate()
  const { threads } = useSidebarThreads(useStore(threadLimit))
  const goTo = (step: 1 | -1) => {
    const threadId = neighbourOf(
      threads.map(({ id }) => id),
      openThreadId,
      step,
    )
    if (threadId) void navigate({ to: '/$threadId', params: { threadId } })
  }
  useShortcuts({ sidebar: toggleSidebar, previousThread: () => goTo(-1), nextThread: () => goTo(1) })
}

/** The shape of the page while session and rows load. Not a `main`, which would end the first paint. */
export function PageSkeleton() {
  const { isWide, isOpen } = useSidebar()
  return (
    <div className="flex h-dvh">
      <h1 className="sr-only">{productName}</h1>
      <Delayed label={t('opening')}>
        {isWide && isOpen && (
          <div className="flex w-(--width-sidebar) shrink-0 flex-col gap-4 border-r bg-surface p-4">
            <Skeleton className="h-5 w-24" />
            <Skeleton className="h-9" />
            <Skeleton className="mt-4 h-3 w-14" />
            <Skeleton className="h-4 w-4/5" />
            <Skeleton className="h-4 w-3/5" />
            <Skeleton className="h-4 w-2/3" />
            <Skeleton className="mt-auto h-11" />
          </div>
        )}
        <div className="mx-auto flex w-full max-w-reading flex-col justify-end px-4 pb-6">
          <Skeleton className="h-28 rounded-2xl" />
        </div>
      </Delayed>
    </div>
  )
}

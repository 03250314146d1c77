/** Pages with a session. They share the frame and one provider, so that navigation between them keeps the sidebar and the socket. */
import { Outlet, useRouter } from '@tanstack/react-router'
import { Fragment, type ReactNode, useCallback, useDeferredValue, useEffect, useLayoutEffect, useState } from 'react'
import { UserMenu } from '../features/account/user-menu.tsx'
import { threadsWithDrafts } from '../features/chat/composer/drafts.ts'
import { TemporaryThread } from '../features/chat/thread/temporary-thread.tsx'
import { ErrorView } from '../features/shell/error-view.tsx'
import { FloatingBar } from '../features/shell/floating-bar.tsx'
import { PageSkeleton, Shell, useShellShortcuts } from '../features/shell/shell.tsx'
import { Sidebar } from '../features/shell/sidebar.tsx'
import { closeSheet } from '../features/shell/sidebar-state.ts'
import { ThreadDialogs } from '../features/shell/thread-dialogs.tsx'
import { hasFirstPaint } from '../lib/first-paint.ts'
import { loadedLanguage } from '../lib/i18n/language.ts'
import { applyLanguage } from '../lib/i18n/start-language.ts'
import { afterFirstGesture, lazyPart, preloadAll, savesData, whenIdle } from '../lib/lazy-part.ts'
import { deleteDataOfOtherUser, deleteLocalUserData, lastUserId, setLocalDataOwner } from '../lib/local-user-data.ts'
import { useOpenThreadId } from '../lib/navigation.ts'
import { usePageTheme } from '../lib/page-head.ts'
import { reloadOnce } from '../lib/reload-once.ts'
import { reportUnstoredRows } from '../lib/storage-health.ts'
import { createStore, useStore, useStored } from '../lib/store.ts'
import { libText } from '../lib/texts/en.ts'
import { useDeletions } from '../sync/deletions.ts'
import { useMe, usePreload } from '../sync/hooks.ts'
import { orphanedWrites } from '../sync/outbox.ts'
import { SyncProvider, signOutHere } from '../sync/provider.tsx'
import type { Urgency } from '../sync/update.ts'
import { SectionErrorBoundary } from '../ui/section-error-boundary.tsx'
import { toast } from '../ui/toaster.tsx'
import { Overlays } from './overlays.tsx'

export function Live() {
  const router = useRouter()
  const onSignedOut = useCallback(() => {
    // The next user of this browser must not find these texts.
    deleteLocalUserData()
    // Deleting or switching the account has navigated already; the socket then reports the same end of the session.
    if (['/logged-out', '/login'].includes(router.history.location.pathname)) return
    void router.navigate({ to: '/logged-out', replace: true })
  }, [router])
  return (
    <SyncProvider
      fallback={<PageSkeleton />}
      failure={(error, retry) => (
        <main className="flex min-h-dvh flex-col">
          <ErrorView error={error} onRetry={retry} />
        </main>
      )}
      onSignedOut={onSignedOut}
      lastUserId={lastUserId}
      onUser={deleteDataOfOtherUser}
      onUpdateNeeded={onUpdateNeeded}
      onUnstoredRows={reportUnstoredRows}
    >
      <DeferredMount>
        <InLanguage>
          <Ready />
        </InLanguage>
      </DeferredMount>
    </SyncProvider>
  )
}

/**
 * Renders the children as a transition while the first paint stands for them, so that the browser can handle input. Lighthouse mobile on a
 * thread, median of three loads, 2026-11-27: total blocking time 125 ms instead of 230 ms, score 99 instead of 96.
 */
function DeferredMount({ children }: { readonly children: ReactNode }) {
  const isMounted = useDeferredValue(true, !hasFirstPaint())
  const [, setCommitted] = useState(false)
  // An update in a layout effect makes React run the passive effects of the same commit at once. They subscribe to the stores: a key that is
  // pressed before would be lost.
  useLayoutEffect(() => setCommitted(isMounted), [isMounted])
  return isMounted ? children : null
}

/** Ends the session for a page outside of `Live`. This file imports every module with user data in this browser. */
export async function logOut(): Promise<void> {
  await signOutHere()
  deleteLocalUserData()
}

/** Applies the language of the settings, live. A new language remounts the children, because texts are read while rendering. */
function InLanguage({ children }: { readonly children: ReactNode }) {
  const setting = useMe()?.setting
  const language = useStored(loadedLanguage, (loaded) => loaded.language)
  useEffect(() => {
    if (setting) applyLanguage(setting.language)
  }, [setting])
  return <Fragment key={language}>{children}</Fragment>
}

function Ready() {
  const isDrawn = useIsDrawn()
  usePreload(isDrawn)
  const isWarm = useWarmUp()
  useCheckoutResult()
  const mayHaveDataOfDeletedThreads = useMayHaveDataOfDeletedThreads(isDrawn)
  const hasOrphanedWrites = useStored(orphanedWrites, ({ size }) => size > 0)
  const isOutdated = useStore(isNewerPageOpen)
  return (
    <>
      <Frame>
        <Outlet />
      </Frame>
      <UserEffects />
      <Overlays />
      <SectionErrorBoundary part="undoOffer" isOverlay>
        {isDrawn && <UndoOffers />}
      </SectionErrorBoundary>
      <SectionErrorBoundary part="unsentChanges" isOverlay>
        {hasOrphanedWrites && <ResendWrites />}
        {mayHaveDataOfDeletedThreads && <DeleteLocalThreadData />}
      </SectionErrorBoundary>
      <SectionErrorBoundary part="notification" isOverlay>
        {isWarm && <AnswerNotifications />}
        {(isWarm || isOutdated) && <UpdateOffer isOutdated={isOutdated} onOffer={offerReload} />}
        {isWarm && <OfflineThreads />}
      </SectionErrorBoundary>
    </>
  )
}

/** True once the page has been idle. Queries of which nothing is visible start then, so that they do not delay the first screen. */
function useIsDrawn(): boolean {
  const [isDrawn, setDrawn] = useState(false)
  useEffect(() => void whenIdle().then(() => setDrawn(true)), [])
  return isDrawn
}

const loadCheckoutNote = () => import('../features/billing/checkout-note.ts')

/** Shows the result of a checkout, if the address has one. */
function useCheckoutResult(): void {
  const router = useRouter()
  useEffect(() => {
    if (location.search.includes('checkout=')) void loadCheckoutNote().then(({ showCheckoutNote }) => showCheckoutNote(router.history))
  }, [router])
}

/** Undo of deletions, on every device of the user. The toasts' code loads with the first deletion. */
function UndoOffers() {
  const deletions = useDeletions()
  const [isWanted, setWanted] = useState(false)
  // Stays true: a toast must close when the deletion is undone on another device.
  if (deletions.length > 0 && !isWanted) setWanted(true)
  if (!isWanted) return null
  return <UndoToasts deletions={deletions} />
}

/**
 * Applies the rows of the user outside React. Separate from `Ready`, so that a change of the user does not render the page. Renders nothing.
 */
function UserEffects() {
  const me = useMe()
  const user = me?.user
  const setting = me?.setting
  usePageTheme(setting)
  useEffect(() => {
    if (user) setLocalDataOwner(user.id, user.isAnonymous === true)
  }, [user])
  return null
}

// Rarely rendered, so each has its own chunk.
const AnswerNotifications = lazyPart(() =>
  import('../features/shell/notifications/answer-notifications.tsx').then((module) => module.AnswerNotifications),
)
const DeleteLocalThreadData = lazyPart(() =>
  import('../features/chat/thread/delete-local-thread-data.tsx').then((module) => module.DeleteLocalThreadData),
)
const OfflineThreads = lazyPart(() => import('../sync/offline-threads.ts').then((module) => module.OfflineThreads))
const ResendWrites = lazyPart(() => import('./resend-writes.tsx').then((module) => module.ResendWrites))
const UndoToasts = lazyPart(() => import('../features/shell/undo-toasts.tsx').then((module) => module.UndoToasts))
const UpdateOffer = lazyPart(() => import('../features/shell/update-offer.tsx').then((module) => module.UpdateOffer))

/** True if this browser had local data of threads when the page loaded, or if something was deleted recently. */
function useMayHaveDataOfDeletedThreads(isDrawn: boolean): boolean {
  const [hadData] = useState(() => threadsWithDrafts().length > 0)
  const hasDeletions = useDeletions(isDrawn).length > 0
  return hadData || hasDeletions
}

/** True after a newer page opened in this browser, until the reload is offered. */
const isNewerPageOpen = createStore(false)

/** `now`: reloads, at most once a minute. Drafts and unsent messages are restored. `whenever`: offers the reload. */
function onUpdateNeeded(urgency: Urgency) {
  if (urgency === 'whenever') isNewerPageOpen.set(true)
  else if (!reloadOnce()) offerReload()
}

/** Only offered, because a reload could interrupt typing. With `whenever`, the old page continues to work. */
function offerReload(reload = () => location.reload()) {
  isNewerPageOpen.set(false)
  toast('info', libText('updated'), {
    id: 'update',
    isSyncNotice: true,
    description: libText('updatedDetail'),
    durationMs: Number.POSITIVE_INFINITY,
    action: { label: libText('reload'), onClick: reload },
  })
}

/** The frame of every page with a session: sidebar, floating bar and the dialogs of threads. */
function Frame({ children }: { readonly children: ReactNode }) {
  const threadId = useOpenThreadId()
  useShellShortcuts(threadId)
  return (
    <>
      <Shell
        sidebar={
          <SectionErrorBoundary part="sidebar" className="m-2">
            <Sidebar
              userMenu={
                <SectionErrorBoundary part="menu">
                  <UserMenu onNavigate={closeSheet} />
                </SectionErrorBoundary>
              }
            />
          </SectionErrorBoundary>
        }
        bar={
          <SectionErrorBoundary part="bar">
            <FloatingBar />
          </SectionErrorBoundary>
        }
      >
        {children}
      </Shell>
      <SectionErrorBoundary part="temporaryThread" isOverlay>
        <TemporaryThread />
      </SectionErrorBoundary>
      {/* Outside of the shell: an open sheet makes its `main` inert. */}
      <ThreadDialogs />
    </>
  )
}

/**
 * True after the first gesture. Loads the rest of the program and the newest threads while the page is idle, so that they also open without a
 * network. A browser that saves data loads each part when it is needed.
 */
function useWarmUp(): boolean {
  const router = useRouter()
  const [isWarm, setWarm] = useState(false)
  useEffect(
    () =>
      afterFirstGesture(() => {
        setWarm(true)
        if (savesData()) return
        preloadAll()
        // Preloading only: the component that needs a failed chunk loads it again and reports the failure.
        for (const route of Object.values(router.routesById)) router.loadRouteChunk(route)?.catch(() => undefined)
      }),
    [router],
  )
  return isWarm
}

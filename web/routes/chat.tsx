/**
 * A new thread, a new thread in a project, and any thread. One component draws them, so that the first message changes the address to
 * `/{threadId}` without a remount.
 */
import { Outlet, useSearch } from '@tanstack/react-router'
import { useEffect } from 'react'
import { Composer } from '../features/chat/composer/composer.tsx'
import { WaitingWords } from '../features/chat/message/waiting-words.tsx'
import { Greeting, SignInLinks, Starters } from '../features/chat/thread/empty-thread.tsx'
import { TemporaryToggle } from '../features/chat/thread/temporary-thread.tsx'
import { t } from '../features/chat/thread/texts/en.ts'
import { useDraftThread } from '../features/chat/thread/use-draft-thread.ts'
import { useSidebar } from '../features/shell/sidebar-state.ts'
import { cx } from '../lib/cx.ts'
import { lazyPart } from '../lib/lazy-part.ts'
import { clearFoundOutside, lastThread, useOpenProjectId, useOpenThreadId } from '../lib/navigation.ts'
import { usePageTitle } from '../lib/page-head.ts'
import { useConnection } from '../sync/hooks.ts'
import { useProject } from '../sync/organise.ts'
import { SectionErrorBoundary } from '../ui/section-error-boundary.tsx'
import { Delayed } from '../ui/skeleton.tsx'
import { Spinner } from '../ui/spinner.tsx'
import { projectTabs, projectTitle, threadHeader, threadMarks, threadView } from './load-thread-view.ts'

const TemporaryNote = lazyPart(() => import('../features/chat/thread/temporary-note.tsx').then((module) => module.TemporaryNote))
const MissingThread = lazyPart(() => import('../features/shell/missing-thread.tsx').then((module) => module.MissingThread))

export function Chat() {
  const routeThreadId = useOpenThreadId()
  const projectId = useOpenProjectId()
  const { threadId, view, thread } = useDraftThread(routeThreadId, projectId)
  const { isWide, isOpen } = useSidebar()
  const { temporary } = useSearch({ strict: false })
  const project = useProject(projectId)
  const isEmpty = view === 'empty'
  const isHome = isEmpty && !projectId
  const isProjectPage = isEmpty && projectId
  usePageTitle(view === 'thread' ? thread?.title : null)
  useEffect(() => {
    if (!projectId) lastThread.set(routeThreadId)
    clearFoundOutside(routeThreadId)
  }, [routeThreadId, projectId])

  const starters = (
    <SectionErrorBoundary part="suggestions" className="mx-auto w-fit">
      <Starters />
    </SectionErrorBoundary>
  )
  return (
    <>
      <Outlet />
      {isHome && (
        <div className="absolute top-0 right-4 z-6 flex h-(--header-height) items-center gap-2 pt-[env(safe-area-inset-top)] max-sm:gap-1">
          <SectionErrorBoundary part="temporaryThread" isOverlay>
            <TemporaryToggle isOn={temporary === true} />
          </SectionErrorBoundary>
          <SignInLinks />
        </div>
      )}
      {view === 'thread' && (
        <SectionErrorBoundary part="bar" resetKey={threadId} className="mt-(--header-height)">
          <ThreadHeader thread={thread}>{thread && <ThreadMarks thread={thread} />}</ThreadHeader>
        </SectionErrorBoundary>
      )}
      {view === 'not-found' ? (
        <MissingThread threadId={threadId} />
      ) : (
        // The page of a project scrolls with its composer.
        <div
          {...(isProjectPage && { 'data-page-scroller': '' })}
          className={isProjectPage ? 'min-h-0 flex-1 overflow-y-auto [scrollbar-gutter:stable_both-edges]' : 'contents'}
        >
          <SectionErrorBoundary
            part={isHome ? 'greeting' : isProjectPage ? 'page' : 'thread'}
            resetKey={`${view} ${threadId} ${projectId}`}
            className="m-auto"
          >
            {isHome ? (
              <Greeting />
            ) : isProjectPage ? (
              <ProjectTitle projectId={projectId} />
            ) : (
              <ThreadView key={threadId} threadId={threadId} />
            )}
          </SectionErrorBoundary>
          {isHome && !isWide && starters}
          {(!isProjectPage || project) && (
            <SectionErrorBoundary
              part="composer"
              note={t('textSaved')}
              resetKey={threadId}
              className="mx-auto mb-4 w-[calc(100%-2rem)] max-w-reading"
            >
              <Composer
                key={`composer-${threadId}`}
                threadId={threadId}
                parentId={thread?.headId ?? null}
                isNew={isEmpty}
                project={project}
                isCountShown={isWide && isOpen}
              />
            </SectionErrorBoundary>
          )}
          {isHome && temporary === true && <TemporaryNote />}
          {isHome && isWide && (
            // No height of its own: the composer stays where it is when the suggestions disappear.
            <div className={cx('h-0 grow-[1.3]', temporary === true && 'pt-10')}>{starters}</div>
          )}
          {isProjectPage && project && <ProjectTabs project={project} />}
        </div>
      )}
    </>
  )
}

const ThreadHeader = lazyPart(threadHeader)
const ThreadMarks = lazyPart(threadMarks)
const ThreadView = lazyPart(threadView, <Opening />)
const ProjectTitle = lazyPart(projectTitle)
const ProjectTabs = lazyPart(projectTabs)

/** Without a network the chunk cannot load yet, and a message that was sent from an empty page waits too. */
function Opening() {
  const { status } = useConnection()
  return (
    <div className="flex min-h-0 flex-1 items-center justify-center text-xs text-muted-foreground">
      {status === 'offline' ? (
        <p role="status">
          <WaitingWords />
        </p>
      ) : (
        <Delayed label={t('opening')}>
          <Spinner />
        </Delayed>
      )}
    </div>
  )
}

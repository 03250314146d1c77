/**
 * The header of a thread: its project, its title with the menu, and Share. The conversation scrolls under it. While the sidebar is hidden, it
 * also has the buttons of the floating bar. Loads with the first thread.
 */
import { Link } from '@tanstack/react-router'
import { ChevronDown, Share } from 'lucide-react'
import { type ReactNode, useLayoutEffect } from 'react'
import { titleOf } from '../../../worker/contract/display-names.ts'
import { cx } from '../../lib/cx.ts'
import { firstPaintText } from '../../lib/i18n/first-paint-text.ts'
import { useShortcuts } from '../../lib/shortcuts.ts'
import { useThreadProject } from '../../sync/open-thread.ts'
import type { ThreadRow } from '../../sync/rows.ts'
import { Button } from '../../ui/button.tsx'
import { Menu } from '../../ui/menu.tsx'
import { OneLine } from '../../ui/one-line.tsx'
import { ProjectIcon } from '../../ui/project-icon.tsx'
import { tooltip } from '../../ui/tooltip.tsx'
import { hasThreadHeader, NewThreadButton, OpenSidebarButton } from './floating-bar.tsx'
import { useSidebar } from './sidebar-state.ts'
import { t } from './texts/en.ts'
import { sharing, startRenaming, TitleField, useIsRenaming } from './thread-dialogs.tsx'
import { ThreadMenuItems } from './thread-menu.tsx'

type ThreadHeaderProps = {
  /** Undefined while the thread loads. */
  readonly thread: ThreadRow | undefined
  /** Marks of the thread, which belong to another feature. */
  readonly children: ReactNode
}

export function ThreadHeader({ thread, children: marks }: ThreadHeaderProps) {
  const { isWide, isOpen } = useSidebar()
  const isDocked = isWide && isOpen
  const isTemporary = thread?.expiresAt != null
  // On a phone the mark of a temporary thread stands for its title.
  const areMarksCentred = isTemporary && !isWide
  useLayoutEffect(() => {
    hasThreadHeader.set(true)
    return () => hasThreadHeader.set(false)
  }, [])
  return (
    <header
      data-thread-header=""
      className={cx(
        // `data-scrolled` is set by the conversation. The find bar covers a narrow header, and the end of a wide one.
        'absolute inset-x-0 top-0 z-6 grid h-(--header-height) grid-cols-[minmax(max-content,1fr)_minmax(0,auto)_minmax(max-content,1fr)] items-center border-b border-transparent bg-background/86 max-md:gap-x-1 pt-[env(safe-area-inset-top)] backdrop-blur-md md:flex [main:has([data-scrolled])_&]:border-border max-lg:[main:has([data-find])_&]:*:invisible in-[main:has([data-temporary])]:bg-temporary/86 lg:[main:has([data-find])_&]:pr-104',
        isDocked ? 'px-4' : 'px-2 touch:px-3.5',
      )}
    >
      <div className="flex items-center gap-0.5 touch:gap-3">
        {!isDocked && <OpenSidebarButton />}
        {isWide && !isOpen && <NewThreadButton />}
      </div>
      <div className="flex min-w-0 items-center justify-center">
        {areMarksCentred && marks}
        {isWide && <ProjectLink thread={thread} />}
        {thread && !isTemporary ? (
          <h1 className="min-w-0 max-w-[52ch]">
            <Title thread={thread} />
          </h1>
        ) : (
          <h1 className="sr-only">{isTemporary ? t('temporaryThread') : firstPaintText('newThread')}</h1>
        )}
      </div>
      <div className="ml-auto flex shrink-0 items-center gap-1 lg:[main:has([data-find])_&]:hidden touch:gap-3">
        {!areMarksCentred && marks}
        {isWide && thread && !isTemporary && (
          <Button variant="ghost" className="h-8! px-2.5!" onClick={() => sharing.set(thread.id)}>
            <Share aria-hidden="true" className="size-4" />
            {firstPaintText('share')}
          </Button>
        )}
        {!isWide && <NewThreadButton />}
      </div>
    </header>
  )
}

/** The title, which opens the menu of the thread. A double click and F2 rename the thread. */
function Title({ thread }: { readonly thread: ThreadRow }) {
  const project = useThreadProject(thread)
  const isRenaming = useIsRenaming(thread.id, 'header')
  useShortcuts({ rename: () => startRenaming(thread.id, 'header') })
  if (isRenaming) return <TitleField thread={thread} className="w-[52ch] px-2 font-medium" />
  return (
    <Menu
      label={t('thread')}
      trigger={(props) => (
        <button
          {...props}
          type="button"
          {...tooltip(t('threadMenuDescription'), { describes: true })}
          onDoubleClick={() => {
            // The first click opened the menu. The second one may have closed it.
            if (props['aria-expanded']) props.onClick()
            void startRenaming(thread.id, 'header')
          }}
          className={cx(
            'flex h-8 max-w-full min-w-0 touch-target items-center gap-1 rounded-lg px-2 text-sm font-medium hover:bg-foreground/8 aria-expanded:bg-foreground/8',
            project && 'max-md:h-11',
          )}
        >
          <span className="min-w-0">
            {project && (
              // A wide window has a link to it before the title.
              <span className="flex items-center justify-center gap-1 text-xs font-normal text-muted-foreground md:hidden">
                <ProjectIcon icon={project.icon} color={project.color} className="size-3!" />
                <span dir="auto" className="truncate">
                  {project.name}
                </span>
              </span>
            )}
            <OneLine text={titleOf(thread, firstPaintText)} className="max-md:justify-center max-md:text-center" />
          </span>
          <ChevronDown aria-hidden="true" className="size-3.5 shrink-0 text-muted-foreground" />
        </button>
      )}
    >
      <ThreadMenuItems thread={thread} place="header" />
    </Menu>
  )
}

function ProjectLink({ thread }: { readonly thread: ThreadRow | undefined }) {
  const project = useThreadProject(thread)
  if (!project) return null
  return (
    <>
      <Link
        to="/project/$projectId"
        params={{ projectId: project.id }}
        className="flex h-8 min-w-0 touch-target items-center gap-1.5 rounded-lg px-2 text-sm text-muted-foreground hover:bg-foreground/8 hover:text-foreground"
      >
        <ProjectIcon icon={project.icon} color={project.color} />
        <span dir="auto" className="max-w-[20ch] truncate">
          {project.name}
        </span>
      </Link>
      <span aria-hidden="true" className="mx-0.5 text-muted-foreground before:content-['/']" />
    </>
  )
}

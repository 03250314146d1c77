/** The sidebar from top to bottom: product, new thread, search, projects, bookmarks, archive, threads, connection, user. */
import { Link } from '@tanstack/react-router'
import { Archive, Bookmark, ChevronDown, Folders, type LucideIcon, PanelLeft, Plus, Search, SquarePen } from 'lucide-react'
import { type ReactNode, useRef } from 'react'
import { newestProjects } from '../../../worker/contract/threads/projects.ts'
import { withStorage } from '../../lib/browser-storage.ts'
import { cx } from '../../lib/cx.ts'
import { firstPaintText } from '../../lib/i18n/first-paint-text.ts'
import { useOpenNewThread, useOpenThreadId } from '../../lib/navigation.ts'
import { openOverlay } from '../../lib/overlays.ts'
import { productName } from '../../lib/page-head.ts'
import { pageShortcuts } from '../../lib/shortcuts.ts'
import { createStore, useStore } from '../../lib/store.ts'
import { useHeightVariable } from '../../lib/viewport.ts'
import { useProjectIdOf, useSidebarProjects } from '../../sync/organise.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import { chordOf } from '../../ui/kbd.tsx'
import { Logo } from '../../ui/logo.tsx'
import { ProjectIcon } from '../../ui/project-icon.tsx'
import { tooltip } from '../../ui/tooltip.tsx'
import { ConnectionNotice } from './connection-notice.tsx'
import { closeSheet, toggleSidebar } from './sidebar-state.ts'
import { t } from './texts/en.ts'
import { ThreadList } from './thread-list.tsx'

/** `userMenu` is the user menu, which belongs to another feature. */
export function Sidebar({ userMenu }: { readonly userMenu: ReactNode }) {
  const footerRef = useRef<HTMLElement>(null)
  useHeightVariable(footerRef, '--drawer-footer-height')
  return (
    <>
      <header className="flex items-center justify-between pt-[max(0.625rem,env(safe-area-inset-top))] pr-2 pb-2 pl-4">
        <Link
          to="/"
          onClick={closeSheet}
          aria-label={t('home')}
          className="flex touch-target items-center gap-2 rounded-md text-base font-semibold tracking-tight"
        >
          <Logo />
          {productName}
        </Link>
        <IconButton label={t('closeSidebar')} keys={chordOf(pageShortcuts.sidebar)} onClick={toggleSidebar}>
          <PanelLeft />
        </IconButton>
      </header>
      <div className="flex flex-col gap-0.5 px-2 pt-1">
        <NewThreadButton />
        <FindButton />
      </div>
      <ThreadList onNavigate={closeSheet}>
        <div className="flex flex-col gap-0.5 pt-0.5">
          <Projects />
          <SidebarLink to="/bookmarks" icon={Bookmark} name="bookmarks" />
          <SidebarLink to="/archive" icon={Archive} name="archive" />
        </div>
      </ThreadList>
      <footer ref={footerRef} className="border-t px-2 pt-2 pb-[max(0.5rem,env(safe-area-inset-bottom))]">
        <ConnectionNotice />
        {userMenu}
      </footer>
    </>
  )
}

const rowClass =
  'flex h-8 w-full items-center gap-2.5 rounded-lg px-2.5 transition-colors hover:bg-foreground/5 hover:text-foreground touch:h-11'

const activeClass = 'bg-foreground/9 text-foreground! font-medium'

function NewThreadButton() {
  const openNewThread = useOpenNewThread()
  return (
    <button
      type="button"
      onClick={() => {
        closeSheet()
        openNewThread()
      }}
      {...tooltip(chordOf(pageShortcuts.newThread))}
      className={rowClass}
    >
      <SquarePen aria-hidden="true" className="size-4 text-accent" />
      {firstPaintText('newThread')}
    </button>
  )
}

type SidebarLinkProps = {
  readonly to: '/projects' | '/bookmarks' | '/archive'
  readonly icon: LucideIcon
  readonly name: 'projects' | 'bookmarks' | 'archive'
}

function SidebarLink({ to, icon: Icon, name }: SidebarLinkProps) {
  return (
    <Link to={to} onClick={closeSheet} activeProps={{ className: activeClass }} className={cx(rowClass, 'text-muted-foreground')}>
      <Icon aria-hidden="true" className="size-4" />
      {firstPaintText(name)}
    </Link>
  )
}

const listKey = 'parley:projects'
const isListOpen = createStore(withStorage((storage) => storage.getItem(listKey)) !== 'closed')

function toggleList(): void {
  isListOpen.set(!isListOpen.get())
  withStorage((storage) => (isListOpen.get() ? storage.removeItem(listKey) : storage.setItem(listKey, 'closed')))
}

/** A link to all projects, a button for a new one, and the newest ones, which can be hidden. */
function Projects() {
  const newest = newestProjects(useSidebarProjects())
  const isOpen = useStore(isListOpen)
  const threadProjectId = useProjectIdOf(useOpenThreadId())
  return (
    <>
      <div className="group/projects relative">
        <SidebarLink to="/projects" icon={Folders} name="projects" />
        <div className="absolute inset-y-0 right-0.5 flex items-center touch:gap-4 touch:right-2">
          <IconButton
            size="sm"
            label={t('newProject')}
            className="opacity-0 group-focus-within/projects:opacity-100 group-hover/projects:opacity-100 touch:opacity-100"
            onClick={() => {
              closeSheet()
              openOverlay({ projectId: null })
            }}
          >
            <Plus />
          </IconButton>
          {newest.length > 0 && (
            <IconButton
              size="sm"
              label={t('newestProjects')}
              aria-expanded={isOpen}
              className="not-hover:bg-transparent! not-hover:text-muted-foreground!"
              onClick={toggleList}
            >
              <ChevronDown className={cx(!isOpen && '-rotate-90')} />
            </IconButton>
          )}
        </div>
      </div>
      {isOpen && newest.length > 0 && (
        <ul className="flex flex-col gap-0.5">
          {newest.map(({ id, name, icon, color }) => (
            <li key={id}>
              <Link
                to="/project/$projectId"
                params={{ projectId: id }}
                onClick={closeSheet}
                activeProps={{ className: activeClass }}
                // The row of the open thread has the stronger background.
                {...(id === threadProjectId && { 'aria-current': 'true' })}
                className={cx(rowClass, 'pl-9', id === threadProjectId ? 'bg-foreground/5 font-medium' : 'text-muted-foreground')}
              >
                <ProjectIcon icon={icon} color={color} />
                <span dir="auto" className="min-w-0 flex-1 truncate">
                  {name}
                </span>
              </Link>
            </li>
          ))}
        </ul>
      )}
    </>
  )
}

function FindButton() {
  return (
    <button
      type="button"
      onClick={() => {
        closeSheet()
        openOverlay('palette')
      }}
      className={cx(rowClass, 'text-muted-foreground')}
    >
      <Search aria-hidden="true" className="size-4" />
      <span className="flex-1 text-left">{firstPaintText('findAnything')}</span>
      <span aria-hidden="true" className="font-mono text-xs touch:hidden">
        {chordOf(pageShortcuts.palette)}
      </span>
    </button>
  )
}

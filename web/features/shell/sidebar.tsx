/** The sidebar from top to bottom: product, new thread, threads, connection, user. */
import { Link } from '@tanstack/react-router'
import { Archive, Bookmark, Folders, type LucideIcon, PanelLeft, Search, SquarePen } from 'lucide-react'
import { type ReactNode, useRef } from 'react'
import { cx } from '../../lib/cx.ts'
import { firstPaintText } from '../../lib/i18n/first-paint-text.ts'
import { useOpenNewThread } from '../../lib/navigation.ts'
import { openOverlay } from '../../lib/overlays.ts'
import { productName } from '../../lib/page-head.ts'
import { pageShortcuts } from '../../lib/shortcuts.ts'
import { useHeightVariable } from '../../lib/viewport.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import { chordOf } from '../../ui/kbd.tsx'
import { Logo } from '../../ui/logo.tsx'
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
        <SidebarLink to="/projects" icon={Folders} name="projects" />
        <SidebarLink to="/bookmarks" icon={Bookmark} name="bookmarks" />
        <SidebarLink to="/archive" icon={Archive} name="archive" />
      </div>
      <ThreadList onNavigate={closeSheet} />
      <footer ref={footerRef} className="border-t px-2 pt-2 pb-[max(0.5rem,env(safe-area-inset-bottom))]">
        <ConnectionNotice />
        {userMenu}
      </footer>
    </>
  )
}

const rowClass =
  'flex h-8 w-full items-center gap-2.5 rounded-lg px-2.5 transition-colors hover:bg-foreground/5 hover:text-foreground touch:h-11'

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
    <Link
      to={to}
      onClick={closeSheet}
      activeProps={{ className: 'bg-foreground/9 text-foreground font-medium' }}
      className={cx(rowClass, 'text-muted-foreground')}
    >
      <Icon aria-hidden="true" className="size-4" />
      {firstPaintText(name)}
    </Link>
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

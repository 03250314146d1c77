/** What stands in the sidebar, from top to bottom: the product, a new thread, the threads, the connection, the person. */
import { Link, useNavigate } from '@tanstack/react-router'
import { PanelLeft, SquarePen } from 'lucide-react'
import type { ReactNode } from 'react'
import { closeSheet, toggleSidebar } from '../../stores/sidebar.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import { chord } from '../../ui/kbd.tsx'
import { tooltip } from '../../ui/tooltip.tsx'
import { ConnectionNotice } from './connection-notice.tsx'
import { Logo } from './logo.tsx'
import { ThreadList } from './thread-list.tsx'

/** `person` is the user menu, which belongs to another feature. */
export function Sidebar({ person }: { readonly person: ReactNode }) {
  return (
    <>
      <header className="flex items-center justify-between pt-[max(0.625rem,env(safe-area-inset-top))] pr-2 pb-2 pl-4">
        <Link
          to="/"
          onClick={closeSheet}
          aria-label="Parley, home"
          className="flex touch-target items-center gap-2 rounded-md text-[0.9375rem] font-semibold tracking-tight"
        >
          <Logo />
          Parley
        </Link>
        <IconButton label="Close sidebar" keys={chord('Mod', 'B')} onClick={toggleSidebar}>
          <PanelLeft />
        </IconButton>
      </header>
      <div className="px-2 pt-1">
        <NewThreadButton />
      </div>
      <ThreadList onOpen={closeSheet} />
      <footer className="border-t px-2 pt-2 pb-[max(0.5rem,env(safe-area-inset-bottom))]">
        <ConnectionNotice />
        {person}
      </footer>
    </>
  )
}

function NewThreadButton() {
  const navigate = useNavigate()
  return (
    <button
      type="button"
      onClick={() => {
        closeSheet()
        void navigate({ to: '/' })
      }}
      {...tooltip(chord('Mod', 'Shift', 'O'))}
      className="flex h-9 w-full items-center gap-2.5 rounded-lg bg-raised px-2.5 font-medium shadow-composer transition-colors hover:bg-muted touch:h-11"
    >
      <SquarePen aria-hidden="true" className="size-4 text-accent" />
      New thread
    </button>
  )
}

/** The frame of every page with a session: sidebar, floating bar and the dialogs of threads. */
import type { ReactNode } from 'react'
import { UserMenu } from '../features/account/user-menu.tsx'
import { TemporaryThread } from '../features/chat/thread/marks/temporary-thread.tsx'
import { FloatingBar } from '../features/shell/floating-bar.tsx'
import { Moving } from '../features/shell/moving.tsx'
import { Renaming } from '../features/shell/renaming.tsx'
import { Sharing } from '../features/shell/share/sharing.tsx'
import { Shell, useShellShortcuts } from '../features/shell/shell.tsx'
import { Sidebar } from '../features/shell/sidebar.tsx'
import { closeSheet } from '../features/shell/sidebar-state.ts'
import { useOpenThreadId } from '../lib/navigation.ts'
import { PartBoundary } from '../ui/part-boundary.tsx'

export function Frame({ children }: { readonly children: ReactNode }) {
  const threadId = useOpenThreadId()
  useShellShortcuts(threadId)
  return (
    <>
      <Shell
        sidebar={
          <PartBoundary part="sidebar" className="m-2">
            <Sidebar
              userMenu={
                <PartBoundary part="menu">
                  <UserMenu onNavigate={closeSheet} />
                </PartBoundary>
              }
            />
          </PartBoundary>
        }
        bar={
          <PartBoundary part="bar">
            <FloatingBar threadId={threadId} />
          </PartBoundary>
        }
      >
        {children}
      </Shell>
      <TemporaryThread />
      {/* Outside of the shell: an open sheet makes its `main` inert. */}
      <Renaming />
      <PartBoundary part="dialog">
        <Moving />
        <Sharing />
      </PartBoundary>
    </>
  )
}

/** The frame of every page with a session: sidebar, floating bar and the dialogs of threads. */
import type { ReactNode } from 'react'
import { UserMenu } from '../features/account/user-menu.tsx'
import { TemporaryThread } from '../features/chat/thread/marks/temporary-thread.tsx'
import { FloatingBar } from '../features/shell/floating-bar.tsx'
import { Shell, useShellShortcuts } from '../features/shell/shell.tsx'
import { Sidebar } from '../features/shell/sidebar.tsx'
import { closeSheet } from '../features/shell/sidebar-state.ts'
import { ThreadDialogs } from '../features/shell/thread-dialogs.tsx'
import { useOpenThreadId } from '../lib/navigation.ts'
import { SectionErrorBoundary } from '../ui/section-error-boundary.tsx'

export function Frame({ children }: { readonly children: ReactNode }) {
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
            <FloatingBar threadId={threadId} />
          </SectionErrorBoundary>
        }
      >
        {children}
      </Shell>
      <SectionErrorBoundary part="temporaryChat" isOverlay>
        <TemporaryThread />
      </SectionErrorBoundary>
      {/* Outside of the shell: an open sheet makes its `main` inert. */}
      <ThreadDialogs />
    </>
  )
}

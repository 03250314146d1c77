/** The app group: the sidebar beside a thread, a project or the archive. */
import { createFileRoute, Outlet, useParams } from '@tanstack/react-router'
import { UserMenu } from '../../features/account/user-menu.tsx'
import { FloatingBar } from '../../features/shell/floating-bar.tsx'
import { Moving } from '../../features/shell/moving.tsx'
import { Renaming } from '../../features/shell/renaming.tsx'
import { Sharing } from '../../features/shell/share/sharing.tsx'
import { Shell, useShellShortcuts } from '../../features/shell/shell.tsx'
import { Sidebar } from '../../features/shell/sidebar.tsx'
import { closeSheet } from '../../features/shell/sidebar-state.ts'
import { PartBoundary } from '../../ui/part-boundary.tsx'

export const Route = createFileRoute('/_live/_app')({ component: App })

function App() {
  const threadId = useParams({ strict: false, select: (params) => params.threadId })
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
        <Outlet />
      </Shell>
      {/* Outside of the sidebar: everything behind the sidebar's sheet is inert. */}
      <Renaming />
      <PartBoundary part="dialog">
        <Moving />
        <Sharing />
      </PartBoundary>
    </>
  )
}

import { createRootRoute, Outlet } from '@tanstack/react-router'
import { ErrorView } from '../features/shell/error-view.tsx'
import { NotFoundView } from '../features/shell/not-found-view.tsx'
import { Toaster } from '../ui/toaster.tsx'
import { TooltipLayer } from '../ui/tooltip.tsx'

export const Route = createRootRoute({
  component: Root,
  notFoundComponent: () => (
    <main className="flex min-h-dvh flex-col">
      <NotFoundView />
    </main>
  ),
  errorComponent: ({ error, reset }) => (
    <main className="flex min-h-dvh flex-col">
      <ErrorView error={error} onRetry={reset} />
    </main>
  ),
})

function Root() {
  return (
    <>
      <Outlet />
      <TooltipLayer />
      <Toaster />
    </>
  )
}

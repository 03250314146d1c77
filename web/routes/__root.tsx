import { createRootRoute, Outlet } from '@tanstack/react-router'
import { ErrorView, NotFoundView } from '../features/shell/error-view.tsx'
import { pendingCaptcha } from '../lib/captcha.ts'
import { later } from '../lib/later.ts'
import { useStore } from '../lib/store.ts'
import { PartBoundary } from '../ui/part-boundary.tsx'
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

const CaptchaStep = later(() => import('../features/sign-in/captcha-step.tsx').then((module) => module.CaptchaStep))

/** A Turnstile challenge that the server required. */
function CaptchaLayer() {
  const request = useStore(pendingCaptcha)
  return request && <CaptchaStep request={request} />
}

function Root() {
  return (
    <>
      <Outlet />
      <PartBoundary part="securityCheck" isOverlay>
        <CaptchaLayer />
      </PartBoundary>
      <PartBoundary part="tooltip" isOverlay>
        <TooltipLayer />
      </PartBoundary>
      <PartBoundary part="notification" isOverlay>
        <Toaster />
      </PartBoundary>
    </>
  )
}

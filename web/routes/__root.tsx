import { createRootRoute, Outlet } from '@tanstack/react-router'
import { ErrorView, NotFoundView } from '../features/shell/error-view.tsx'
import { pendingCaptcha } from '../lib/captcha.ts'
import { lazyPart } from '../lib/lazy-part.ts'
import { useStore } from '../lib/store.ts'
import { SectionErrorBoundary } from '../ui/section-error-boundary.tsx'
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

const CaptchaStep = lazyPart(() => import('../features/sign-in/captcha-step.tsx').then((module) => module.CaptchaStep))

/** A Turnstile challenge that the server required. */
function CaptchaLayer() {
  const request = useStore(pendingCaptcha)
  return request && <CaptchaStep request={request} />
}

function Root() {
  return (
    <>
      <Outlet />
      <SectionErrorBoundary part="securityCheck" isOverlay>
        <CaptchaLayer />
      </SectionErrorBoundary>
      <SectionErrorBoundary part="tooltip" isOverlay>
        <TooltipLayer />
      </SectionErrorBoundary>
      <SectionErrorBoundary part="notification" isOverlay>
        <Toaster />
      </SectionErrorBoundary>
    </>
  )
}

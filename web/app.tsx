/** The app: requests the session while the code of the first route loads. */
import { createRouter, RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { ErrorView, NotFoundView } from './features/shell/error-view.tsx'
import { currentIdentity } from './lib/browser-session.ts'
import { handleCaughtError } from './lib/caught-errors.ts'
import { replaceFirstPaint } from './lib/first-paint.ts'
import { provideTexts } from './lib/i18n/language.ts'
import { startLanguage } from './lib/i18n/start-language.ts'
import { pageSettings } from './lib/page-settings.ts'
import { routeTree } from './routes/route-tree.tsx'

const router = createRouter({
  routeTree,
  scrollRestoration: true,
  scrollToTopSelectors: ['[data-page-scroller]'],
  defaultPreload: 'intent',
  // Rows come live from the sync client; there is nothing a router cache could refresh.
  defaultStaleTime: Number.POSITIVE_INFINITY,
  defaultOnCatch: handleCaughtError,
  defaultErrorComponent: ({ error, reset }) => <ErrorView error={error} onRetry={reset} />,
  defaultNotFoundComponent: () => <NotFoundView />,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}

/** These pages must not make a new guest. */
const pagesWithoutSession = ['/login', '/magic-link', '/logged-out', '/team/invitation']

// The shell opens with the rows of the last user, if there is one; see `SyncProvider`.
if (!pageSettings.isShell && !pagesWithoutSession.some((path) => location.pathname.startsWith(path))) {
  // A failure is shown by the provider that needs the identity; it asks again.
  currentIdentity().catch(() => undefined)
}

// A held Enter presses once: the first press may have moved the focus to a control that confirms.
window.addEventListener(
  'keydown',
  (event) => {
    if (event.key === 'Enter' && event.repeat && !(event.target instanceof HTMLTextAreaElement)) event.preventDefault()
  },
  { capture: true },
)

const root = document.getElementById('root')
if (!root) throw new Error('index.html has no #root')
const draw = () => {
  replaceFirstPaint(root)
  createRoot(root).render(
    <StrictMode>
      <RouterProvider router={router} />
    </StrictMode>,
  )
}
provideTexts('de', () => import('./german.ts').then(({ german }) => german))
startLanguage(draw)

/** Entry of the page: loads the app once the first paint is visible, so that no script delays it. */
// First: until this has run, another tab can adopt what the previous page of this tab has not sent.
import './lib/previous-page.ts'
// Second: modules that load later use the storage globals.
import './lib/storage-fallback.ts'
import { firstPaintField, untilPainted } from './lib/first-paint.ts'
import { reloadIfOutdated } from './lib/reload-once.ts'

/** Loads the reporter with the first error. */
const report = (error: unknown) =>
  import('./lib/page-error-report.ts').then(
    ({ sendReport }) => sendReport(error),
    () => undefined,
  )
addEventListener('error', ({ error }) => void report(error))
addEventListener('unhandledrejection', ({ reason }) => void report(reason))

await untilPainted()
// A page with a composer needs these, and would request them only after the app has run. Failures are reported there.
if (firstPaintField) import('./sync/provider.tsx').catch(() => undefined)
if (document.documentElement.lang === 'de') import('./german.ts').catch(() => undefined)
await import('./app.tsx').catch((error: unknown) => {
  reloadIfOutdated(error)
  throw error
})

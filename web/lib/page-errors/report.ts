/** Reports errors of the page to the server's log. `send-report.ts` loads with the first error. */
import { reloadIfOutdated } from '../reload-once.ts'

const reportPageError = (error: unknown): void => {
  import('./send-report.ts').then(
    ({ sendReport }) => sendReport(error),
    () => undefined,
  )
}

export function watchPageErrors(): void {
  addEventListener('error', ({ error }) => reportPageError(error))
  addEventListener('unhandledrejection', ({ reason }) => reportPageError(reason))
}

/** For errors that an error boundary has caught, which reach no listener. */
export function handleCaughtError(error: unknown): void {
  reloadIfOutdated(error)
  reportPageError(error)
}

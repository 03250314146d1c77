/** Errors that an error boundary has caught. They reach no listener of the window, so an event of our own brings them to that of `main.ts`. */
import { reloadIfOutdated } from './reload-once.ts'

export function handleCaughtError(error: unknown): void {
  reloadIfOutdated(error)
  dispatchEvent(new ErrorEvent('error', { error }))
}

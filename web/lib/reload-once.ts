/**
 * Reloads for a newer version, at most once a minute: for a moment after a deploy the server may still serve the old page, which would
 * reload again.
 */
import { OutdatedPageError } from './load-chunk.ts'

const key = 'parley:reloaded-at'
const calmMs = 60_000
/** Rejected writes become drafts before the reload. */
const settleMs = 100

type ReloadDeps = {
  /** May throw. */
  readonly storage: () => Pick<Storage, 'getItem' | 'setItem'>
  readonly nowMs: number
  readonly reload: () => void
}

const inBrowser = (): ReloadDeps => ({ storage: () => sessionStorage, nowMs: Date.now(), reload: () => location.reload() })

/** For errors that an error boundary has caught. */
export function reloadIfOutdated(error: unknown): void {
  if (error instanceof OutdatedPageError) reloadOnce()
}

/**
 * False if this tab has reloaded within the last minute, or cannot store that it reloads. The caller then leaves the reload to the user.
 */
export function reloadOnce({ storage, nowMs, reload } = inBrowser()): boolean {
  try {
    const lastMs = Number(storage().getItem(key) ?? Number.NEGATIVE_INFINITY)
    if (nowMs >= lastMs && nowMs - lastMs < calmMs) return false
    storage().setItem(key, String(nowMs))
  } catch {
    return false
  }
  setTimeout(reload, settleMs)
  return true
}

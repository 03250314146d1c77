/**
 * The previous page of this tab. Each page holds a lock with its id until it ends, so that other tabs know which pages are closed. This page
 * also requests the lock of the previous page. Otherwise another tab could adopt the unsent operations of that page before this app has
 * started. `main.ts` imports this file first. A page with a first paint requests the lock even earlier, in its first script
 * (`worker/page/first-paint.ts`).
 */

import { readFromTab, storeInTab } from './browser-storage.ts'

export const lockOf = (page: string): string => `parley:page:${page}`

const previousPageKey = 'parley:previous-page'

/**
 * Null for a new tab. The id is in sessionStorage only between two pages of the tab, so a duplicated tab, which copies sessionStorage, does
 * not adopt from a living page.
 */
export const previousPageId = takePreviousPageId()
if (previousPageId !== null) holdLock(previousPageId)

function takePreviousPageId(): string | null {
  const stored = readFromTab(previousPageKey)
  storeInTab(previousPageKey, null)
  return Array.isArray(stored) && typeof stored[0] === 'string' ? stored[0] : null
}

export const storePreviousPageId = (page: string): void => storeInTab(previousPageKey, [page])

/** The browser releases the lock when this page ends, also after a crash. */
export function holdLock(page: string): void {
  if (!globalThis.navigator || !('locks' in navigator)) return
  // Rejected only while the page is being closed.
  navigator.locks.request(lockOf(page), () => new Promise(() => undefined)).catch(() => undefined)
}

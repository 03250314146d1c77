/**
 * Operations of this page that are still unconfirmed, stored in localStorage by page id. The sync client delivers persisted writes after a
 * reload, but reports the outcome only to the page that made them. When that page is gone, exactly one other page adopts its operations: the
 * next page of the tab, or the first one that opens or becomes visible.
 */

import { idsWithPrefix, removeAll, withStorage } from './browser-storage.ts'
import { createId } from './create-id.ts'
import { holdLock, lockOf, previousPageId, storePreviousPageId } from './previous-page.ts'
import { createStore, type Store } from './store.ts'

type PendingOperations<T extends object> = {
  /**
   * Starts or replaces the operation with this id; the caller waits for its outcome. False when it could not be stored. With
   * `isStored` false it is only in memory.
   */
  readonly add: (id: string, value: T, isStored?: boolean) => boolean
  /** The operation of this page with this id, in flight or orphaned. */
  readonly get: (id: string) => T | undefined
  /** Removes it. With a value, only if that is still the current one. Returns whether it was removed. */
  readonly resolve: (id: string, value?: T) => boolean
  /** Makes it an orphan of this page at once, because the caller will not receive the outcome. */
  readonly abandon: (id: string, value?: T) => void
  /** Removes the operations of all pages, for signing out. */
  readonly clear: () => void
  /** Adopted from closed pages, or abandoned by this page. The order within a page is the order of its `add` calls. */
  readonly orphaned: Store<ReadonlyMap<string, T>>
}

type Stored<T> = { readonly id: string; readonly value: T; readonly pageId: string; readonly storedAtMs: number }

/** Identifies this page load. */
export const pageId = createId()
/** Chosen: a closed page may release its lock after another tab has become visible, on a busy machine seconds later. */
const lockRetryMs = 3000
let isLockRequested = false
/** By this browser's clock, strictly increasing. */
let lastStoredAtMs = 0

globalThis.addEventListener?.('pagehide', () => storePreviousPageId(pageId))

export function createPendingOperations<T extends object>(prefix: string, parse: (value: object) => T | null): PendingOperations<T> {
  const orphaned = createStore<ReadonlyMap<string, T>>(new Map())
  const inFlight = new Map<string, T>()

  const write = (id: string, value: T): boolean => {
    requestPageLock()
    lastStoredAtMs = Math.max(Date.now(), lastStoredAtMs + 1)
    const stored = JSON.stringify({ ...value, pageId, storedAtMs: lastStoredAtMs })
    return withStorage((storage) => storage.setItem(prefix + id, stored) ?? true) ?? false
  }
  const drop = (id: string): void => {
    inFlight.delete(id)
    if (!orphaned.get().has(id)) return
    const others = new Map(orphaned.get())
    others.delete(id)
    orphaned.set(others)
  }
  const get = (id: string): T | undefined => inFlight.get(id) ?? orphaned.get().get(id)
  const isCurrent = (id: string, value: T | undefined): boolean => {
    const current = get(id)
    return current !== undefined && (value === undefined || value === current)
  }
  const read = (id: string): Stored<T> | null => {
    const stored: unknown = withStorage((storage) => JSON.parse(storage.getItem(prefix + id) ?? 'null'))
    if (typeof stored !== 'object' || stored === null || !('pageId' in stored) || typeof stored.pageId !== 'string') return null
    const { pageId: page, storedAtMs, ...rest } = stored as { readonly pageId: string; readonly storedAtMs?: unknown }
    const value = parse(rest)
    return value && { id, value, pageId: page, storedAtMs: typeof storedAtMs === 'number' ? storedAtMs : 0 }
  }
  const readAll = (): readonly Stored<T>[] =>
    // One by one: an unreadable entry must not hide the others.
    idsWithPrefix(prefix).flatMap((id) => read(id) ?? [])
  const adoptFrom = (page: string): void => {
    // Storage is unordered, and a changed step of a plan must be sent before the start of the plan.
    const found = readAll()
      .filter((stored) => stored.pageId === page)
      .sort((a, b) => a.storedAtMs - b.storedAtMs)
    if (found.length === 0) return
    for (const { id, value } of found) {
      // The adopted operation replaces an older one of this page, whose outcome must not resolve it.
      inFlight.delete(id)
      write(id, value)
    }
    orphaned.set(new Map([...orphaned.get(), ...found.map(({ id, value }) => [id, value] as const)]))
  }
  const adoptOrphans = (): void => {
    for (const page of new Set(readAll().map((stored) => stored.pageId))) {
      if (page === previousPageId) adoptFrom(page)
      else if (page !== pageId) void whenClosed(page, () => adoptFrom(page))
    }
  }
  adoptOrphans()
  // When a tab is closed, the browser shows another one.
  globalThis.document?.addEventListener('visibilitychange', () => document.visibilityState === 'visible' && adoptOrphans())

  return {
    orphaned,
    add: (id, value, isStored = true) => {
      drop(id)
      inFlight.set(id, value)
      return !isStored || write(id, value)
    },
    get,
    resolve: (id, value) => {
      if (!isCurrent(id, value)) return false
      drop(id)
      // Another page may have stored an operation under the same id since.
      if (read(id)?.pageId === pageId) withStorage((storage) => storage.removeItem(prefix + id))
      return true
    },
    abandon: (id, value) => {
      const current = inFlight.get(id)
      if (!current || !isCurrent(id, value)) return
      inFlight.delete(id)
      orphaned.set(new Map(orphaned.get()).set(id, current))
    },
    clear: () => {
      inFlight.clear()
      orphaned.set(new Map())
      removeAll(prefix)
    },
  }
}

function requestPageLock(): void {
  if (isLockRequested) return
  isLockRequested = true
  holdLock(pageId)
}

/**
 * Runs `adopt` while holding the page's lock, if the page is closed. It does not queue for the lock: a reload releases it, and the next page of
 * that tab requests it.
 */
async function whenClosed(page: string, adopt: () => void, isRetry = false): Promise<void> {
  if (!('locks' in navigator)) return adopt()
  try {
    await navigator.locks.request(lockOf(page), { ifAvailable: true }, (lock) => {
      if (lock) adopt()
      else if (!isRetry) setTimeout(() => void whenClosed(page, adopt, true), lockRetryMs)
    })
  } catch {
    // A browser that denies locks cannot tell whether the page is open.
    adopt()
  }
}

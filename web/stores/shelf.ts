/**
 * What a page keeps until it has heard what became of it. The sync client delivers what it has written down, also after a reload, but that takes
 * it a second, and the answer is told to nobody but the page that asked. So what a person did is kept by the browser besides, and when its page
 * is gone, however that ended, exactly one other page has it: the next one, or the one that comes to be looked at.
 */
import { createId } from '../lib/create-id.ts'
import { keysBelow, withStorage } from './browser-storage.ts'
import { createStore, type Store } from './store.ts'

export type Shelf<T extends object> = {
  /** The caller hears what becomes of it. Of one id the last counts. */
  readonly keep: (id: string, value: T) => void
  /** What this page has of this id, whoever hears of it. */
  readonly kept: (id: string) => T | undefined
  /** Where a value is given, only if it is still the one that is kept; whether it was. */
  readonly forget: (id: string, value?: T) => boolean
  /** Nobody will hear: it is left at once. */
  readonly leave: (id: string, value?: T) => void
  /** For signing out: the next person must not find what this one was doing. */
  readonly forgetAll: () => void
  /** What pages that are gone have left to this one, and what it has left itself; what one page did, in its order. */
  readonly left: Store<ReadonlyMap<string, T>>
}

type Kept<T> = { readonly id: string; readonly value: T; readonly pageId: string; readonly keptAtMs: number }

/** Of this page, as long as it is open. */
export const pageId = createId()
const lockOf = (page: string): string => `parley:page:${page}`
/** A page that is reloaded lets go a moment after the next one has begun; on a busy machine a long one. */
const letGoMs = 3000
let isHeld = false
/** By this browser's clock, and later for each. */
let lastKeptAtMs = 0

export function createShelf<T extends object>(prefix: string, parse: (value: object) => T | null): Shelf<T> {
  const left = createStore<ReadonlyMap<string, T>>(new Map())
  const heard = new Map<string, T>()

  const write = (id: string, value: T): void => {
    holdPage()
    lastKeptAtMs = Math.max(Date.now(), lastKeptAtMs + 1)
    withStorage((storage) => storage.setItem(prefix + id, JSON.stringify({ ...value, pageId, keptAtMs: lastKeptAtMs })))
  }
  const drop = (id: string): void => {
    heard.delete(id)
    if (!left.get().has(id)) return
    const others = new Map(left.get())
    others.delete(id)
    left.set(others)
  }
  const keptHere = (id: string): T | undefined => heard.get(id) ?? left.get().get(id)
  const isKept = (id: string, value: T | undefined): boolean => {
    const kept = keptHere(id)
    return kept !== undefined && (value === undefined || value === kept)
  }
  const keptAs = (id: string): Kept<T> | null => {
    const kept: unknown = withStorage((storage) => JSON.parse(storage.getItem(prefix + id) ?? 'null'))
    if (typeof kept !== 'object' || kept === null || !('pageId' in kept) || typeof kept.pageId !== 'string') return null
    const { pageId: page, keptAtMs, ...rest } = kept as { readonly pageId: string; readonly keptAtMs?: unknown }
    const value = parse(rest)
    return value && { id, value, pageId: page, keptAtMs: typeof keptAtMs === 'number' ? keptAtMs : 0 }
  }
  const all = (): readonly Kept<T>[] =>
    // One by one: what is not ours to read must not hide the others.
    (withStorage((storage) => keysBelow(storage, prefix)) ?? []).flatMap((key) => keptAs(key.slice(prefix.length)) ?? [])
  const takeFrom = (page: string): void => {
    // Storage has no order of its own: a step that was changed before its plan was started must arrive before the start.
    const found = all()
      .filter((kept) => kept.pageId === page)
      .sort((a, b) => a.keptAtMs - b.keptAtMs)
    if (found.length === 0) return
    for (const { id, value } of found) {
      // What this page did there was before: what becomes of it forgets nothing of this.
      heard.delete(id)
      write(id, value)
    }
    left.set(new Map([...left.get(), ...found.map(({ id, value }) => [id, value] as const)]))
  }
  const look = (): void => {
    for (const page of new Set(all().map((kept) => kept.pageId))) if (page !== pageId) void whenGone(page, () => takeFrom(page))
  }
  look()
  // The tab that is looked at next when another one is closed.
  globalThis.document?.addEventListener('visibilitychange', () => document.visibilityState === 'visible' && look())

  return {
    left,
    keep: (id, value) => {
      drop(id)
      heard.set(id, value)
      write(id, value)
    },
    kept: keptHere,
    forget: (id, value) => {
      if (!isKept(id, value)) return false
      drop(id)
      // Another page may have done the like since.
      if (keptAs(id)?.pageId === pageId) withStorage((storage) => storage.removeItem(prefix + id))
      return true
    },
    leave: (id, value) => {
      const kept = heard.get(id)
      if (!kept || !isKept(id, value)) return
      heard.delete(id)
      left.set(new Map(left.get()).set(id, kept))
    },
    forgetAll: () => {
      heard.clear()
      left.set(new Map())
      withStorage((storage) => {
        for (const key of keysBelow(storage, prefix)) storage.removeItem(key)
      })
    },
  }
}

/** A lock ends with its page, however it ends. */
function holdPage(): void {
  if (isHeld || !('locks' in navigator)) return
  isHeld = true
  // Refused only when the page is on its way out.
  navigator.locks.request(lockOf(pageId), () => new Promise(() => undefined)).catch(() => undefined)
}

/** `take` runs alone of all pages. A page that is still there after a while is left alone. */
async function whenGone(page: string, take: () => void): Promise<void> {
  if (!('locks' in navigator)) return take()
  try {
    await navigator.locks.request(lockOf(page), { signal: AbortSignal.timeout(letGoMs) }, take)
  } catch (error) {
    // A browser that gives no locks has no word of another page either.
    if (!(error instanceof DOMException && error.name === 'TimeoutError')) take()
  }
}

/**
 * The history of a window's bound (SPEC E6): for a client at a version the bound of that version applies. The history is short. If the bound
 * of a client's version is not stored, nothing is known about the client's rows of the window.
 */
import type { WindowBound } from './order.ts'
import type { Version } from './types.ts'

type BoundEntry = readonly [since: Version, bound: WindowBound]

/** Oldest first, never empty. A query without a window has one open entry. */
export type BoundHistory = readonly BoundEntry[]

export function currentBound(history: BoundHistory): WindowBound {
  return history.at(-1)?.[1] ?? null
}

/** The version from which the current bound is valid. */
export function movedAt(history: BoundHistory): Version {
  return history.at(-1)?.[0] ?? 0
}

export function boundAt(history: BoundHistory, version: Version): WindowBound | 'unknown' {
  const entry = history.findLast(([since]) => since <= version)
  return entry === undefined ? 'unknown' : entry[1]
}

export function appendBound(history: BoundHistory, entry: BoundEntry, maxEntries: number): BoundHistory {
  return [...history, entry].slice(-maxEntries)
}

/**
 * The history of a window's edge (SPEC E6): what a client at a version holds is bounded by the edge that was current then.
 * The history is short; an older client whose edge was forgotten is served as if it held everything and nothing.
 */
import type { Edge } from './order.ts'
import type { Version } from './types.ts'

export type EdgeEntry = readonly [since: Version, edge: Edge]

/** Oldest first; never empty. A query without a window has one open entry. */
export type EdgeHistory = readonly EdgeEntry[]

export function edgeNow(history: EdgeHistory): Edge {
  return history.at(-1)?.[1] ?? null
}

/** The version from which the edge of now is valid. */
export function movedAt(history: EdgeHistory): Version {
  return history.at(-1)?.[0] ?? 0
}

export function edgeAt(history: EdgeHistory, version: Version): Edge | 'forgotten' {
  const entry = history.findLast(([since]) => since <= version)
  return entry === undefined ? 'forgotten' : entry[1]
}

export function appendEdge(history: EdgeHistory, entry: EdgeEntry, maxEntries: number): EdgeHistory {
  return [...history, entry].slice(-maxEntries)
}

/**
 * The reading position by history entry: going back restores it, opening a thread starts at its end. Stored as a message and its offset
 * from the top, because a reloaded page has no measured heights.
 */
import { readFromTab, storeInTab } from '../../../lib/browser-storage.ts'

export type ReadingPosition = { readonly id: string; readonly offsetPx: number }

const key = 'parley:places'
/** Chosen: more entries than a user goes back through. */
const maxPositions = 100

const positions = new Map<string, ReadingPosition>(readStored())

/** Null if the view follows the end. */
export function storeReadingPosition(entry: string | undefined, position: ReadingPosition | null): void {
  if (entry === undefined) return
  positions.delete(entry)
  if (position) positions.set(entry, position)
}

export const readingPositionOf = (entry: string | undefined): ReadingPosition | null =>
  entry === undefined ? null : (positions.get(entry) ?? null)

globalThis.addEventListener?.('pagehide', () => storeInTab(key, [...positions].slice(-maxPositions)))

function readStored(): [string, ReadingPosition][] {
  const stored = readFromTab(key)
  return Array.isArray(stored) ? stored.filter(isStoredPosition) : []
}

function isStoredPosition(pair: unknown): pair is [string, ReadingPosition] {
  if (!Array.isArray(pair) || typeof pair[0] !== 'string') return false
  const position = pair[1] as Partial<ReadingPosition> | null
  return typeof position?.id === 'string' && Number.isFinite(position.offsetPx)
}

/**
 * The reading position by history entry: going back restores it, opening a thread starts at its end. Stored as a message and its offset
 * from the top, because a reloaded page has no measured heights.
 */
import { keepInTab, keptInTab } from '../../../lib/browser-storage.ts'

export type Place = { readonly id: string; readonly offsetPx: number }

const key = 'parley:places'
/** Chosen: more entries than a user goes back through. */
const maxPlaces = 100

const places = new Map<string, Place>(readKept())

/** Null if the view follows the end. */
export function keepPlace(entry: string | undefined, place: Place | null): void {
  if (entry === undefined) return
  places.delete(entry)
  if (place) places.set(entry, place)
}

export const placeIn = (entry: string | undefined): Place | null => (entry === undefined ? null : (places.get(entry) ?? null))

globalThis.addEventListener?.('pagehide', () => keepInTab(key, [...places].slice(-maxPlaces)))

function readKept(): [string, Place][] {
  const kept = keptInTab(key)
  return Array.isArray(kept) ? kept.filter(isKept) : []
}

function isKept(pair: unknown): pair is [string, Place] {
  if (!Array.isArray(pair) || typeof pair[0] !== 'string') return false
  const place = pair[1] as Partial<Place> | null
  return typeof place?.id === 'string' && Number.isFinite(place.offsetPx)
}

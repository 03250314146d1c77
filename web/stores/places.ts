/**
 * Where in a thread somebody was, by entry of the history: going back leads there, opening the thread anew to its end. A message and how far
 * from the upper edge it stood, not a number of pixels, because a page that was loaded anew has measured nothing yet.
 */
import { keepInTab, keptInTab } from './tab-storage.ts'

export type Place = { readonly id: string; readonly offsetPx: number }

const key = 'parley:places'
/** Ours: nobody goes back further. */
const maxPlaces = 100

const places = new Map<string, Place>(readKept())

/** Null where the view follows the end. */
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

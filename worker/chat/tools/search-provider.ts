/** Who answers a search: a company, or in development without a key a bundled stand-in that says so. Null: nobody. */
import { canSearch, type Settings } from '../../env.ts'
import type { ReadableText } from './readable-text.ts'
import { searchVendor } from './search-vendor.ts'
import { standIn } from './stand-in-search.ts'

export type FoundPage = {
  readonly title: string
  readonly url: string
  /** YYYY-MM-DD. */
  readonly date: string | null
  readonly snippet: string
}

export type SearchProvider = {
  readonly isStandIn: boolean
  /** Nothing found is an empty list; a search that failed throws a ToolFailure. */
  search(query: string, signal: AbortSignal): Promise<readonly FoundPage[]>
  /** The text of a page that the provider holds itself. */
  heldPage(url: string, signal: AbortSignal): Promise<ReadableText | null>
}

/** Long enough to see what a person sees of a real search. */
const standInDelayMs = 350

export type SearchSettings = Pick<Settings, 'environment' | 'disabledFeatures' | 'search'>

export function connectSearch(settings: SearchSettings, fetchResults: typeof fetch): SearchProvider | null {
  if (settings.search) return searchVendor(settings.search, fetchResults)
  return canSearch(settings) ? standIn(standInDelayMs) : null
}

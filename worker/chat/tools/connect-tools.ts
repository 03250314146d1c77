/** Connects the tools of a turn to the search provider of this deployment. */
import { canSearch, type Settings } from '../../settings.ts'
import { exa } from './exa.ts'
import type { SearchProvider } from './search-provider.ts'
import type { ToolWorld } from './turn-web.ts'

/** Null if search is off. */
export function connectTools(settings: Settings): ToolWorld | null {
  const provider = searchProvider(settings)
  return provider && { provider, mark: `data-${crypto.randomUUID()}` }
}

/** The stand-in in development without a key. Null if search is off. */
function searchProvider(settings: Settings): SearchProvider | null {
  if (settings.search) return exa(settings.search, (input, init) => fetch(input, init))
  return canSearch(settings) ? (settings.standIns?.search ?? null) : null
}

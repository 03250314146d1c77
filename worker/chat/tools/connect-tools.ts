/** What tools reach of the world, as this installation is set up. */
import type { Settings } from '../../env.ts'
import { resolverBy } from './resolve-host.ts'
import { connectSearch } from './search-provider.ts'
import type { ToolWorld } from './turn-web.ts'

/** Null when nobody can search here. */
export function connectTools(settings: Settings): ToolWorld | null {
  const request: typeof fetch = (input, init) => fetch(input, init)
  const provider = connectSearch(settings, request)
  if (!provider) return null
  const ownHost = settings.publicUrl === null ? null : new URL(settings.publicUrl).hostname
  return { provider, network: { fetch: request, resolve: resolverBy(request), ownHost }, mark: `data-${crypto.randomUUID()}` }
}

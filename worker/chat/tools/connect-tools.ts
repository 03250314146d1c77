/** What tools reach of the world, as this installation is set up. */
import type { Settings } from '../../env.ts'
import { resolverBy } from './resolve-host.ts'
import { connectSearch } from './search-provider.ts'
import type { ToolWorld } from './turn-web.ts'

/** Null when nobody can search here. `hosts`: by which names besides the deployment's own the product was reached. */
export function connectTools(settings: Settings, hosts: readonly string[] = []): ToolWorld | null {
  const request: typeof fetch = (input, init) => fetch(input, init)
  const provider = connectSearch(settings, request)
  if (!provider) return null
  const ownHosts = [...(settings.publicUrl === null ? [] : [new URL(settings.publicUrl).hostname]), ...hosts]
  return { provider, network: { fetch: request, resolve: resolverBy(request), ownHosts }, mark: `data-${crypto.randomUUID()}` }
}

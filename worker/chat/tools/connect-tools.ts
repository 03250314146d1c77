/** What tools reach of the world, as this installation is set up. */
import type { Settings } from '../../env.ts'
import type { ConnectionGate } from './connection-gate.ts'
import { resolverBy } from './resolve-host.ts'
import { connectSearch } from './search-provider.ts'
import type { ToolWorld } from './turn-web.ts'

/**
 * Null when nobody can search here. `connections`: of the object, for all that is written in it. `hosts`: by which names besides the
 * deployment's own the product was reached.
 */
export function connectTools(settings: Settings, connections: ConnectionGate, hosts: readonly string[] = []): ToolWorld | null {
  const request: typeof fetch = (input, init) => fetch(input, init)
  const provider = connectSearch(settings, request)
  if (!provider) return null
  const ownHosts = [...(settings.publicUrl === null ? [] : [new URL(settings.publicUrl).hostname]), ...hosts]
  const { publicNetwork } = settings
  const askPage: typeof fetch = publicNetwork ? (input, init) => publicNetwork.fetch(input, init) : request
  const network = { fetch: askPage, resolve: resolverBy(request), ownHosts }
  return { provider, network, connections, mark: `data-${crypto.randomUUID()}` }
}

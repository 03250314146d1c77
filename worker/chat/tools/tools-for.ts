/** The tools that an order asks for, connected to the world as this installation is set up. */
import type { ToolSet } from 'ai'
import type { TurnOrder } from '../../contract/turn.ts'
import type { Settings } from '../../env.ts'
import { resolverBy } from './resolve-host.ts'
import { connectSearch } from './search-provider.ts'
import { turnTools } from './turn-tools.ts'

/** Null: none are asked for. */
export function toolsFor(order: Pick<TurnOrder, 'mode' | 'history' | 'continued'>, settings: Settings): ToolSet | null | 'unavailable' {
  if (order.mode === 'chat') return null
  const request: typeof fetch = (input, init) => fetch(input, init)
  const provider = connectSearch(settings, request)
  if (!provider) return 'unavailable'
  const ownHost = settings.publicUrl === null ? null : new URL(settings.publicUrl).hostname
  return turnTools(order, {
    provider,
    network: { fetch: request, resolve: resolverBy(request), ownHost },
    mark: `data-${crypto.randomUUID()}`,
  })
}

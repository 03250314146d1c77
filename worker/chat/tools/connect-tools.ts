/** Connects the tools of a turn to the search provider of this deployment. */
import { canSearch, type Settings } from '../../env.ts'
import type { ConnectionGate } from './connection-gate.ts'
import { exa } from './exa.ts'
import { standIn } from './stand-in-search.ts'
import type { ToolWorld } from './turn-web.ts'

/** Chosen: long enough to see the states that a real search shows. */
const standInDelayMs = 350

/** Null if search is off. `connections` is shared by all turns of the object. */
export function connectTools(settings: Settings, connections: ConnectionGate): ToolWorld | null {
  if (!canSearch(settings)) return null
  const provider = settings.search ? exa(settings.search, (input, init) => fetch(input, init)) : standIn(standInDelayMs)
  return { provider, connections, mark: `data-${crypto.randomUUID()}` }
}

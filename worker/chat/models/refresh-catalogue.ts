/**
 * Keeps the catalogue true to what this deployment is connected to: what it cannot reach says why, and the models of a server of one's
 * own come and go by themselves. What changes is decided by a pure function and written in one batch, so asking too often changes
 * nothing. Rows reach browsers through the feed, like any other.
 */
import type { RefusalCode } from '../../contract/errors.ts'
import { type CatalogueChange, type CatalogueRow, changeCatalogue, readCatalogue } from '../../db/catalogue.ts'
import { type DatabaseBindings, directoryDb } from '../../db/shards.ts'
import { type Found, findCompatibleModels, findOllamaModels } from './discovery.ts'
import type { ModelConnections } from './language-model.ts'
import { unreached } from './reach.ts'

/** Of one isolate: when it asked last. */
const asked = new WeakMap<object, number>()

/** How many rows changed. `everyMs`: nobody is asked more often than this. */
export async function refreshCatalogue(env: DatabaseBindings, connections: ModelConnections, nowMs: number, everyMs = 0): Promise<number> {
  if ((asked.get(connections) ?? Number.NEGATIVE_INFINITY) > nowMs - everyMs) return 0
  asked.set(connections, nowMs)
  const db = directoryDb(env)
  const rows = await readCatalogue(db)
  const { ollama, compatible } = connections
  const slugsOf = (provider: string) => new Set(rows.filter((row) => row.provider === provider).map(({ slug }) => slug))
  const found = {
    ollama: ollama && (await findOllamaModels(ollama, slugsOf('ollama'))),
    compatible: compatible && (await findCompatibleModels(compatible)),
  }
  const changes = catalogueChanges(rows, connections, found)
  await changeCatalogue(db, changes, nowMs)
  return changes.length
}

type Discovered = 'ollama' | 'compatible'
type FoundModels = { readonly [Provider in Discovered]: Found }

const discovered = {
  ollama: { icon: 'ollama', position: 1202, description: 'Installed on the Ollama that this installation is connected to.' },
  compatible: { icon: 'compatible', position: 1401, description: 'Served by the server that this installation is connected to.' },
} as const

const idFor = (provider: Discovered, slug: string): string => `${provider}:${slug}`

/** What must change so that the rows say what is so. Rows of a migration are marked; rows that were found come and go. */
export function catalogueChanges(
  rows: readonly CatalogueRow[],
  connections: ModelConnections,
  found: FoundModels,
): readonly CatalogueChange[] {
  const changes: CatalogueChange[] = []
  for (const row of rows) {
    const { id, provider, unavailable } = row
    // What a migration took out of use is nobody's to bring back.
    if (unavailable === 'model_retired') continue
    const reason = reasonFor(row, connections, found)
    const isGone =
      wasFound(row) && (reason === 'model_not_connected' || reason === 'model_not_installed' || !hasServer(provider, connections))
    if (isGone) changes.push({ type: 'remove', id })
    else if (reason !== unavailable) changes.push({ type: 'mark', id, unavailable: reason })
  }
  for (const provider of ['ollama', 'compatible'] as const) {
    const known = new Set(rows.filter((row) => row.provider === provider).map(({ slug }) => slug))
    const { icon, position, description } = discovered[provider]
    for (const { slug, capabilities } of found[provider] ?? []) {
      if (known.has(slug)) continue
      known.add(slug)
      const model = { id: idFor(provider, slug), name: slug, slug, provider, description, capabilities, icon, position }
      changes.push({ type: 'add', model })
    }
  }
  return changes
}

const isDiscovered = (provider: string): provider is Discovered => Object.hasOwn(discovered, provider)

const hasServer = (provider: string, connections: ModelConnections): boolean => !isDiscovered(provider) || connections[provider] !== null

/** Its id says that no migration made it. */
const wasFound = ({ id, provider }: CatalogueRow): boolean => id.startsWith(`${provider}:`)

function reasonFor(row: CatalogueRow, connections: ModelConnections, found: FoundModels): RefusalCode | null {
  const { slug, provider } = row
  const reason = unreached(connections, provider)
  const server = serverOf(provider, connections)
  if (reason || server === null || connections[server] === null) return reason
  // What a server of the OpenAI protocol does not list may be there all the same.
  if (provider === 'compatible' && !wasFound(row)) return null
  const models = found[server]
  // One in the gateway's place may not say what it has, and answer all the same: trying it tells.
  if (models === null) return isDiscovered(provider) ? 'model_unreachable_now' : null
  return models.some((model) => model.slug === slug) ? null : 'model_not_installed'
}

/** The server that says which models it has. One that stands in for the gateway seldom has all that the gateway has. */
function serverOf(provider: string, { gateway }: ModelConnections): Discovered | null {
  if (isDiscovered(provider)) return provider
  return provider === 'gateway' && gateway === null ? 'compatible' : null
}

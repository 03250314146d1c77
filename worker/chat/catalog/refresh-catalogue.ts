/**
 * Updates the catalogue to the connected providers: unreachable models get a reason, and models of connected servers are added and removed.
 * A pure function computes the changes, and one batch writes them, so a repeated refresh changes nothing.
 */
import type { RefusalCode } from '../../contract/errors.ts'
import type { Access } from '../../contract/models/model-table.ts'
import {
  type CatalogueChange,
  type CatalogueRow,
  changeCatalogue,
  isSameListing,
  type ModelListing,
  readCatalogue,
} from '../../db/catalogue.ts'
import { type DatabaseBindings, directoryDb } from '../../db/shards.ts'
import type { Settings } from '../../settings.ts'
import type { ModelConnections } from '../model/providers.ts'
import { type Found, type FoundModel, findCompatibleModels, findOllamaModels, listOpenRouter, pickOpenRouter } from './discovery.ts'
import type { ListedModel } from './listed-models.ts'
import { workersAiModels } from './workers-ai-models.ts'

type Refreshable = ModelConnections & Pick<Settings, 'foundAccess'>

/** The last refresh of this isolate. It holds no promise, because in a Worker a request must not await I/O of another request. */
type LastRefresh = {
  readonly startedAtMs: number
  isRunning: boolean
  /** Users who asked while it ran. The request that runs it notifies them too. */
  readonly userIds: Set<string>
}
const lastRefreshes = new WeakMap<object, LastRefresh>()

/** `changes`: the number of changed rows. `userIds`: the users who asked for this refresh; empty when another request runs it. */
type Refreshed = { readonly changes: number; readonly userIds: readonly string[] }

/**
 * Refreshes unless a refresh started within `everyMs`; then it resolves at once with no changes. If that refresh is still running, its own
 * caller receives `userIds` as well.
 */
export async function refreshCatalogue(
  env: DatabaseBindings,
  settings: Refreshable,
  nowMs: number,
  { everyMs = 0, userIds = [] }: { readonly everyMs?: number; readonly userIds?: readonly string[] } = {},
): Promise<Refreshed> {
  const last = lastRefreshes.get(settings)
  if (last && last.startedAtMs > nowMs - everyMs) {
    if (last.isRunning) for (const userId of userIds) last.userIds.add(userId)
    return { changes: 0, userIds: [] }
  }
  const current: LastRefresh = { startedAtMs: nowMs, isRunning: true, userIds: new Set(userIds) }
  lastRefreshes.set(settings, current)
  try {
    const changes = await refresh(env, settings, nowMs)
    return { changes, userIds: [...current.userIds] }
  } finally {
    current.isRunning = false
  }
}

async function refresh(env: DatabaseBindings, settings: Refreshable, nowMs: number): Promise<number> {
  const db = directoryDb(env)
  const rows = await readCatalogue(db)
  const { ollama, compatible, openrouter, workersAi } = settings
  const slugsOf = (matches: (row: CatalogueRow) => boolean) => new Set(rows.filter(matches).map(({ slug }) => slug))
  const [listed, ofOllama, ofCompatible] = await Promise.all([
    openrouter && listedByOpenRouter(openrouter, nowMs),
    ollama &&
      findOllamaModels(
        ollama,
        slugsOf(({ provider }) => provider === 'ollama'),
      ),
    compatible &&
      findCompatibleModels(
        compatible,
        slugsOf(({ provider }) => provider === 'compatible'),
      ),
  ])
  const found = {
    ollama: ofOllama,
    compatible: ofCompatible,
    openrouter:
      listed &&
      pickOpenRouter(listed, {
        elsewhere: slugsOf(({ provider }) => provider === 'gateway'),
        known: slugsOf(({ provider }) => provider === 'openrouter'),
      }),
    'workers-ai': workersAi && workersAiModels,
  }
  const changes = catalogueChanges(rows, settings, found, settings.foundAccess)
  await changeCatalogue(db, changes, nowMs)
  return changes.length
}

type OpenRouter = NonNullable<ModelConnections['openrouter']>

/** Chosen: lists of models change about once a week. */
const openRouterEveryMs = 15 * 60_000
const lists = new WeakMap<OpenRouter, { readonly atMs: number; readonly models: readonly ListedModel[] }>()

async function listedByOpenRouter(openrouter: OpenRouter, nowMs: number): Promise<readonly ListedModel[] | null> {
  const last = lists.get(openrouter)
  if (last && last.atMs > nowMs - openRouterEveryMs) return last.models
  const models = await listOpenRouter(openrouter)
  if (models) lists.set(openrouter, { atMs: nowMs, models })
  return models
}

type Discovered = 'openrouter' | 'ollama' | 'compatible' | 'workers-ai'
type FoundModels = { readonly [Provider in Discovered]: Found }

/**
 * `description` is for models whose list has none. `isRanked`: the list is in the order of the picker, and its first model is the default if nothing
 * else is connected.
 */
type Source = { readonly position: number; readonly icon: string; readonly description?: string; readonly isRanked?: true }

const discovered: { readonly [Provider in Discovered]: Source } = {
  openrouter: { position: 1102, icon: 'openrouter', description: 'By way of OpenRouter.' },
  ollama: { position: 1202, icon: 'ollama', description: 'Installed on the Ollama that this installation is connected to.' },
  compatible: { position: 1401, icon: 'compatible', description: 'Served by the server that this installation is connected to.' },
  'workers-ai': { position: 1250, icon: 'cloudflare', isRanked: true },
}

/** The access of catalogue rows whose model a connected server may list, too. Both rows have the same. */
const fixedAccess: { readonly [id: string]: Access } = { 'openrouter-auto': 'account_required', 'ollama-llama': 'public' }

const idFor = (provider: Discovered, slug: string): string => `${provider}:${slug}`

/**
 * Computes the changes. Rows of connected servers are added, updated and removed. Rows of a migration are only marked as available or not, and
 * those of Workers AI get current prices and limits. `minAccess`: the least access that a model of a server requires.
 */
export function catalogueChanges(
  rows: readonly CatalogueRow[],
  connections: ModelConnections,
  found: FoundModels,
  minAccess: Access = 'public',
): readonly CatalogueChange[] {
  const changes: CatalogueChange[] = []
  for (const row of rows) {
    const { id, provider, unavailable } = row
    // A model that a migration retired stays retired.
    if (unavailable === 'model_retired') continue
    const reason = reasonFor(row, connections, found)
    const isRemoved =
      wasFound(row) && (reason === 'model_not_connected' || reason === 'model_not_installed' || !hasServer(provider, connections))
    if (isRemoved) {
      changes.push({ type: 'remove', id })
      continue
    }
    if (reason !== unavailable) changes.push({ type: 'mark', id, unavailable: reason })
    const listing = currentListing(row, found, minAccess)
    if (!isSameListing(listing, row.listing)) changes.push({ type: 'update', id, listing })
  }
  for (const provider of Object.keys(discovered) as Discovered[]) {
    const known = new Set(rows.filter((row) => row.provider === provider).map(({ slug }) => slug))
    const { icon, isRanked } = discovered[provider]
    for (const [index, { slug, details }] of (found[provider] ?? []).entries()) {
      if (known.has(slug) || details === null) continue
      known.add(slug)
      const position = discovered[provider].position + (isRanked ? index : 0)
      const listing = newListing(provider, { slug, details }, minAccess)
      changes.push({ type: 'add', model: { id: idFor(provider, slug), slug, provider, icon, position, listing } })
    }
  }
  return changes
}

type DetailedModel = { readonly slug: string; readonly details: NonNullable<FoundModel['details']> }

/** Without a temperature, because no list names the models that reject it. */
function newListing(provider: Discovered, { slug, details }: DetailedModel, minAccess: Access): ModelListing {
  const { name, capabilities, effort, prices, contextTokens, maxOutputTokens } = details
  return {
    name: name ?? slug,
    description: details.description ?? discovered[provider].description ?? '',
    capabilities,
    effort,
    ...pricingFor(prices, minAccess),
    inputMicroDollarsPerMillionTokens: prices?.input ?? null,
    cachedInputMicroDollarsPerMillionTokens: prices?.cachedInput ?? null,
    outputMicroDollarsPerMillionTokens: prices?.output ?? null,
    contextTokens,
    maxOutputTokens,
    temperature: null,
  }
}

function currentListing(row: CatalogueRow, found: FoundModels, minAccess: Access): ModelListing {
  const { id, provider, slug, listing } = row
  const own = fixedAccess[id]
  if (own) return { ...listing, access: stricter(own, minAccess) }
  if (!isDiscovered(provider)) return listing
  const details = found[provider]?.find((model) => model.slug === slug)?.details
  if (!wasFound(row)) return provider === 'workers-ai' && details ? withFigures(listing, details, minAccess) : listing
  return details
    ? newListing(provider, { slug, details }, minAccess)
    : { ...listing, access: stricter(listing.access ?? 'public', minAccess), temperature: null }
}

/** A row of a migration keeps its name and description. Its prices and limits are those of the current list. */
const withFigures = (listing: ModelListing, details: DetailedModel['details'], minAccess: Access): ModelListing => ({
  ...newListing('workers-ai', { slug: '', details }, minAccess),
  name: listing.name,
  description: listing.description,
  temperature: listing.temperature,
})

const isDiscovered = (provider: string): provider is Discovered => Object.hasOwn(discovered, provider)

const hasServer = (provider: string, connections: ModelConnections): boolean =>
  !isDiscovered(provider) || connectionOf(provider, connections) !== null

const connectionOf = (provider: Discovered, connections: ModelConnections): unknown =>
  connections[provider === 'workers-ai' ? 'workersAi' : provider]

/** True for rows of connected servers, by their id. */
const wasFound = ({ id, provider }: CatalogueRow): boolean => id.startsWith(`${provider}:`)

function reasonFor(row: CatalogueRow, connections: ModelConnections, found: FoundModels): RefusalCode | null {
  const { slug, provider } = row
  const reason = unreached(connections, provider)
  const server = serverOf(provider, connections)
  if (reason || server === null || connectionOf(server, connections) === null) return reason
  // A server of the OpenAI protocol may serve models that it does not list.
  if ((provider === 'compatible' || provider === 'openrouter') && !wasFound(row)) return null
  const models = found[server]
  // A server in the gateway's place may have no list, and OpenRouter's may be late. The models are tried anyway.
  if (models === null) return provider === 'ollama' || provider === 'compatible' ? 'model_unreachable_now' : null
  return models.some((model) => model.slug === slug) ? null : 'model_not_installed'
}

/** The server that lists its models. A server in the gateway's place seldom has all models of the gateway. */
function serverOf(provider: string, { gateway }: ModelConnections): Discovered | null {
  if (isDiscovered(provider)) return provider
  return provider === 'gateway' && gateway === null ? 'compatible' : null
}

type Terms = { readonly credits: number; readonly access: Access }

/**
 * Credits and access of models of connected servers, similar to the rows of the migrations. FOUND_MODELS_ACCESS may restrict this further.
 * By the higher of the input and output price, in micro-dollars per million tokens. The last entry has no limit.
 */
const byPrice: readonly (Terms & { readonly upTo: number })[] = [
  { upTo: 2_500_000, credits: 1, access: 'public' },
  { upTo: 5_000_000, credits: 1, access: 'account_required' },
  { upTo: 10_000_000, credits: 2, access: 'account_required' },
  { upTo: 15_000_000, credits: 5, access: 'premium_required' },
  { upTo: 30_000_000, credits: 8, access: 'premium_required' },
  { upTo: Number.POSITIVE_INFINITY, credits: 20, access: 'premium_required' },
]

/** A message costs one credit, and all users may use the model. */
const withoutPrice: Terms = { credits: 1, access: 'public' }

export function pricingFor(prices: ListedModel['prices'], minAccess: Access): Terms {
  const price = prices && Math.max(prices.input, prices.output)
  const { credits, access } = byPrice.find(({ upTo }) => price !== null && price <= upTo) ?? withoutPrice
  return { credits, access: stricter(access, minAccess) }
}

const strictness = ['public', 'account_required', 'premium_required'] as const satisfies readonly Access[]

const stricter = (a: Access, b: Access): Access => (strictness.indexOf(a) > strictness.indexOf(b) ? a : b)

/** In development, the demo model replaces models that are not connected. */
function unreached(connections: ModelConnections, provider: string): RefusalCode | null {
  const { standIns, gateway, openrouter, ollama, compatible, workersAi } = connections
  if (standIns !== null) return null
  const isConnected: { readonly [provider: string]: boolean } = {
    gateway: gateway !== null || compatible !== null,
    openrouter: openrouter !== null,
    ollama: ollama !== null,
    compatible: compatible !== null,
    'workers-ai': workersAi !== null,
  }
  return isConnected[provider] ? null : 'model_not_connected'
}

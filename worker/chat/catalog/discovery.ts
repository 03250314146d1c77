/**
 * Lists the models of connected servers: Ollama through its own protocol, OpenRouter and others through the list of the OpenAI protocol. Every
 * response is parsed and bounded in size and time, so that a server that is down delays nothing else.
 */
import { z } from 'zod'
import type { Capability } from '../../contract/files/files.ts'
import { boundedJson } from '../../lib/bounded-body.ts'
import type { ModelConnections } from '../model/providers.ts'
import { isNamedLikeChatModel, type ListedModel, modelList, readableEntries, slugSchema } from './listed-models.ts'

/**
 * `details` is null if the details could not be read. An existing row of the model then stays, and the next refresh asks again. Without a
 * `description`, the row says which server the model is from.
 */
export type FoundModel = {
  readonly slug: string
  readonly details: (Omit<ListedModel, 'slug'> & { readonly description?: string }) | null
}

/** Null: the server did not answer. */
export type Found = readonly FoundModel[] | null

const answerWithinMs = 3000
/** OpenRouter's names of the makers in the catalogue. Only their models are offered from its list. */
export const openRouterMakers: readonly string[] = [
  ...['openai', 'anthropic', 'google', 'x-ai', 'deepseek', 'meta-llama', 'mistralai', 'qwen', 'moonshotai', 'z-ai'],
]
/** The number of newest models of each maker. */
const newestOfMaker = 5

/** Chosen: a list that a user can still scroll through. */
const maxModels = 100
/** Chosen: a list of hundreds of models has a few hundred KB; OpenRouter's has a paragraph for each. */
const maxAnswerBytes = 1_000_000
const maxOpenRouterBytes = 4_000_000

const unknownDetails = {
  ...{ name: null, capabilities: [], effort: null, prices: null, contextTokens: null, maxOutputTokens: null, createdAtS: 0 },
} as const

/** Merges repeated names. Models with rows come before others. */
function bounded(slugs: readonly string[], known: ReadonlySet<string>): readonly string[] {
  const rank = (slug: string) => (known.has(slug) ? 0 : 1)
  return [...new Set(slugs)].sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1)).slice(0, maxModels)
}

const tags = z.object({
  models: readableEntries(z.object({ name: slugSchema, digest: z.string().optional().catch(undefined) })),
})
const shown = z.object({ capabilities: z.array(z.string()).optional() })

type Ollama = NonNullable<ModelConnections['ollama']>
/** Capabilities by digest, for this isolate. A model that is installed again under its old name has another digest. */
const capabilitiesByDigest = new WeakMap<Ollama, Map<string, readonly string[]>>()

/** `known`: slugs with rows. */
export async function findOllamaModels(ollama: Ollama, known: ReadonlySet<string>, withinMs = answerWithinMs): Promise<Found> {
  const root = ollama.url.replace(/\/v1$/, '')
  const answer = tags.safeParse(await fetchJson(`${root}/api/tags`, { withinMs }))
  if (!answer.success) return null
  const digests = new Map(answer.data.models.map(({ name, digest }) => [name.replace(/:latest$/, ''), digest]))
  const cached = capabilitiesByDigest.get(ollama) ?? new Map<string, readonly string[]>()
  capabilitiesByDigest.set(ollama, cached)
  const wordsOf = async (model: string): Promise<readonly string[] | null> => {
    const digest = digests.get(model)
    const before = digest === undefined ? undefined : cached.get(digest)
    if (before) return before
    const details = shown.safeParse(await fetchJson(`${root}/api/show`, { withinMs, body: { model } }))
    if (!details.success) return null
    // Older versions of Ollama list no capabilities; their models can chat.
    const words = details.data.capabilities ?? ['completion']
    if (digest !== undefined) cached.set(digest, words)
    return words
  }
  const found = await Promise.all(
    bounded([...digests.keys()], known).map(async (slug): Promise<readonly FoundModel[]> => {
      const words = await wordsOf(slug)
      if (words === null) return known.has(slug) ? [{ slug, details: null }] : []
      return words.includes('completion') ? [{ slug, details: { ...unknownDetails, capabilities: capabilitiesOf(words) } }] : []
    }),
  )
  return found.flat()
}

const ollamaWords = { tools: 'tools', thinking: 'reasoning', vision: 'vision' } as const satisfies { [word: string]: Capability }

const capabilitiesOf = (words: readonly string[]): Capability[] =>
  Object.entries(ollamaWords).flatMap(([word, capability]) => (words.includes(word) ? [capability] : []))

/** A configured list is used as it is, with the details of the server's own list for its models. */
export async function findCompatibleModels(
  { url, apiKey, models, capabilities = [] }: NonNullable<ModelConnections['compatible']>,
  known: ReadonlySet<string>,
): Promise<Found> {
  const answer = modelList.safeParse(await fetchJson(`${url}/models`, { apiKey }))
  const withOwn = (details: typeof unknownDetails | Omit<ListedModel, 'slug'>): Omit<ListedModel, 'slug'> =>
    details.capabilities.length === 0 ? { ...details, capabilities } : details
  const listed = new Map((answer.data ?? []).map(({ slug, ...details }) => [slug, withOwn(details)]))
  const configured = models?.flatMap((model) => slugSchema.safeParse(model).data ?? [])
  if (!configured && !answer.success) return null
  const unlisted = (slug: string) => (answer.success || !known.has(slug) ? withOwn(unknownDetails) : null)
  return (configured ?? bounded([...listed.keys()], known)).map((slug) => ({ slug, details: listed.get(slug) ?? unlisted(slug) }))
}

/** Null: no answer. OpenRouter's list is public and needs no key. */
export async function listOpenRouter({ url }: NonNullable<ModelConnections['openrouter']>): Promise<readonly ListedModel[] | null> {
  return modelList.safeParse(await fetchJson(`${url}/models`, { maxBytes: maxOpenRouterBytes })).data ?? null
}

/**
 * Selects from hundreds of models: the newest of each maker in the catalogue, then models that the catalogue has through another connection,
 * then models with rows. Routers, which have no price, and variants without an own name are left out.
 */
export function pickOpenRouter(
  listed: readonly ListedModel[],
  { elsewhere, known }: { readonly elsewhere: ReadonlySet<string>; readonly known: ReadonlySet<string> },
): readonly FoundModel[] {
  const offered = listed
    .filter(({ slug, prices }) => prices !== null && !slug.includes(':') && isNamedLikeChatModel(slug))
    .sort((a, b) => b.createdAtS - a.createdAtS || (a.slug < b.slug ? -1 : 1))
  const ofMaker = Map.groupBy(offered, ({ slug }) => slug.split('/', 1)[0] ?? '')
  const newest = openRouterMakers.flatMap((maker) => ofMaker.get(maker)?.slice(0, newestOfMaker) ?? [])
  const picked = new Set([
    ...newest,
    ...offered.filter(({ slug }) => elsewhere.has(slug)),
    ...offered.filter(({ slug }) => known.has(slug)),
  ])
  return [...picked].slice(0, maxModels).map(({ slug, ...details }) => ({ slug, details }))
}

type FetchOptions = {
  readonly withinMs?: number
  readonly body?: object
  readonly apiKey?: string | null
  readonly maxBytes?: number
}

/** Null without a JSON response in time. The request is repeated once for a server that is loading a model. */
async function fetchJson(
  url: string,
  { withinMs = answerWithinMs, body, apiKey, maxBytes = maxAnswerBytes }: FetchOptions,
): Promise<unknown> {
  for (let isLast = false; ; isLast = true) {
    try {
      const response = await fetch(url, {
        ...(body ? { method: 'POST', body: JSON.stringify(body) } : {}),
        headers: { 'content-type': 'application/json', ...(apiKey ? { authorization: `Bearer ${apiKey}` } : {}) },
        redirect: 'manual',
        signal: AbortSignal.timeout(withinMs),
      })
      if (response.ok) return await boundedJson(response, maxBytes)
      await response.body?.cancel()
      return null
    } catch (error) {
      const isLate = error instanceof Error && error.name === 'TimeoutError'
      if (!isLate || isLast) return null
    }
  }
}

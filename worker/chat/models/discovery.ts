/**
 * Which models a connected server has: Ollama says it in its own protocol, with what each can do; OpenRouter and anything else that speaks
 * OpenAI's has a list. Every answer is parsed, bounded and short: a server that is down must not hold up anything else.
 */
import { z } from 'zod'
import type { Capability } from '../../contract/schema.ts'
import { boundedJson } from '../../lib/bounded-body.ts'
import { newestOfMaker, openRouterMakers } from './found-terms.ts'
import type { ModelConnections } from './language-model.ts'
import { fitting, isNamedForConversations, type ListedModel, modelList, slugSchema } from './listed-models.ts'

/** `says` is null for one whose details could not be read: it is asked again, and a row that it has already stays as it is. */
export type FoundModel = { readonly slug: string; readonly says: Omit<ListedModel, 'slug'> | null }

/** Null: the server could not be asked. */
export type Found = readonly FoundModel[] | null

const answerWithinMs = 3000
/** Ours: more than anybody scrolls through. */
const maxModels = 100
/** Ours: what is said about one model, or about hundreds in a list, takes a few hundred KB; OpenRouter writes a paragraph about each. */
const maxAnswerBytes = 1_000_000
const maxOpenRouterBytes = 4_000_000

const nothing = { name: null, capabilities: [], effort: null, prices: null, createdAtS: 0 } as const

/** A name that a server has twice is one model. Those that have rows already stay in it, whatever the server's order is today. */
function bounded(slugs: readonly string[], known: ReadonlySet<string>): readonly string[] {
  const rank = (slug: string) => (known.has(slug) ? 0 : 1)
  return [...new Set(slugs)].sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1)).slice(0, maxModels)
}

const tags = z.object({
  models: fitting(z.object({ name: slugSchema, digest: z.string().optional().catch(undefined) })),
})
const shown = z.object({ capabilities: z.array(z.string()).optional() })

type Ollama = NonNullable<ModelConnections['ollama']>
/** Of one isolate: what models of these digests can do. What is installed anew under an old name has another one. */
const toldBy = new WeakMap<Ollama, Map<string, readonly string[]>>()

/** `known`: slugs that have rows. */
export async function findOllamaModels(ollama: Ollama, known: ReadonlySet<string>, withinMs = answerWithinMs): Promise<Found> {
  const root = ollama.url.replace(/\/v1$/, '')
  const answer = tags.safeParse(await ask(`${root}/api/tags`, { withinMs }))
  if (!answer.success) return null
  const digests = new Map(answer.data.models.map(({ name, digest }) => [name.replace(/:latest$/, ''), digest]))
  const told = toldBy.get(ollama) ?? new Map<string, readonly string[]>()
  toldBy.set(ollama, told)
  const wordsOf = async (model: string): Promise<readonly string[] | null> => {
    const digest = digests.get(model)
    const before = digest === undefined ? undefined : told.get(digest)
    if (before) return before
    const details = shown.safeParse(await ask(`${root}/api/show`, { withinMs, body: { model } }))
    if (!details.success) return null
    // One that is older than these words says none of them, and has conversations like any other.
    const words = details.data.capabilities ?? ['completion']
    if (digest !== undefined) told.set(digest, words)
    return words
  }
  const found = await Promise.all(
    bounded([...digests.keys()], known).map(async (slug): Promise<readonly FoundModel[]> => {
      const words = await wordsOf(slug)
      if (words === null) return known.has(slug) ? [{ slug, says: null }] : []
      return words.includes('completion') ? [{ slug, says: { ...nothing, capabilities: capabilitiesOf(words) } }] : []
    }),
  )
  return found.flat()
}

const ollamaWords = { tools: 'tools', thinking: 'reasoning', vision: 'vision' } as const satisfies { [word: string]: Capability }

const capabilitiesOf = (words: readonly string[]): Capability[] =>
  Object.entries(ollamaWords).flatMap(([word, capability]) => (words.includes(word) ? [capability] : []))

/** A list by hand is taken as it is, and what the server's own list says of the models in it is taken with it. */
export async function findCompatibleModels(
  { url, apiKey, models }: NonNullable<ModelConnections['compatible']>,
  known: ReadonlySet<string>,
): Promise<Found> {
  const answer = modelList.safeParse(await ask(`${url}/models`, { apiKey }))
  const listed = new Map((answer.data ?? []).map(({ slug, ...says }) => [slug, says]))
  const byHand = models?.flatMap((model) => slugSchema.safeParse(model).data ?? [])
  if (!byHand && !answer.success) return null
  const unlisted = (slug: string) => (answer.success || !known.has(slug) ? nothing : null)
  return (byHand ?? bounded([...listed.keys()], known)).map((slug) => ({ slug, says: listed.get(slug) ?? unlisted(slug) }))
}

/** Null: it could not be asked. Its list is public and long, and needs no key. */
export async function listOpenRouter({ url }: NonNullable<ModelConnections['openrouter']>): Promise<readonly ListedModel[] | null> {
  return modelList.safeParse(await ask(`${url}/models`, { maxBytes: maxOpenRouterBytes })).data ?? null
}

/**
 * Of hundreds, what somebody is likely to look for: the newest of each of our makers, then those that the catalogue has by another
 * connection, then those that were found before. Routers have no price and variants of a model no name of their own; both are left out.
 */
export function pickOpenRouter(
  listed: readonly ListedModel[],
  { elsewhere, known }: { readonly elsewhere: ReadonlySet<string>; readonly known: ReadonlySet<string> },
): readonly FoundModel[] {
  const offered = listed
    .filter(({ slug, prices }) => prices !== null && !slug.includes(':') && isNamedForConversations(slug))
    .sort((a, b) => b.createdAtS - a.createdAtS || (a.slug < b.slug ? -1 : 1))
  const ofMaker = Map.groupBy(offered, ({ slug }) => slug.split('/', 1)[0] ?? '')
  const newest = openRouterMakers.flatMap((maker) => ofMaker.get(maker)?.slice(0, newestOfMaker) ?? [])
  const picked = new Set([
    ...newest,
    ...offered.filter(({ slug }) => elsewhere.has(slug)),
    ...offered.filter(({ slug }) => known.has(slug)),
  ])
  return [...picked].slice(0, maxModels).map(({ slug, ...says }) => ({ slug, says }))
}

type Asking = {
  readonly withinMs?: number
  readonly body?: object
  readonly apiKey?: string | null
  readonly maxBytes?: number
}

/** Null for whatever is not a JSON answer in time. A server that is busy loading a model is asked once more. */
async function ask(url: string, { withinMs = answerWithinMs, body, apiKey, maxBytes = maxAnswerBytes }: Asking): Promise<unknown> {
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

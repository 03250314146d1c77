/**
 * Which models a server of our own has: Ollama says it in its own protocol, with what each can do; anything that speaks OpenAI's lists
 * names only. Every answer is parsed, bounded and short: a server that is down must not hold up anything else.
 */
import { z } from 'zod'
import type { Capability } from '../../contract/schema.ts'
import { boundedJson } from '../../lib/bounded-body.ts'
import type { ModelConnections } from './language-model.ts'

export type FoundModel = { readonly slug: string; readonly capabilities: readonly Capability[] }

/** Null: the server could not be asked. */
export type Found = readonly FoundModel[] | null

const answerWithinMs = 3000
/** Ours: more than anybody scrolls through. */
const maxModels = 100
/** Ours: what is said about one model, or about hundreds in a list, takes a few hundred KB. */
const maxAnswerBytes = 1_000_000

/** Short enough for the ids that are made of it, and nothing that cannot be shown. */
const slug = z
  .string()
  .min(1)
  .max(80)
  .regex(/^\P{C}+$/u)
/** One entry that is none of ours to understand hides no other. */
const fitting = <T>(entry: z.ZodType<T>) =>
  z.array(z.unknown()).transform((entries) => entries.flatMap((each) => entry.safeParse(each).data ?? []))
const tags = z.object({ models: fitting(z.object({ name: slug })) })
const shown = z.object({ capabilities: z.array(z.string()).optional() })
const listed = z.object({ data: fitting(z.object({ id: slug })) })

/** `known`: slugs whose rows are there already; what they can do is not asked again. */
export async function findOllamaModels(
  { url }: NonNullable<ModelConnections['ollama']>,
  known: ReadonlySet<string>,
  withinMs = answerWithinMs,
): Promise<Found> {
  const root = url.replace(/\/v1$/, '')
  const answer = tags.safeParse(await ask(`${root}/api/tags`, withinMs))
  if (!answer.success) return null
  const slugs = answer.data.models.map(({ name }) => name.replace(/:latest$/, '')).slice(0, maxModels)
  const found = await Promise.all(
    slugs.map(async (model): Promise<FoundModel | null> => {
      if (known.has(model)) return { slug: model, capabilities: [] }
      const says = shown.safeParse(await ask(`${root}/api/show`, withinMs, { model })).data?.capabilities ?? ['completion']
      return says.includes('completion') ? { slug: model, capabilities: capabilitiesOf(says) } : null
    }),
  )
  return found.filter((model) => model !== null)
}

const ollamaWords = { tools: 'tools', thinking: 'reasoning', vision: 'vision' } as const satisfies { [word: string]: Capability }

const capabilitiesOf = (words: readonly string[]): Capability[] =>
  Object.entries(ollamaWords).flatMap(([word, capability]) => (words.includes(word) ? [capability] : []))

/** Names say what a server keeps that is no model for conversations. */
const otherKinds = /embed|whisper|tts|dall-e|moderation|rerank|transcri|image-/i

export async function findCompatibleModels({ url, apiKey, models }: NonNullable<ModelConnections['compatible']>): Promise<Found> {
  if (models) return models.filter((model) => slug.safeParse(model).success).map((model) => ({ slug: model, capabilities: [] }))
  const answer = listed.safeParse(await ask(`${url}/models`, answerWithinMs, undefined, apiKey))
  if (!answer.success) return null
  return answer.data.data
    .filter(({ id }) => !otherKinds.test(id))
    .slice(0, maxModels)
    .map(({ id }) => ({ slug: id, capabilities: [] }))
}

/** Null for whatever is not a JSON answer in time. A server that is busy loading a model is asked once more. */
async function ask(url: string, withinMs: number, body?: object, apiKey: string | null = null): Promise<unknown> {
  for (let isLast = false; ; isLast = true) {
    try {
      const response = await fetch(url, {
        ...(body ? { method: 'POST', body: JSON.stringify(body) } : {}),
        headers: { 'content-type': 'application/json', ...(apiKey ? { authorization: `Bearer ${apiKey}` } : {}) },
        redirect: 'manual',
        signal: AbortSignal.timeout(withinMs),
      })
      if (response.ok) return await boundedJson(response, maxAnswerBytes)
      await response.body?.cancel()
      return null
    } catch (error) {
      const isLate = error instanceof Error && error.name === 'TimeoutError'
      if (!isLate || isLast) return null
    }
  }
}

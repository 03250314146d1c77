/**
 * Reads a model list of the OpenAI protocol. The protocol defines only the id; other fields depend on the server and are read if present.
 * Nothing is assumed about missing fields.
 */
import { z } from 'zod'
import type { Capability } from '../../contract/files.ts'

export type ListedModel = {
  readonly slug: string
  readonly name: string | null
  /** In the contract's order. */
  readonly capabilities: readonly Capability[]
  /** Effort levels that the model accepts; null if the list has none. */
  readonly effort: readonly string[] | null
  /** Micro-dollars per million tokens; null without a price. */
  readonly prices: { readonly input: number; readonly cachedInput?: number; readonly output: number } | null
  /** Input and output together; null when unknown. */
  readonly contextTokens: number | null
  /** The most tokens of one answer; null when unknown. */
  readonly maxOutputTokens: number | null
  /** Epoch seconds; 0 when unknown. */
  readonly createdAtS: number
}

const shownText = (maxChars: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(maxChars)
    .regex(/^\P{C}+$/u)

/** Bounded for use in ids, without invisible characters. */
export const slugSchema = shownText(80)

/** An entry that cannot be read is skipped. Some servers send null for an empty list. */
export const fitting = <T>(entry: z.ZodType<T>) =>
  z
    .array(z.unknown())
    .nullable()
    .transform((entries) => (entries ?? []).flatMap((each) => entry.safeParse(each).data ?? []))

const optional = <T>(field: z.ZodType<T>) => field.optional().catch(undefined)
const words = optional(fitting(z.string().toLowerCase()))
/** Capabilities as a list of names or as switches. */
const abilities = optional(
  z.union([
    z.array(z.unknown()).transform((all) => all.filter((word) => typeof word === 'string')),
    z.record(z.string(), z.unknown()).transform((switches) => Object.keys(switches).filter((name) => switches[name] === true)),
  ]),
)
const dollarsPerToken = z.union([z.number(), z.string().trim().min(1)]).pipe(z.coerce.number<string | number>().min(0).max(1))
/** Chosen: a smaller window would not hold the system prompt, nor a smaller answer a title, so the value is ignored. */
const tokens = optional(z.int().min(1000).max(100_000_000))

const entry = z.object({
  id: slugSchema,
  name: optional(shownText(80)),
  created: optional(z.number().min(0)),
  /** Together and LM Studio. */
  type: optional(z.string().toLowerCase()),
  /** OpenRouter. */
  architecture: optional(z.object({ input_modalities: words, output_modalities: words })),
  /** The form that OpenRouter asks of its providers. */
  input_modalities: words,
  output_modalities: words,
  supported_parameters: words,
  supported_features: words,
  /** Mistral's switches, LM Studio's names. */
  capabilities: abilities,
  /** OpenRouter and Together; Groq; vLLM; Mistral. */
  context_length: tokens,
  context_window: tokens,
  max_model_len: tokens,
  max_context_length: tokens,
  /** OpenRouter (https://openrouter.ai/docs/client-sdks/typescript/models/topproviderinfo); Groq; the form that OpenRouter asks of its providers. */
  top_provider: optional(z.object({ max_completion_tokens: tokens })),
  max_completion_tokens: tokens,
  max_output_length: tokens,
  /** `input_cache_read`: OpenRouter. */
  pricing: optional(z.object({ prompt: dollarsPerToken, completion: dollarsPerToken, input_cache_read: optional(dollarsPerToken) })),
})
type Entry = z.infer<typeof entry>

export const modelList = z.object({ data: fitting(entry) }).transform(({ data }) => data.filter(isForConversations).map(listedModel))

/** By the names that servers use. */
const namedAs: { readonly [ability in Capability]: readonly string[] } = {
  tools: ['tools', 'tool_use', 'tool_choice', 'tool_calling', 'function_calling'],
  reasoning: ['reasoning', 'reasoning_effort', 'include_reasoning', 'thinking'],
  vision: ['image', 'vision', 'image_input', 'vlm'],
  documents: ['file', 'pdf', 'document', 'documents'],
}

/** Levels that every model with effort levels accepts. */
const knownEfforts = ['low', 'medium', 'high'] as const

const microDollarsPerMillion = (price: number): number => Math.round(price * 1e12)

const pricesOf = ({ prompt, completion, input_cache_read: cached }: NonNullable<Entry['pricing']>): NonNullable<ListedModel['prices']> => ({
  input: microDollarsPerMillion(prompt),
  ...(cached === undefined ? {} : { cachedInput: microDollarsPerMillion(cached) }),
  output: microDollarsPerMillion(completion),
})

function listedModel(model: Entry): ListedModel {
  const { id, name, created, type, architecture, pricing, supported_parameters: parameters = [] } = model
  const names = [
    ...(architecture?.input_modalities ?? []),
    ...(model.input_modalities ?? []),
    ...(model.supported_features ?? []),
    ...(model.capabilities ?? []).map((word) => word.toLowerCase()),
    ...parameters,
    type,
  ]
  const isNamed = (ability: Capability) => namedAs[ability].some((word) => names.includes(word))
  return {
    slug: id,
    name: name ?? null,
    capabilities: (Object.keys(namedAs) as Capability[]).filter(isNamed),
    effort: parameters.includes('reasoning_effort') ? knownEfforts : null,
    prices: pricing ? pricesOf(pricing) : null,
    contextTokens: model.context_length ?? model.context_window ?? model.max_model_len ?? model.max_context_length ?? null,
    maxOutputTokens: model.top_provider?.max_completion_tokens ?? model.max_completion_tokens ?? model.max_output_length ?? null,
    createdAtS: created ?? 0,
  }
}

/** Models that do not chat, by the server's type or, without one, by parts of the name. */
const otherTypes = /embed|rerank|moderation|image|audio|video|speech|transcri/
const otherNames = new RegExp(
  `(?:^|[^a-z0-9])(?:${[
    // Embeddings and rerankers.
    ...['text-similarity', 'bge-', 'gte-', 'e5-', 'all-minilm'],
    // Speech, audio and realtime models.
    ...['whisper', 'tts', 'xtts', 'audio', 'realtime', 'speech', 'kokoro', 'parakeet'],
    // Images and video.
    ...['dall-e', 'image', 'imagen', 'stable-diffusion', 'sdxl', 'flux', 'sora', 'veo-'],
    // Moderation, OCR and plain completion models.
    ...['ocr', 'davinci', 'babbage', 'curie', 'gpt-3\\.5-turbo-instruct'],
  ].join('|')})|embed|moderation|rerank|transcri`,
  'i',
)

export const isNamedForConversations = (slug: string): boolean => !otherNames.test(slug)

function isForConversations({ id, type, architecture, output_modalities, capabilities }: Entry): boolean {
  if (type !== undefined && otherTypes.test(type)) return false
  const output = architecture?.output_modalities ?? output_modalities
  if (output !== undefined && output.length > 0) return output.includes('text') && !output.includes('audio')
  return isNamedForConversations(id) && !capabilities?.some((word) => /embed/i.test(word))
}

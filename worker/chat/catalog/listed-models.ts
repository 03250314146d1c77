/**
 * Reads a model list of the OpenAI protocol. The protocol defines only the id; other fields depend on the server and are read if present.
 * Nothing is assumed about missing fields.
 */
import { z } from 'zod'
import type { Capability } from '../../contract/files/files.ts'

export type ListedModel = {
  readonly slug: string
  readonly name: string | null
  /** In the order of `Capability`. */
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

/** Skips entries that do not match `entry`. Some servers send null for an empty list. */
export const readableEntries = <T>(entry: z.ZodType<T>) =>
  z
    .array(z.unknown())
    .nullable()
    .transform((entries) => (entries ?? []).flatMap((each) => entry.safeParse(each).data ?? []))

const optional = <T>(field: z.ZodType<T>) => field.optional().catch(undefined)
const lowerCase = z.string().toLowerCase()
const words = optional(readableEntries(lowerCase))
const enabledNames = (switches: { readonly [name: string]: unknown }): readonly string[] =>
  Object.keys(switches).flatMap((name) => (switches[name] === true ? [name.toLowerCase()] : []))
/** Capability names, sent as a list or as an object of booleans. */
const capabilityNames = optional(z.union([readableEntries(lowerCase), z.record(z.string(), z.unknown()).transform(enabledNames)]))
const dollarsPerToken = z.union([z.number(), z.string().trim().min(1)]).pipe(z.coerce.number<string | number>().min(0).max(1))
/** Chosen: a smaller window cannot hold the system prompt, and a smaller output limit cannot hold a title. Such values are ignored. */
const tokenCount = optional(z.int().min(1000).max(100_000_000))

const entry = z.object({
  id: slugSchema,
  name: optional(shownText(80)),
  created: optional(z.number().min(0)),
  /** Together and LM Studio. */
  type: optional(z.string().toLowerCase()),
  /** OpenRouter. */
  architecture: optional(z.object({ input_modalities: words, output_modalities: words })),
  /** The format that OpenRouter requires of its providers. */
  input_modalities: words,
  output_modalities: words,
  supported_parameters: words,
  supported_features: words,
  /** Mistral sends booleans, LM Studio names. */
  capabilities: capabilityNames,
  /** OpenRouter and Together; Groq; vLLM; Mistral. */
  context_length: tokenCount,
  context_window: tokenCount,
  max_model_len: tokenCount,
  max_context_length: tokenCount,
  /** OpenRouter (https://openrouter.ai/docs/client-sdks/typescript/models/topproviderinfo); Groq; the format that OpenRouter requires of its providers. */
  top_provider: optional(z.object({ max_completion_tokens: tokenCount })),
  max_completion_tokens: tokenCount,
  max_output_length: tokenCount,
  /** `input_cache_read`: OpenRouter. */
  pricing: optional(z.object({ prompt: dollarsPerToken, completion: dollarsPerToken, input_cache_read: optional(dollarsPerToken) })),
})
type Entry = z.infer<typeof entry>

export const modelList = z.object({ data: readableEntries(entry) }).transform(({ data }) => data.filter(isChatModel).map(listedModel))

/** The names that servers use for each capability. */
const namesOfCapability: { readonly [capability in Capability]: readonly string[] } = {
  tools: ['tools', 'tool_use', 'tool_choice', 'tool_calling', 'function_calling'],
  reasoning: ['reasoning', 'reasoning_effort', 'include_reasoning', 'thinking'],
  vision: ['image', 'vision', 'image_input', 'vlm'],
  documents: ['file', 'pdf', 'document', 'documents'],
}

/** Effort levels that every model with levels accepts. */
const commonEfforts = ['low', 'medium', 'high'] as const

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
    ...(model.capabilities ?? []),
    ...parameters,
    type,
  ]
  const isNamed = (capability: Capability) => namesOfCapability[capability].some((word) => names.includes(word))
  return {
    slug: id,
    name: name ?? null,
    capabilities: (Object.keys(namesOfCapability) as Capability[]).filter(isNamed),
    effort: parameters.includes('reasoning_effort') ? commonEfforts : null,
    prices: pricing ? pricesOf(pricing) : null,
    contextTokens: model.context_length ?? model.context_window ?? model.max_model_len ?? model.max_context_length ?? null,
    maxOutputTokens: model.top_provider?.max_completion_tokens ?? model.max_completion_tokens ?? model.max_output_length ?? null,
    createdAtS: created ?? 0,
  }
}

/** Types and name parts of models that do not chat. */
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

export const isNamedLikeChatModel = (slug: string): boolean => !otherNames.test(slug)

function isChatModel({ id, type, architecture, output_modalities, capabilities }: Entry): boolean {
  if (type !== undefined && otherTypes.test(type)) return false
  const output = architecture?.output_modalities ?? output_modalities
  if (output !== undefined && output.length > 0) return output.includes('text') && !output.includes('audio')
  return isNamedLikeChatModel(id) && !capabilities?.some((word) => /embed/.test(word))
}

/**
 * What a list of the OpenAI protocol says. Only the name of a model is the protocol's; what else there is depends on who answers, and each
 * field that one of them lists is read where it is there. What is not said is not assumed.
 */
import { z } from 'zod'
import type { Capability } from '../../contract/schema.ts'

export type ListedModel = {
  readonly slug: string
  readonly name: string | null
  /** In the order of the contract. */
  readonly capabilities: readonly Capability[]
  /** Levels of effort that it takes, or null when it names none. */
  readonly effort: readonly string[] | null
  /** Micro-dollars per million tokens; null where there is no price list. */
  readonly prices: { readonly input: number; readonly output: number } | null
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

/** Short enough for the ids that are made of it, and nothing that cannot be shown. */
export const slugSchema = shownText(80)

/** One entry that is none of ours to understand hides no other; null is how some servers write an empty list. */
export const fitting = <T>(entry: z.ZodType<T>) =>
  z
    .array(z.unknown())
    .nullable()
    .transform((entries) => (entries ?? []).flatMap((each) => entry.safeParse(each).data ?? []))

const optional = <T>(field: z.ZodType<T>) => field.optional().catch(undefined)
const words = optional(fitting(z.string().toLowerCase()))
/** Names of what it can do, or a switch for each. */
const abilities = optional(
  z.union([
    z.array(z.unknown()).transform((all) => all.filter((word) => typeof word === 'string')),
    z.record(z.string(), z.unknown()).transform((switches) => Object.keys(switches).filter((name) => switches[name] === true)),
  ]),
)
const dollarsPerToken = z.union([z.number(), z.string().trim().min(1)]).pipe(z.coerce.number<string | number>().min(0).max(1))

const entry = z.object({
  id: slugSchema,
  name: optional(shownText(80)),
  created: optional(z.number().min(0)),
  /** Together and LM Studio. */
  type: optional(z.string().toLowerCase()),
  /** OpenRouter's way. */
  architecture: optional(z.object({ input_modalities: words, output_modalities: words })),
  /** The way it is asked for of those that OpenRouter passes on to. */
  input_modalities: words,
  output_modalities: words,
  supported_parameters: words,
  supported_features: words,
  /** Mistral's switches, LM Studio's words. */
  capabilities: abilities,
  pricing: optional(z.object({ prompt: dollarsPerToken, completion: dollarsPerToken })),
})
type Entry = z.infer<typeof entry>

export const modelList = z.object({ data: fitting(entry) }).transform(({ data }) => data.filter(isForConversations).map(listedModel))

/** By the words that servers have for it. */
const namedAs: { readonly [ability in Capability]: readonly string[] } = {
  tools: ['tools', 'tool_use', 'tool_choice', 'tool_calling', 'function_calling'],
  reasoning: ['reasoning', 'reasoning_effort', 'include_reasoning', 'thinking'],
  vision: ['image', 'vision', 'image_input', 'vlm'],
  documents: ['file', 'pdf', 'document', 'documents'],
}

/** Levels that whoever takes any of them takes. */
const knownEfforts = ['low', 'medium', 'high'] as const

const microDollarsPerMillion = (price: number): number => Math.round(price * 1e12)

function listedModel(model: Entry): ListedModel {
  const { id, name, created, type, architecture, pricing, supported_parameters: parameters = [] } = model
  const said = [
    ...(architecture?.input_modalities ?? []),
    ...(model.input_modalities ?? []),
    ...(model.supported_features ?? []),
    ...(model.capabilities ?? []).map((word) => word.toLowerCase()),
    ...parameters,
    type,
  ]
  const isNamed = (ability: Capability) => namedAs[ability].some((word) => said.includes(word))
  return {
    slug: id,
    name: name ?? null,
    capabilities: (Object.keys(namedAs) as Capability[]).filter(isNamed),
    effort: parameters.includes('reasoning_effort') ? knownEfforts : null,
    prices: pricing ? { input: microDollarsPerMillion(pricing.prompt), output: microDollarsPerMillion(pricing.completion) } : null,
    createdAtS: created ?? 0,
  }
}

/** What a server keeps besides: by its own words for it, and where it has none, by words that begin a part of the name. */
const otherTypes = /embed|rerank|moderation|image|audio|video|speech|transcri/
const otherNames = new RegExp(
  `(?:^|[^a-z0-9])(?:${[
    // Vectors and rankings.
    ...['text-similarity', 'bge-', 'gte-', 'e5-', 'all-minilm'],
    // Speech and sound, and what is spoken with over a connection of its own.
    ...['whisper', 'tts', 'xtts', 'audio', 'realtime', 'speech', 'kokoro', 'parakeet'],
    // Pictures and films.
    ...['dall-e', 'image', 'imagen', 'stable-diffusion', 'sdxl', 'flux', 'sora', 'veo-'],
    // Judges, readers of pages, and completions from before there were conversations.
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

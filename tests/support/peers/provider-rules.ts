/**
 * The requests that providers behind the gateway accept, by model: option names and values published by the AI SDK, supported effort
 * levels, temperature, and the option that makes reasoning visible. A request that a provider would reject, round or ignore is rejected
 * here, so that a wrong assumption fails a test.
 *
 * Read from the published packages @ai-sdk/anthropic 4.0.105, openai 4.0.118, google 4.0.121, xai 5.0.12, deepseek 3.0.56, mistral 4.0.87,
 * alibaba 2.0.58 and moonshotai 3.0.60 (their option schemas, model catalogs and changelogs); for Meta, Z.ai and Qwen 3.8 from public
 * documents named below. DeepSeek's and Kimi's packages are too old to confirm that `max` is passed through; ai's docs promise it for any
 * level of a model. Lists only options relevant here: a missing one must be looked up and added.
 */
import * as z from 'zod'
import type { ProviderOptions } from '../../../worker/chat/model/call-settings.ts'
import type { Effort } from '../../../worker/contract/models/effort.ts'

type Rule = {
  readonly models: RegExp
  /** Levels passed to the model unchanged. */
  readonly levels: readonly Effort[]
  readonly takesTemperature: boolean
  /** By the key that the provider's package reads; other keys are ignored. */
  readonly options?: { readonly [provider: string]: z.ZodType }
  /** True if the reasoning is returned with its text. */
  readonly returnsReasoning?: (options: ProviderOptions) => boolean
}

const anthropic = (thinking: z.ZodType) => ({ anthropic: z.strictObject({ thinking: thinking.optional() }) })
const adaptive = z.strictObject({ type: z.literal('adaptive'), display: z.enum(['omitted', 'summarized', 'updates']).optional() })
const budget = z.strictObject({ type: z.literal('enabled'), budgetTokens: z.int().min(1024) })

const google = {
  options: {
    google: z.strictObject({
      thinkingConfig: z.strictObject({
        includeThoughts: z.boolean().optional(),
        thinkingLevel: z.enum(['minimal', 'low', 'medium', 'high', 'xhigh']).optional(),
        thinkingBudget: z.number().optional(),
      }),
    }),
  },
  returnsReasoning: ({ google }: ProviderOptions) =>
    (google?.thinkingConfig as { includeThoughts?: boolean } | undefined)?.includeThoughts === true,
}

const openai = {
  options: { openai: z.strictObject({ reasoningSummary: z.string().optional() }) },
  returnsReasoning: ({ openai }: ProviderOptions) => openai?.reasoningSummary !== undefined,
}

/** The first match applies. */
const rules: readonly Rule[] = [
  { models: /^openai\/gpt-5\.6-/, levels: ['none', 'low', 'medium', 'high', 'xhigh', 'max'], takesTemperature: false, ...openai },
  // The pro models support medium and above (OpenAI's model pages); the package has no list for them.
  { models: /^openai\/gpt-5\.5-pro$/, levels: ['medium', 'high', 'xhigh'], takesTemperature: false, ...openai },
  { models: /^openai\/gpt-5\.5$/, levels: ['none', 'low', 'medium', 'high', 'xhigh'], takesTemperature: false, ...openai },
  { models: /^openai\/gpt-5(-mini|-nano)?$/, levels: ['minimal', 'low', 'medium', 'high'], takesTemperature: false, ...openai },
  { models: /^openai\/gpt-(4o|4o-mini|oss-120b|oss-20b)$/, levels: [], takesTemperature: true },
  {
    models: /^anthropic\/claude-(opus-5|opus-4\.8|sonnet-5)$/,
    levels: ['low', 'medium', 'high', 'xhigh', 'max'],
    takesTemperature: false,
    options: anthropic(adaptive),
    returnsReasoning: ({ anthropic }) => (anthropic?.thinking as { display?: string } | undefined)?.display === 'summarized',
  },
  // Accepts a temperature only without reasoning, which is always on here.
  {
    models: /^anthropic\/claude-sonnet-4\.6$/,
    levels: ['low', 'medium', 'high', 'max'],
    takesTemperature: false,
    options: anthropic(adaptive),
  },
  {
    models: /^anthropic\/claude-(sonnet|haiku)-4\.5$/,
    levels: [],
    takesTemperature: false,
    options: anthropic(budget),
    returnsReasoning: ({ anthropic }) => anthropic?.thinking !== undefined,
  },
  { models: /^google\/gemini-3\.[56]-flash$/, levels: ['minimal', 'low', 'medium', 'high'], takesTemperature: true, ...google },
  { models: /^google\/gemini-3\.1-pro-preview$/, levels: ['low', 'medium', 'high'], takesTemperature: true, ...google },
  { models: /^google\/gemini-2\.5-(pro|flash)$/, levels: [], takesTemperature: true, ...google },
  { models: /^spacexai\/grok-4\.20-non-reasoning$/, levels: [], takesTemperature: true },
  { models: /^spacexai\/grok-4\.3$/, levels: ['none', 'low', 'medium', 'high'], takesTemperature: true },
  // vercel.com/ai-gateway/models/grok-4.5: three levels, and reasoning cannot be disabled.
  { models: /^spacexai\/grok-4\.5$/, levels: ['low', 'medium', 'high'], takesTemperature: true },
  { models: /^deepseek\/deepseek-v4-(pro|flash)$/, levels: ['none', 'low', 'high', 'max'], takesTemperature: false },
  { models: /^deepseek\/deepseek-(v3\.1|r1)$/, levels: [], takesTemperature: true },
  // Google Cloud's page of Muse Spark lists these five levels and does not say that one is rejected.
  { models: /^meta\/muse-spark-/, levels: ['minimal', 'low', 'medium', 'high', 'xhigh'], takesTemperature: true },
  { models: /^meta\/llama-/, levels: [], takesTemperature: true },
  { models: /^mistral\/mistral-medium-3\.5$/, levels: ['none', 'high'], takesTemperature: true },
  { models: /^mistral\/(mistral-large-3|ministral-8b)$/, levels: [], takesTemperature: true },
  // Alibaba's documentation of its newest model: three levels, xhigh by default. The package converts any level into a budget.
  { models: /^alibaba\/qwen3\.8-max$/, levels: ['low', 'medium', 'xhigh'], takesTemperature: true },
  { models: /^alibaba\/qwen3\.7-/, levels: ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'], takesTemperature: true },
  { models: /^alibaba\/qwen3-coder$/, levels: [], takesTemperature: true },
  { models: /^moonshotai\/kimi-k3$/, levels: ['low', 'high', 'max'], takesTemperature: false },
  { models: /^moonshotai\/kimi-k2\./, levels: [], takesTemperature: false },
  // The previous open-weight model, served by other providers.
  { models: /^moonshotai\/kimi-k2$/, levels: [], takesTemperature: true },
  // docs.z.ai, "Core parameters": effort from GLM 5.2 on, with two levels; older models reason unless it is disabled.
  { models: /^zai\/glm-5\.2$/, levels: ['high', 'max'], takesTemperature: true },
  { models: /^zai\/glm-/, levels: [], takesTemperature: true },
]

/** An unknown model: no level is valid. */
const unknownModel: Rule = { models: /^/, levels: [], takesTemperature: true }

export const isKnownModel = (slug: string): boolean => rules.some(({ models }) => models.test(slug))
const ruleOf = (slug: string): Rule => rules.find(({ models }) => models.test(slug)) ?? unknownModel

type Options = { readonly providerOptions?: ProviderOptions }

export type Asked = Options & {
  readonly reasoning?: unknown
  readonly temperature?: unknown
  readonly tools?: unknown
  readonly toolChoice?: unknown
  readonly prompt?: readonly (Options & { readonly role?: string; readonly content?: unknown })[]
}

/** Anthropic rejects a request with more cache marks. A mark on another model's message has no effect. */
const maxCacheMarks = 4
const markOptions = z.strictObject({ anthropic: z.strictObject({ cacheControl: z.strictObject({ type: z.literal('ephemeral') }) }) })

/** `options`: those of the part, and of its message if it is the last part. */
type Block = { readonly text: string; readonly options: readonly ProviderOptions[] }

/** The parts of the prompt as Anthropic caches them. */
export const blocksOf = ({ prompt = [] }: Asked): readonly Block[] =>
  prompt.flatMap(({ role, content, providerOptions: ofMessage }) => {
    const parts = Array.isArray(content) ? (content as readonly Options[]) : [{ text: content }]
    return parts.map((part, index) => {
      const { providerOptions, ...sent } = part as Options
      const all = [providerOptions, index === parts.length - 1 ? ofMessage : undefined]
      return { text: JSON.stringify([role, sent]), options: all.filter((options) => options !== undefined) }
    })
  })

/** The indexes of the blocks with a cache mark. */
export const cacheMarks = (asked: Asked): readonly number[] =>
  blocksOf(asked).flatMap(({ options }, index) => (options.some(({ anthropic }) => anthropic?.cacheControl) ? [index] : []))

function markRefusal(slug: string, asked: Asked): string | null {
  const marks = cacheMarks(asked)
  if (marks.length > 0 && !slug.startsWith('anthropic/')) return `${slug} reads no cache marks`
  if (marks.length > maxCacheMarks) return `a maximum of ${maxCacheMarks} blocks with cache_control may be provided`
  const blocks = blocksOf(asked)
  const parsed = z.array(z.array(markOptions).length(1)).safeParse(marks.map((index) => blocks[index]?.options))
  return parsed.success ? null : `${slug}: ${z.prettifyError(parsed.error)}`
}

/** Options of the gateway, for every model. */
const gatewayOptions = z.strictObject({
  user: z.string().min(1).optional(),
  tags: z.array(z.string().min(1).max(64)).max(10).optional(),
  models: z.array(z.string()).min(1).max(2).optional(),
})

/** Why the provider would reject or ignore the request; null if it would not. */
export function providerRefusal(slug: string, asked: Asked): string | null {
  const { reasoning, temperature, providerOptions = {} } = asked
  const { levels, takesTemperature, options: providerValues } = ruleOf(slug)
  const options: Rule['options'] = { ...providerValues, gateway: gatewayOptions }
  if (reasoning !== undefined && !levels.some((level) => level === reasoning)) return `${slug} has no effort ${String(reasoning)}`
  if (temperature !== undefined && !takesTemperature) return `${slug} takes no temperature`
  for (const [provider, given] of Object.entries(providerOptions)) {
    const schema = options[provider]
    if (!schema) return `${slug} reads no options of ${provider}`
    const parsed = schema.safeParse(given)
    if (!parsed.success) return `${slug}: ${z.prettifyError(parsed.error)}`
  }
  return markRefusal(slug, asked) ?? fallbackRefusal(slug, asked)
}

/** A fallback receives the same request. Why a fallback would reject it; null if none would. */
function fallbackRefusal(slug: string, asked: Asked): string | null {
  const { gateway, ...providerOptions } = asked.providerOptions ?? {}
  const fallbacks = (gateway?.models ?? []) as readonly string[]
  if (fallbacks.includes(slug)) return `${slug} is no fallback of itself`
  const refusals = fallbacks.map((fallback) => providerRefusal(fallback, { ...asked, providerOptions }))
  return refusals.find((refusal) => refusal !== null) ?? null
}

/** True if the text of the reasoning is returned, false if only its existence is. */
export const returnsReasoningText = (slug: string, { providerOptions = {} }: Asked): boolean =>
  ruleOf(slug).returnsReasoning?.(providerOptions) ?? true

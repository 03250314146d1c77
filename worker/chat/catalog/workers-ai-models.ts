/**
 * The chat models that a deployment with the binding of Workers AI offers, the default first. The binding cannot list models. The next refresh
 * after a deployment updates their rows.
 *
 * Names, context windows and prices: https://developers.cloudflare.com/workers-ai/models/ and …/platform/pricing/, October 2026. Remove a
 * model here when Cloudflare ends it.
 */
import type { Capability } from '../../contract/files/files.ts'
import type { FoundModel } from './discovery.ts'

/** Chosen. Cloudflare publishes no limits, and ends an answer after 256 tokens if a request names none. */
const maxOutputTokens = 16_384

/** The values of `reasoning_effort`. The package sends `none` as null. */
const efforts = ['low', 'medium', 'high'] as const

/** Dollars per million tokens, as in Cloudflare's list. */
type Dollars = { readonly input: number; readonly cachedInput?: number; readonly output: number }

type Offered = {
  readonly slug: string
  readonly name: string
  readonly description: string
  readonly capabilities: readonly Capability[]
  readonly effort?: readonly string[]
  readonly dollars: Dollars
  readonly contextTokens: number
}

const offered: readonly Offered[] = [
  {
    slug: '@cf/zai-org/glm-5.3-flash',
    name: 'GLM 5.3 Flash',
    description: 'Reads pictures, reasons and uses tools for a small price.',
    capabilities: ['tools', 'reasoning', 'vision'],
    effort: efforts,
    dollars: { input: 0.15, cachedInput: 0.03, output: 0.5 },
    contextTokens: 1_048_576,
  },
  {
    slug: '@cf/openai/gpt-oss-120b',
    name: 'GPT OSS 120B',
    description: "OpenAI's large open-weight model, with three levels of effort.",
    capabilities: ['tools', 'reasoning'],
    effort: efforts,
    dollars: { input: 0.35, output: 0.75 },
    contextTokens: 128_000,
  },
  {
    slug: '@cf/google/gemma-4-26b-a4b-it',
    name: 'Gemma 4 26B',
    description: "Google's light open model, quick with pictures and everyday questions.",
    capabilities: ['tools', 'reasoning', 'vision'],
    effort: efforts,
    dollars: { input: 0.1, output: 0.3 },
    contextTokens: 256_000,
  },
  {
    slug: '@cf/deepseek-ai/deepseek-v4-flash-0731',
    name: 'DeepSeek V4 Flash',
    description: 'A fast open model for agents and long contexts.',
    capabilities: ['tools', 'reasoning'],
    effort: ['none', 'low', 'high'],
    dollars: { input: 0.44, cachedInput: 0.014, output: 1.32 },
    contextTokens: 1_048_576,
  },
  {
    slug: '@cf/qwen/qwen3.8-27b',
    name: 'Qwen 3.8 27B',
    description: 'Thinks through pictures, mathematics and code in many languages.',
    capabilities: ['tools', 'reasoning', 'vision'],
    effort: efforts,
    dollars: { input: 0.45, cachedInput: 0.05, output: 3.2 },
    contextTokens: 262_144,
  },
  {
    slug: '@cf/moonshotai/kimi-k2.6',
    name: 'Kimi K2.6',
    description: 'A large visual reasoner for long chains of tool calls.',
    capabilities: ['tools', 'reasoning', 'vision'],
    dollars: { input: 0.95, cachedInput: 0.16, output: 4 },
    contextTokens: 262_144,
  },
  {
    slug: '@cf/mistralai/mistral-small-3.1-24b-instruct',
    name: 'Mistral Small 3.1',
    description: 'A compact European model that reads pictures and many languages.',
    capabilities: ['tools', 'vision'],
    dollars: { input: 0.351, output: 0.555 },
    contextTokens: 128_000,
  },
  {
    slug: '@cf/meta/llama-4-scout-17b-16e-instruct',
    name: 'Llama 4 Scout',
    description: 'A light open model of Meta that sees pictures.',
    capabilities: ['tools', 'vision'],
    dollars: { input: 0.27, output: 0.85 },
    contextTokens: 131_000,
  },
  {
    slug: '@cf/meta/llama-3.3-70b-instruct-fp8-fast',
    name: 'Llama 3.3 70B',
    description: 'A proven open model for everyday questions.',
    capabilities: ['tools'],
    dollars: { input: 0.293, output: 2.253 },
    contextTokens: 24_000,
  },
]

const microDollars = (dollars: number): number => Math.round(dollars * 1_000_000)

export const workersAiModels: readonly FoundModel[] = offered.map(
  ({ slug, dollars: { cachedInput, ...dollars }, effort = null, ...listed }) => ({
    slug,
    details: {
      ...listed,
      effort,
      prices: {
        input: microDollars(dollars.input),
        ...(cachedInput === undefined ? {} : { cachedInput: microDollars(cachedInput) }),
        output: microDollars(dollars.output),
      },
      maxOutputTokens,
      createdAtS: 0,
    },
  }),
)

/** The model, the tokens and the cost of one request, from what its provider reported at the end of the answer. */
import { z } from 'zod'
import { isRecord } from '../../contract/is-record.ts'
import { costOf, type ModelRequest, type ModelUse, microDollarsOf, type TokenPrices, unknownUse } from '../../contract/models/model-use.ts'
import type { ProviderPart } from './types.ts'

type Finish = Extract<ProviderPart, { readonly type: 'finish' }>

/** The usage as the provider's package gives it. */
export type ReportedUsage = Pick<Finish, 'usage' | 'providerMetadata'>

/** The model of a request, with its prices. `model`: the slug that `provider` uses. */
export type RequestedModel = TokenPrices & Pick<ModelRequest, 'model' | 'provider'>

/** A request whose figures have not arrived. They never arrive if the stream is aborted. */
export const newRequest = ({ model, provider }: RequestedModel): ModelRequest => ({ model, provider, ...unknownUse })

/** Chosen: a larger count is an error of the provider. */
const maxTokens = 100_000_000

const countOf = (value: unknown): number | null =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= maxTokens ? value : null

/** The provider's own figure if there is one, otherwise the cost by the prices of the catalogue. */
export function reportedUse({ usage, providerMetadata }: ReportedUsage, model: RequestedModel): ModelUse {
  const { inputTokens, outputTokens } = usage
  // Every request has input. The packages of some providers fill in 0 for counts that they did not receive.
  const isCounted = (countOf(inputTokens.total) ?? 0) > 0
  const tokens = {
    inputTokens: isCounted ? countOf(inputTokens.total) : null,
    cachedInputTokens: isCounted ? countOf(inputTokens.cacheRead) : null,
    outputTokens: isCounted ? countOf(outputTokens.total) : null,
    reasoningTokens: isCounted ? countOf(outputTokens.reasoning) : null,
  }
  const microDollars = reportedCost(usage, providerMetadata, model.provider)
  return { ...tokens, microDollars: microDollars ?? costOf({ ...tokens, cacheWriteTokens: countOf(inputTokens.cacheWrite) }, model) }
}

/** The request as it was answered. `fallbacks`: models of the gateway that may have answered instead of `requested`. */
export function answeredRequest(
  reported: ReportedUsage,
  requested: RequestedModel,
  fallbacks: readonly RequestedModel[] = [],
): ModelRequest {
  const slugs = answeredSlugs(reported.providerMetadata?.gateway)
  const model = fallbacks.find(({ model }) => slugs.includes(model)) ?? requested
  return { ...newRequest(model), ...reportedUse(reported, model) }
}

/**
 * https://vercel.com/docs/ai-gateway/models-and-providers/model-fallbacks. The SDK has no type for it, so every entry is parsed alone, and an entry of
 * another shape is ignored.
 */
const routing = z.object({ routing: z.object({ modelAttempts: z.array(z.unknown()) }) })
const slug = z.string().optional().catch(undefined)
const successfulAttempt = z.object({ canonicalSlug: slug, modelId: slug, success: z.literal(true) })

/** The names of the model that answered at last. Empty if the gateway names none. */
function answeredSlugs(gateway: unknown): readonly string[] {
  const attempts = routing.safeParse(gateway).data?.routing.modelAttempts ?? []
  const { canonicalSlug, modelId } = attempts.flatMap((attempt) => successfulAttempt.safeParse(attempt).data ?? []).at(-1) ?? {}
  return [canonicalSlug, modelId].filter((name) => name !== undefined)
}

/** In US dollars: https://vercel.com/docs/ai-gateway/observability, https://openrouter.ai/docs/use-cases/usage-accounting */
function reportedCost(usage: Finish['usage'], metadata: Finish['providerMetadata'], provider: string): number | null {
  if (provider === 'openrouter') return isRecord(usage.raw) ? microDollarsOf(usage.raw.cost) : null
  const gateway: unknown = metadata?.gateway
  return provider === 'gateway' && isRecord(gateway) ? microDollarsOf(gateway.cost) : null
}

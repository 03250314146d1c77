/**
 * The settings of every model call (answers, plans, notes, reports), from the model's row and the chosen effort.
 *
 * The effort is the SDK's `reasoning` option. Sources:
 * - The gateway's package sends every call option but the signal, and the gateway maps `reasoning` for the provider that serves the model:
 *   measured, `low` and `xhigh` differ fourfold (vercel/ai issue 21207). An option under a provider's name reaches only that provider, and not
 *   always (issue 18503), while most open models are served by other providers than their makers.
 * - Other reasoning options are in the row. They apply beside `reasoning`, and have no effect with reasoning off.
 * - The SDK lowers an effort that a model does not have (ai's docs, "Reasoning"), so a row lists only its model's levels. Servers of the OpenAI
 *   protocol receive the level as `reasoning_effort`.
 *
 * The gateway tries the fallbacks in this order with the same settings (https://vercel.com/docs/ai-gateway/models-and-providers/model-fallbacks).
 */

import { APICallError, type LanguageModelMiddleware } from 'ai'
import { isGapped } from '../../contract/context-window.ts'
import { effortLevels } from '../../contract/effort.ts'
import type { Fallback } from '../../contract/fallbacks.ts'
import type { ChatMessage } from '../../contract/messages.ts'
import { marksCache } from '../../contract/prompt-caching.ts'
import type { RowOf } from '../../contract/schema.ts'
import type { StartTurn } from '../../contract/turn.ts'
import { keyedDigest } from '../../lib/keyed-digest.ts'
import type { CallOptions } from './types.ts'

export type ProviderOptions = NonNullable<CallOptions['providerOptions']>

export type CallSettings = {
  readonly reasoning?: CallOptions['reasoning']
  readonly providerOptions?: ProviderOptions
  /** Null: not sent. */
  readonly temperature?: number | null | undefined
  readonly maxOutputTokens?: number | null | undefined
}

type Ruled = Pick<RowOf<'model'>, 'options' | 'temperature'> & Partial<Pick<RowOf<'model'>, 'maxOutputTokens'>>

export function callSettings(
  { options, temperature, maxOutputTokens }: Ruled,
  effort: string | null,
  fallbacks: readonly Pick<Fallback, 'model'>[] = [],
): CallSettings {
  // Only known levels: a start command of an older version may have others.
  const reasoning = effortLevels.find((level) => level === effort)
  const providerOptions = {
    ...(options && reasoning !== 'none' ? (options as ProviderOptions) : {}),
    ...(fallbacks.length > 0 ? { gateway: { models: fallbacks.map(({ model }) => model) } } : {}),
  }
  return {
    temperature,
    maxOutputTokens,
    ...(reasoning === undefined ? {} : { reasoning }),
    ...(Object.keys(providerOptions).length > 0 ? { providerOptions } : {}),
  }
}

/**
 * Sends a request again without its output limit if the server rejects the limit, and sends the later requests of the turn without it. OpenAI
 * rejects `max_tokens` for reasoning models; other servers reject a limit that is above their own.
 */
export function optionalLimit(): LanguageModelMiddleware {
  let isRejected = false
  const sendLimited = async <Answer>(params: CallOptions, send: (options: CallOptions) => PromiseLike<Answer>): Promise<Answer> => {
    const { maxOutputTokens, ...unlimited } = params
    try {
      return await send(isRejected ? unlimited : params)
    } catch (error) {
      const isOfLimit = isRejection(error) && limitNames.test(`${error.message} ${error.responseBody}`)
      if (maxOutputTokens === undefined || isRejected || !isOfLimit) throw error
      isRejected = true
      return send(unlimited)
    }
  }
  return {
    specificationVersion: 'v4',
    wrapGenerate: ({ model, params }) => sendLimited(params, (options) => model.doGenerate(options)),
    wrapStream: ({ model, params }) => sendLimited(params, (options) => model.doStream(options)),
  }
}

/** The server rejected the request's form; another form may work. */
export const isRejection = (error: unknown): error is APICallError =>
  APICallError.isInstance(error) && (error.statusCode === 400 || error.statusCode === 422)

/** For example `max_tokens`, `max_completion_tokens` and `maxOutputTokens`. */
const limitNames = /max_?(?:(?:completion|output|new)_?)?tokens/i

type CacheableRequest = { readonly model: Pick<RowOf<'model'>, 'model' | 'provider'>; readonly history: readonly ChatMessage[] }

/**
 * A later request with the same beginning reads the cache: the next step of a turn with tools, or the next turn. A history that dropped its
 * oldest messages drops others in the next turn, so only further steps could read the cache.
 */
export const isCacheable = ({ model, history }: CacheableRequest, hasTools: boolean): boolean =>
  marksCache(model) && (hasTools || !isGapped(history))

/**
 * Marks the last message for the prompt cache of Anthropic (contract/prompt-caching.ts). Anthropic also finds prompts that earlier requests
 * cached up to 20 blocks before the mark.
 */
export const cacheMark: LanguageModelMiddleware = {
  specificationVersion: 'v4',
  transformParams: async ({ params }) => {
    const { prompt } = params
    const last = prompt.at(-1)
    if (!last) return params
    const { anthropic, ...others } = last.providerOptions ?? {}
    const marked = { ...last, providerOptions: { ...others, anthropic: { ...anthropic, cacheControl: { type: 'ephemeral' } } } }
    return { ...params, prompt: prompt.with(-1, marked) }
  },
}

export type Attributed = Pick<StartTurn, 'userId' | 'plan' | 'mode'>

/**
 * Names the user, the plan and the mode in requests to the AI Gateway, whose reports sum the spending by them
 * (https://vercel.com/docs/ai-gateway/capabilities/custom-reporting). The user is a keyed digest: the reports show how much one user spends,
 * and only this deployment can find the account.
 */
export const attribution = (secret: string, { userId, plan, mode }: Attributed): LanguageModelMiddleware => ({
  specificationVersion: 'v4',
  transformParams: async ({ params }) => {
    const user = await keyedDigest(secret, 'user of gateway', userId)
    const gateway = { ...params.providerOptions?.gateway, user, tags: [`plan:${plan}`, `mode:${mode}`] }
    return { ...params, providerOptions: { ...params.providerOptions, gateway } }
  },
})

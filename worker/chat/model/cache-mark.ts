/** Marks the end of the prompt for the prompt cache of Anthropic (contract/prompt-caching.ts), as the SDK's middleware. */
import type { LanguageModelMiddleware } from 'ai'
import { isGapped } from '../../contract/context-budget.ts'
import type { ChatMessage } from '../../contract/messages.ts'
import { marksCache } from '../../contract/prompt-caching.ts'
import type { RowOf } from '../../contract/schema.ts'

type Request = { readonly model: Pick<RowOf<'model'>, 'model' | 'provider'>; readonly history: readonly ChatMessage[] }

/**
 * A later request with the same beginning reads the cache: the next step of a turn with tools, or the next turn. A history that dropped its oldest
 * messages drops others in the next turn, so only further steps could read the cache.
 */
export const isCacheable = ({ model, history }: Request, hasTools: boolean): boolean =>
  marksCache(model) && (hasTools || !isGapped(history))

/** On the last message: Anthropic also finds what earlier requests cached up to 20 blocks before the mark. */
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

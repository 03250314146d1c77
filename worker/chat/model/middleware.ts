/** Middleware of model calls: a retry without a rejected option, the cache mark of Anthropic, and the attribution of the gateway. */
import { APICallError, type LanguageModelMiddleware } from 'ai'
import type { StartTurn } from '../../contract/threads/turn.ts'
import { keyedDigest } from '../../lib/digests.ts'
import type { CallOptions } from './types.ts'
import type { ReportedUsage } from './usage.ts'

/**
 * Sends a request again without an option that the server rejects, and sends the later requests of the turn without it. OpenAI rejects
 * `max_tokens` for reasoning models; other servers reject a limit that is above their own. Anthropic rejects a forced tool while a model reasons.
 */
export function retryWithoutRejected(): LanguageModelMiddleware {
  const rejected = new Set<Rejectable>()
  const sendWithRetry = async <Answer>(params: CallOptions, send: (options: CallOptions) => PromiseLike<Answer>): Promise<Answer> => {
    for (;;) {
      const options = optionNames.filter((name) => rejected.has(name)).reduce(withoutOption, params)
      try {
        return await send(options)
      } catch (error) {
        const named = optionNames.find((name) => hasOption(options, name) && isRejectionOf(error, name))
        if (named === undefined) throw error
        rejected.add(named)
      }
    }
  }
  return {
    specificationVersion: 'v4',
    wrapGenerate: ({ model, params }) => sendWithRetry(params, (options) => model.doGenerate(options)),
    wrapStream: ({ model, params }) => sendWithRetry(params, (options) => model.doStream(options)),
  }
}

/** How servers name the options. For example `max_tokens`, `max_completion_tokens` and `maxOutputTokens`. */
const optionPatterns = {
  maxOutputTokens: /max_?(?:(?:completion|output|new)_?)?tokens/i,
  toolChoice: /tool_?choice/i,
} as const

type Rejectable = keyof typeof optionPatterns
const optionNames = Object.keys(optionPatterns) as Rejectable[]

const hasOption = ({ maxOutputTokens, toolChoice }: CallOptions, name: Rejectable): boolean =>
  name === 'toolChoice' ? toolChoice?.type === 'tool' : maxOutputTokens !== undefined

/** A tool that is not forced can still be called. */
function withoutOption(params: CallOptions, name: Rejectable): CallOptions {
  if (!hasOption(params, name)) return params
  if (name === 'toolChoice') return { ...params, toolChoice: { type: 'auto' } }
  const { maxOutputTokens: _rejected, ...unlimited } = params
  return unlimited
}

const isRejectionOf = (error: unknown, name: Rejectable): boolean =>
  isRejection(error) && optionPatterns[name].test(`${error.message} ${error.responseBody}`)

/** The server rejected the request's form; another form may work. */
export const isRejection = (error: unknown): error is APICallError =>
  APICallError.isInstance(error) && (error.statusCode === 400 || error.statusCode === 422)

/**
 * Marks the last message for the prompt cache of Anthropic (contract/models/prompt-caching.ts). Anthropic also finds prompts that earlier requests
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

export type AttributedTurn = Pick<StartTurn, 'userId' | 'plan' | 'mode'>

/**
 * Names the user, the plan and the mode in requests to the AI Gateway, whose reports sum the spending by them
 * (https://vercel.com/docs/ai-gateway/capabilities/custom-reporting). The user is a keyed digest: the reports show how much one user spends,
 * and only this deployment can find the account.
 */
export const attribution = (secret: string, { userId, plan, mode }: AttributedTurn): LanguageModelMiddleware => ({
  specificationVersion: 'v4',
  transformParams: async ({ params }) => {
    const user = await keyedDigest(secret, 'user of gateway', userId)
    const gateway = { ...params.providerOptions?.gateway, user, tags: [`plan:${plan}`, `mode:${mode}`] }
    return { ...params, providerOptions: { ...params.providerOptions, gateway } }
  },
})

/** Calls `onUsage` with the usage of each answered request without a stream. */
export const reportUsage = (onUsage: (reported: ReportedUsage) => void): LanguageModelMiddleware => ({
  specificationVersion: 'v4',
  wrapGenerate: async ({ doGenerate }) => {
    const answer = await doGenerate()
    onUsage(answer)
    return answer
  },
})

/** Middleware of model calls: a retry without the output limit, a forced tool, the cache marks of Anthropic, and the attribution of the gateway. */
import { APICallError, type LanguageModelMiddleware } from 'ai'
import { cacheEnd } from '../../contract/models/prompt-caching.ts'
import type { StartTurn } from '../../contract/threads/turn.ts'
import { keyedDigest } from '../../lib/digests.ts'
import type { CallOptions } from './types.ts'
import type { ReportedUsage } from './usage.ts'

/**
 * Sends a request again without its output limit if the server rejects the limit, and sends the later requests of the turn without it. OpenAI
 * rejects `max_tokens` for reasoning models; other servers reject a limit that is above their own.
 */
export function retryWithoutLimit(): LanguageModelMiddleware {
  let isRejected = false
  const sendWithRetry = async <Answer>(params: CallOptions, send: (options: CallOptions) => PromiseLike<Answer>): Promise<Answer> => {
    const { maxOutputTokens, ...unlimited } = params
    try {
      return await send(isRejected ? unlimited : params)
    } catch (error) {
      const namesLimit = isRejection(error) && limitNames.test(`${error.message} ${error.responseBody}`)
      if (maxOutputTokens === undefined || isRejected || !namesLimit) throw error
      isRejected = true
      return send(unlimited)
    }
  }
  return {
    specificationVersion: 'v4',
    wrapGenerate: ({ model, params }) => sendWithRetry(params, (options) => model.doGenerate(options)),
    wrapStream: ({ model, params }) => sendWithRetry(params, (options) => model.doStream(options)),
  }
}

/** The server rejected the request's form; another form may work. */
export const isRejection = (error: unknown): error is APICallError =>
  APICallError.isInstance(error) && (error.statusCode === 400 || error.statusCode === 422)

/** For example `max_tokens`, `max_completion_tokens` and `maxOutputTokens`. */
const limitNames = /max_?(?:(?:completion|output|new)_?)?tokens/i

/**
 * Forces a tool, and sends a request again without that if the server rejects it: Anthropic does while a model reasons. Not an option of the SDK,
 * which fails a step that does not call the forced tool: some servers ignore the option.
 */
export const forcedTool = (toolName: string, isForced: () => boolean): LanguageModelMiddleware => ({
  specificationVersion: 'v4',
  wrapStream: async ({ model, params, doStream }) => {
    if (!isForced()) return doStream()
    try {
      return await model.doStream({ ...params, toolChoice: { type: 'tool', toolName } })
    } catch (error) {
      if (!isChoiceRejection(error)) throw error
      return doStream()
    }
  },
})

/** The gateway has its own error class. */
const isChoiceRejection = (error: unknown): boolean => {
  if (!(error instanceof Error) || !('statusCode' in error) || (error.statusCode !== 400 && error.statusCode !== 422)) return false
  return /tool_?choice/i.test(`${error.message} ${'responseBody' in error ? error.responseBody : ''}`)
}

/** Marks the last message, with which the next step begins. Anthropic also finds prompts that were cached up to 20 blocks before a mark. */
export const cacheStep: LanguageModelMiddleware = {
  specificationVersion: 'v4',
  transformParams: async ({ params }) => {
    const { prompt } = params
    const last = prompt.at(-1)
    const end = last && typeof last.content !== 'string' ? last.content.at(-1) : last
    if (!last || end?.providerOptions?.anthropic?.cacheControl) return params
    const { anthropic, ...others } = last.providerOptions ?? {}
    const marked = { ...last, providerOptions: { ...others, anthropic: { ...anthropic, ...cacheEnd.anthropic } } }
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

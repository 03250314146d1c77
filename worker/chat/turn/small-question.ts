/** One question to the small model, concurrently with the answer or after it: with a time limit, and with the requests that it took. */
import { wrapLanguageModel } from 'ai'
import type { ModelRequest } from '../../contract/models/model-use.ts'
import { withTimeout } from '../../lib/with-timeout.ts'
import { reportUsage } from '../model/middleware.ts'
import type { SmallModel } from '../model/providers.ts'
import type { ProviderModel } from '../model/types.ts'
import { answeredRequest } from '../model/usage.ts'

type SmallQuestion<Answer> = {
  readonly waitMs: number
  readonly ask: (model: ProviderModel, signal: AbortSignal) => Promise<Answer>
  /** The answer after a failure or after `waitMs`. */
  readonly onFailure: (error: unknown) => Answer
}
type SmallAnswer<Answer> = { readonly answer: Answer; readonly requests: readonly ModelRequest[] }

/** `requests`: those that were answered, also if the question failed. None for the demo model. */
export async function askSmallModel<Answer>(
  { model, requested }: SmallModel,
  { waitMs, ask, onFailure }: SmallQuestion<Answer>,
): Promise<SmallAnswer<Answer>> {
  const requests: ModelRequest[] = []
  const middleware = reportUsage((reported) => {
    if (requested) requests.push(answeredRequest(reported, requested))
  })
  const request = new AbortController()
  // `AbortSignal.timeout` would keep the object in memory until the timeout, even after the answer arrived.
  const answer = await withTimeout(waitMs, ask(wrapLanguageModel({ model, middleware }), request.signal), () => {
    request.abort()
    throw new Error('no answer within the time limit')
  }).catch(onFailure)
  return { answer, requests }
}

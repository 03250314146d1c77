/** Searches messages on the server. */
import type * as z from 'zod/mini'
import { type RefusalCode, refusalIn } from '../../worker/contract/errors.ts'
import { type FindInThread, type FoundInThread, foundInThreadSchema } from '../../worker/contract/threads/find-in-thread.ts'
import { type FoundMessages, foundMessagesSchema, type SearchRequest } from '../../worker/contract/threads/search.ts'
import { publicUrls } from './public-urls.ts'
import { refusalSentence } from './refusals/sentence.ts'
import { libText } from './texts/en.ts'

/** `code`: of the server's refusal. */
type Failed = { readonly failed: string; readonly code?: RefusalCode }
export type SearchAnswer = FoundMessages | Failed

export const searchMessages = (request: SearchRequest, signal: AbortSignal): Promise<SearchAnswer | null> =>
  post('search', request, foundMessagesSchema, signal)

export const findInThread = (request: FindInThread, signal: AbortSignal): Promise<FoundInThread | Failed | null> =>
  post('find', request, foundInThreadSchema, signal)

/** Null when the request was aborted. */
async function post<Answer>(
  path: 'search' | 'find',
  request: object,
  schema: z.ZodMiniType<Answer>,
  signal: AbortSignal,
): Promise<Answer | Failed | null> {
  try {
    const response = await fetch(`${publicUrls().apiUrl}/api/messages/${path}`, {
      method: 'POST',
      credentials: 'include',
      headers: { accept: 'application/json', 'content-type': 'application/json' },
      body: JSON.stringify(request),
      signal,
    })
    const body: unknown = await response.json().catch(() => null)
    if (signal.aborted) return null
    const found = schema.safeParse(body)
    if (response.ok && found.success) return found.data
    const refusal = refusalIn(body)
    return { failed: refusalSentence(refusal), code: refusal.code }
  } catch {
    return signal.aborted ? null : { failed: libText('unreachable') }
  }
}

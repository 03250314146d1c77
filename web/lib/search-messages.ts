/** Searches messages on the server. */
import * as z from 'zod/mini'
import { isRefusal } from '../../worker/contract/errors.ts'
import { type FindRequest, type FoundMessages, foundMessagesSchema } from '../../worker/contract/found-text.ts'
import { publicUrls } from './public-urls.ts'
import { refusalSentence } from './refusals/sentence.ts'
import { libText } from './texts/t.ts'

const refusedSchema = z.object({ error: z.unknown() })

export type SearchAnswer = FoundMessages | { readonly failed: string }

/** Null when the request was aborted. */
export async function searchMessages(asked: FindRequest, signal: AbortSignal): Promise<SearchAnswer | null> {
  try {
    const response = await fetch(`${publicUrls().apiUrl}/api/messages/search`, {
      method: 'POST',
      credentials: 'include',
      headers: { accept: 'application/json', 'content-type': 'application/json' },
      body: JSON.stringify(asked),
      signal,
    })
    const body: unknown = await response.json().catch(() => null)
    if (signal.aborted) return null
    const found = foundMessagesSchema.safeParse(body)
    if (response.ok && found.success) return found.data
    const refused = refusedSchema.safeParse(body)
    return { failed: refusalSentence(refused.success && isRefusal(refused.data.error) ? refused.data.error : { code: 'internal' }) }
  } catch {
    return signal.aborted ? null : { failed: libText('unreachable') }
  }
}

/** Calls about organizations. Writes arrive as synced rows; the response only tells if the call succeeded and why not. */
import { isRecord } from '../../worker/contract/is-record.ts'
import { authSentence } from './auth-refusals/auth-sentence.ts'
import { authRequest } from './auth-request.ts'
import { publicUrls } from './public-urls.ts'
import { libText } from './texts/t.ts'

export type CallResult<T = unknown> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly code: string | undefined; readonly message: string }

/** POST with a body, otherwise GET. `path` is below /api/auth/organization/. */
export async function callOrganization<T = unknown>(path: string, body?: object): Promise<CallResult<T>> {
  try {
    const response = await fetch(`${publicUrls().apiUrl}/api/auth/organization/${path}`, authRequest(body))
    const answer: unknown = await response.json().catch(() => null)
    // Trusted, because it comes from the same product's server.
    if (response.ok) return { ok: true, value: answer as T }
    return { ok: false, ...refusalIn(answer, response.status) }
  } catch {
    return { ok: false, code: undefined, message: libText('unreachable') }
  }
}

type Refused = { readonly code: string | undefined; readonly message: string }

function refusalIn(answer: unknown, status: number): Refused {
  const body = isRecord(answer) && isRecord(answer.error) ? answer.error : answer
  const code = isRecord(body) && typeof body.code === 'string' ? body.code : undefined
  return { code, message: authSentence(status === 429 ? null : (code ?? null), status) }
}

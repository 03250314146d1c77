/** Requests about tool servers. The row of the server, which changes through sync, shows what became of them. */
import { refusal, refusalIn } from '../../../worker/contract/errors.ts'
import type { ToolServerBody } from '../../../worker/contract/http.ts'
import { publicUrls } from '../public-urls.ts'
import { refusalSentence } from '../refusals/sentence.ts'
import { libText } from '../texts/en.ts'
import { failureSentence } from './failure-sentence.ts'

/** `reason`: a sentence for the user. */
export type CallOutcome = { readonly ok: true; readonly body: ToolServerBody } | { readonly ok: false; readonly reason: string }

/** `path`: after `/api/tool-servers`. */
export async function callServers(method: 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, body?: object): Promise<CallOutcome> {
  try {
    const response = await fetch(`${publicUrls().apiUrl}/api/tool-servers${path}`, {
      method,
      credentials: 'include',
      headers: { accept: 'application/json', ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    })
    if (!response.ok) return { ok: false, reason: refusalSentence(refusalIn(await response.json().catch(() => null))) }
    return { ok: true, body: response.status === 204 ? {} : ((await response.json()) as ToolServerBody) }
  } catch {
    return { ok: false, reason: libText('unreachable') }
  }
}

/** The reason why the server cannot be used, or null. */
export const reasonOf = (outcome: CallOutcome): string | null =>
  !outcome.ok ? outcome.reason : outcome.body.failure ? failureSentence(outcome.body.failure) : null

export const idPath = (id: string, action = ''): string => `/${encodeURIComponent(id)}${action && `/${action}`}`

/** The scopes that the server requires beyond the last login; `address` continues to it. */
export type RequiredScopes = { readonly address: string; readonly scopes: readonly string[] }

/** Leaves the page to log in at the server. If the server requires more rights, `ask` shows them before. Returns the reason if there is no login. */
export async function logInAt(id: string, ask: (required: RequiredScopes) => void): Promise<string | null> {
  const outcome = await callServers('POST', idPath(id, 'login'))
  if (outcome.ok && outcome.body.address) {
    const { address, scopes } = outcome.body
    if (scopes) ask({ address, scopes })
    else location.assign(address)
    return null
  }
  return reasonOf(outcome) ?? refusalSentence(refusal('internal'))
}

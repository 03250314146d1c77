/** Calls about organizations. Writes arrive as synced rows; the response only tells if the call succeeded and why not. */
import { isRecord } from '../../worker/contract/is-record.ts'
import { publicUrls } from './public-urls.ts'

export type CallResult<T = unknown> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly code: string | undefined; readonly message: string }

/** POST with a body, otherwise GET. `path` is below /api/auth/organization/. */
export async function callOrganization<T = unknown>(path: string, body?: object): Promise<CallResult<T>> {
  try {
    const response = await fetch(`${publicUrls().apiUrl}/api/auth/organization/${path}`, {
      method: body ? 'POST' : 'GET',
      credentials: 'include',
      headers: { accept: 'application/json', ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    })
    const answer: unknown = await response.json().catch(() => null)
    // Trusted, because it comes from the same product's server.
    if (response.ok) return { ok: true, value: answer as T }
    return { ok: false, ...refusalIn(answer, response.status) }
  } catch {
    return { ok: false, code: undefined, message: 'The server cannot be reached. Check your connection and try again.' }
  }
}

type Refused = { readonly code: string | undefined; readonly message: string }

function refusalIn(answer: unknown, status: number): Refused {
  const body = isRecord(answer) && isRecord(answer.error) ? answer.error : answer
  const code = isRecord(body) && typeof body.code === 'string' ? body.code : undefined
  const serverMessage = isRecord(body) && typeof body.message === 'string' ? body.message : undefined
  if (status === 429) return { code, message: 'Too many attempts. Wait a minute and try again.' }
  return { code, message: (code && words[code]) ?? sentence(serverMessage) ?? 'That could not be done. Try again.' }
}

/** better-auth's codes whose messages do not tell the user what to do. */
const words: { readonly [code: string]: string } = {
  ORGANIZATION_ALREADY_EXISTS: 'Another organization has this short name. Choose a different one.',
  ORGANIZATION_SLUG_ALREADY_TAKEN: 'Another organization has this short name. Choose a different one.',
  YOU_HAVE_REACHED_THE_MAXIMUM_NUMBER_OF_ORGANIZATIONS: 'You are in as many organizations as one person can be.',
  USER_IS_ALREADY_A_MEMBER_OF_THIS_ORGANIZATION: 'This person is a member already.',
  USER_IS_ALREADY_INVITED_TO_THIS_ORGANIZATION: 'This address is invited already. Send the invitation again from the list below.',
  INVITATION_LIMIT_REACHED: 'Too many invitations are open. Cancel one first.',
  ORGANIZATION_MEMBERSHIP_LIMIT_REACHED: 'The organization has as many members as it can have.',
  INVALID_EMAIL: 'This is not an e-mail address.',
  YOU_CANNOT_LEAVE_THE_ORGANIZATION_AS_THE_ONLY_OWNER:
    'You are the only owner. Make somebody else owner first, or delete the organization.',
  YOU_CANNOT_LEAVE_THE_ORGANIZATION_WITHOUT_AN_OWNER: 'You are the only owner. Make somebody else owner first.',
  INVITATION_NOT_FOUND: 'This invitation is no longer open.',
  YOU_HAVE_REACHED_THE_MAXIMUM_NUMBER_OF_TEAMS: 'The organization has as many teams as it can have.',
}

/** better-auth's messages have no final period. */
const sentence = (text: string | undefined): string | undefined => (text ? (/[.!?]$/.test(text) ? text : `${text}.`) : undefined)

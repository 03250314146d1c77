/** The details on the page of an invitation. A visitor without a session gets them too. */
import type { Env } from '../bindings.ts'
import type { InvitationDetails } from '../contract/http.ts'
import { roleOf } from '../contract/organizations/organization.ts'
import { readInvitation } from '../db/organizations.ts'
import { inviterName } from './mails.ts'

/** Null without an id. The id is in the mail of the invitation only. `viewer`: null for a visitor without a session. */
export async function invitationOnPage(
  env: Env,
  id: string | null,
  viewer: { readonly userId: string; readonly email: string } | null,
): Promise<InvitationDetails | null> {
  if (id === null) return null
  const found = await readInvitation(env, id, viewer?.userId ?? null)
  if (!found) return { state: 'closed', id }
  const { organization, organizationId, inviter, email, role, isMember } = found
  if (isMember) return { state: 'joined', id, organization, organizationId }
  if (found.status !== 'pending' || found.expiresAt.getTime() <= Date.now()) return { state: 'closed', id }
  const isForViewer = viewer !== null && viewer.email.toLowerCase() === email.toLowerCase()
  const forViewer = isForViewer ? { organizationId, role: roleOf(role) } : null
  return { state: 'open', id, organization, inviter: inviterName(inviter), forViewer }
}

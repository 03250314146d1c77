/** The names on the page of an invitation, before anybody logs in. */
import type { Env } from '../bindings.ts'
import type { InvitationDetails } from '../contract/http.ts'
import { openInvitation } from '../db/organizations.ts'
import { inviterName } from './mails.ts'

/** Null without an id, and for an invitation that is not open. The id is in the mail of the invitation only. */
export async function invitationOnPage(env: Env, id: string | null): Promise<InvitationDetails | null> {
  const open = id === null ? null : await openInvitation(env, id, Date.now())
  return id === null || open === null ? null : { id, organization: open.organization, inviter: inviterName(open.inviter) }
}

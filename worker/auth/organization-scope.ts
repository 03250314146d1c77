/**
 * Runs before better-auth handles a call about an organization. An organization, membership, team or invitation of others gets the response
 * of a missing one; better-auth's own responses differ.
 */
import { APIError } from 'better-auth/api'
import * as z from 'zod'
import { refusal } from '../contract/errors.ts'
import { isInvitationTo, isWithinOrganization } from '../db/organizations.ts'
import type { DatabaseBindings } from '../db/shards.ts'

/** Calls that need no membership. */
const openPaths = new Set(['/organization/create', '/organization/check-slug', '/organization/list', '/organization/list-user-invitations'])

/** Calls for the recipient of an invitation, by the field that names the invitation. */
const recipientPaths: ReadonlyMap<string, 'id' | 'invitationId'> = new Map([
  ['/organization/get-invitation', 'id'],
  ['/organization/accept-invitation', 'invitationId'],
  ['/organization/reject-invitation', 'invitationId'],
])

const name = z.string().min(1).optional().catch(undefined)
const named = z.object({
  organizationId: name,
  organizationSlug: name,
  memberId: name,
  memberIdOrEmail: name,
  teamId: name,
  invitationId: name,
  id: name,
})

type Call = {
  readonly path: string
  readonly body: unknown
  readonly query: unknown
  /** Null without a session. */
  readonly session: () => Promise<{
    readonly user: { readonly id: string }
    readonly session: { readonly [field: string]: unknown }
  } | null>
}

export async function mustBeWithinOrganization(env: DatabaseBindings, { path, body, query, session }: Call): Promise<void> {
  if (!path.startsWith('/organization/') || openPaths.has(path)) return
  const found = await session()
  // better-auth refuses calls without a session.
  if (!found) return
  const { memberIdOrEmail, id, ...ids } = named.parse({ ...fieldsOf(query), ...fieldsOf(body) })
  const recipientField = recipientPaths.get(path)
  if (recipientField) {
    const invitationId = recipientField === 'id' ? id : ids.invitationId
    // better-auth refuses a call that names no invitation.
    if (invitationId !== undefined && !(await isInvitationTo(env, invitationId, found.user.id))) throw notFound()
    return
  }
  const memberId = ids.memberId ?? (memberIdOrEmail?.includes('@') ? undefined : memberIdOrEmail)
  const active = found.session.activeOrganizationId
  const organizationId = ids.organizationId ?? (ids.organizationSlug || typeof active !== 'string' ? undefined : active)
  const lookedFor = { ...ids, organizationId, memberId }
  if (Object.values(lookedFor).every((id) => id === undefined)) return
  if (!(await isWithinOrganization(env, { userId: found.user.id, ...lookedFor }))) throw notFound()
}

const notFound = () => new APIError('NOT_FOUND', refusal('not_found'))

const count = z.string().regex(/^\d{1,6}$/)
const listSchema = z.strictObject({
  organizationId: z.optional(z.string()),
  organizationSlug: z.optional(z.string()),
  limit: z.optional(count),
  offset: z.optional(count),
})

/**
 * Rejects other query parameters, because better-auth passes any field, operator and number on to the database. The page needs no sorting
 * or filtering: members arrive through the feed.
 */
export function mustBeListQuery(query: unknown): void {
  if (!listSchema.safeParse(query ?? {}).success) throw new APIError('BAD_REQUEST', refusal('invalid_request'))
}

/** better-auth looks a resource up by its name in an object, and calls what it finds: `constructor` fails with an exception. */
export function rejectPrototypeKeys(body: unknown): void {
  const { permissions } = permissionsSchema.safeParse(body).data ?? {}
  if (Object.keys(permissions ?? {}).some((name) => name in Object.prototype)) throw new APIError('BAD_REQUEST', refusal('invalid_request'))
}

const permissionsSchema = z.object({ permissions: z.custom<object>((value) => typeof value === 'object' && value !== null) })

const fieldsOf = (value: unknown): object => (typeof value === 'object' && value !== null ? value : {})

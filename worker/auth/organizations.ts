/**
 * Options of better-auth's organization plugin: permissions, limits and field validation. Roles are single words. Logos are small inlined
 * images and never URLs of other servers.
 */

import { waitUntil } from 'cloudflare:workers'
import { APIError } from 'better-auth/api'
import { createAccessControl } from 'better-auth/plugins/access'
import type { OrganizationOptions } from 'better-auth/plugins/organization'
import * as z from 'zod'
import { cancelSubscriptionsOf } from '../billing/upkeep.ts'
import type { Env } from '../bindings.ts'
import { type RefusalCode, refusal } from '../contract/errors.ts'
import { isRecord } from '../contract/is-record.ts'
import {
  invitationLifeMs,
  maxLogoChars,
  maxOrganizationMembers,
  maxOrganizationMetadataChars,
  maxOrganizationNameChars,
  maxOrganizationsPerUser,
  maxPendingInvitations,
  maxSlugChars,
  maxTeamNameChars,
  maxTeams,
} from '../contract/limits.ts'
import { nameSchema } from '../contract/names.ts'
import { isLogo, isOrganizationRole, isSlug, organizationActions, organizationGrants } from '../contract/organizations/organization.ts'
import { countMemberships, deleteOrganization, isBeyond, isInvitationTo, isWithinOrganization, metadataOf } from '../db/organizations.ts'
import type { DatabaseBindings } from '../db/shards.ts'
import { notify } from '../user-sync/rpc.ts'
import { invitationMail, type Mailer, mailLanguage } from './mails.ts'

/** The contract's grants in the format of better-auth's access control. */
const organizationAccess = createAccessControl(organizationActions)

const { owner, admin, member } = organizationGrants

const organizationRoles = {
  owner: organizationAccess.newRole({ ...owner }),
  admin: organizationAccess.newRole({ ...admin }),
  member: organizationAccess.newRole({ ...member }),
}

export const organizationOptions = (env: Env, origin: string, send: Mailer) =>
  ({
    ac: organizationAccess,
    roles: organizationRoles,
    creatorRole: 'owner',
    // Guests have no address for invitations.
    allowUserToCreateOrganization: (user) => user.isAnonymous !== true,
    organizationLimit: maxOrganizationsPerUser,
    membershipLimit: maxOrganizationMembers,
    invitationLimit: maxPendingInvitations,
    invitationExpiresIn: invitationLifeMs / 1000,
    requireEmailVerificationOnInvitation: true,
    schema: { organization: { additionalFields: { isSharingOff: { type: 'boolean', required: false }, metadata: metadataField } } },
    teams: { enabled: true, defaultTeam: { enabled: false }, maximumTeams: maxTeams, allowRemovingAllTeams: true },
    sendInvitationEmail: ({ email, id, organization, inviter }, request) =>
      send(invitationMail(mailLanguage(request?.headers), email, inviter.user, organization.name, `${origin}/team/invitation/${id}`)),
    organizationHooks: {
      beforeCreateOrganization: async ({ organization }) => ({ data: { ...organization, ...checked(newOrganization, organization) } }),
      // better-auth counts before the insert, so concurrent requests can exceed the limit. Count again and delete the excess organization.
      afterCreateOrganization: async ({ organization, user }) => {
        // better-auth responds with the JSON that it finds here.
        organization.metadata = JSON.stringify(await metadataOf(env, organization.id))
        if (!(await isBeyond(env, organization.id, user.id, maxOrganizationsPerUser))) return
        await deleteOrganization(env, organization.id, Date.now())
        throw tooMany()
      },
      beforeUpdateOrganization: async ({ organization }) => ({ data: { ...organization, ...checked(changedOrganization, organization) } }),
      // Payments end first, because the customer row is deleted with the organization. One statement then deletes everything by cascade, so
      // that the feed gets rows for the organization and not for each member. better-auth's own deletes find no rows after that.
      beforeDeleteOrganization: async ({ organization }) => {
        await cancelSubscriptionsOf(env, { kind: 'organization', id: organization.id })
        waitUntil(notify(env, await deleteOrganization(env, organization.id, Date.now())))
      },
      // better-auth checks this limit only when an organization is created. Nothing has been written at this point; a guard in D1 decides
      // between concurrent requests.
      beforeAcceptInvitation: async ({ user }) => {
        if ((await countMemberships(env, user.id)) >= maxOrganizationsPerUser) throw tooMany()
      },
      beforeCreateInvitation: async ({ invitation }) => assertRole(invitation.role),
      beforeUpdateMemberRole: async ({ newRole }) => assertRole(newRole),
      beforeCreateTeam: async ({ team }) => ({ data: { ...team, ...checked(teamFields, team) } }),
      beforeUpdateTeam: async ({ updates }) => ({ data: { ...updates, ...checked(teamFields.partial(), updates) } }),
    },
  }) satisfies OrganizationOptions

/**
 * Metadata of an organization is an optional string, but better-auth validates it as an object. So a guard wraps the string before
 * better-auth validates the body, and the schemas here unwrap it.
 */
export function wrapMetadata(path: string, body: unknown): { context: { body: object } } | undefined {
  if (!isRecord(body)) return undefined
  const wrapped = ({ metadata, ...fields }: Record<string, unknown>) => ({ ...fields, metadata: { text: metadata } })
  if (path === '/organization/create') return 'metadata' in body ? { context: { body: wrapped(body) } } : undefined
  const { data } = body
  return isRecord(data) && 'metadata' in data ? { context: { body: { ...body, data: wrapped(data) } } } : undefined
}

/** better-auth writes objects as JSON, so a `String` object reaches `metadataField` as a JSON string, and null as `null`. */
const metadata = z
  .object({ text: z.string().max(maxOrganizationMetadataChars).nullable() })
  .transform(({ text }) => (text === null ? null : Object(text)) as Record<string, unknown>)

/**
 * The column has the text itself, as clients see it. A stored text is read as a `String` object, which a response contains as a string:
 * better-auth would parse a string as JSON after a write.
 */
const metadataField = {
  type: 'string',
  required: false,
  input: false,
  transform: {
    input: (json: unknown) => (typeof json === 'string' ? JSON.parse(json) : json),
    output: (text: unknown) => (typeof text === 'string' ? Object(text) : text),
  },
} as const

const newOrganization = z.object({
  name: nameSchema(maxOrganizationNameChars),
  slug: z.string().max(maxSlugChars).refine(isSlug),
  logo: z
    .string()
    .refine((logo) => isLogo(logo, maxLogoChars))
    .nullish(),
  metadata: metadata.optional(),
  isSharingOff: z.boolean().optional(),
})
const changedOrganization = newOrganization.partial()
const teamFields = z.object({ name: nameSchema(maxTeamNameChars) })

/** Refusal for the first invalid field. */
const refusalOfField: { readonly [field: string]: RefusalCode } = { name: 'name_invalid', slug: 'slug_invalid', logo: 'logo_invalid' }

/** The given fields after validation. */
function checked<T extends object>(schema: z.ZodType<T>, value: unknown): { [Field in keyof T]: Exclude<T[Field], undefined> } {
  const { data, error } = schema.safeParse(value)
  // Without known fields better-auth would run an update without columns.
  if (data && Object.keys(data).length === 0) throw refused('invalid_request')
  // Zod copies only the keys that are present, and JSON contains no undefined values.
  if (!error) return data as ReturnType<typeof checked<T>>
  throw refused(refusalOfField[String(error.issues[0]?.path[0])] ?? 'invalid_request')
}

function assertRole(role: string): void {
  if (!isOrganizationRole(role)) throw refused('invalid_request')
}

/** The error of better-auth. */
const tooMany = () =>
  new APIError('FORBIDDEN', {
    code: 'YOU_HAVE_REACHED_THE_MAXIMUM_NUMBER_OF_ORGANIZATIONS',
  })

const refused = (code: RefusalCode) => new APIError('BAD_REQUEST', refusal(code))

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

/**
 * Runs before better-auth handles a call about an organization. An organization, membership, team or invitation of others gets the response
 * of a missing one; better-auth's own responses differ.
 */
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

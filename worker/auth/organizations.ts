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
import { countMemberships, deleteOrganization, isBeyond, metadataOf } from '../db/organizations.ts'
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
        await deleteOrganization(env, organization.id)
        throw tooMany()
      },
      beforeUpdateOrganization: async ({ organization }) => ({ data: { ...organization, ...checked(changedOrganization, organization) } }),
      // Payments end first, because the customer row is deleted with the organization. One statement then deletes everything by cascade, so
      // that the feed gets rows for the organization and not for each member. better-auth's own deletes find no rows after that.
      beforeDeleteOrganization: async ({ organization }) => {
        await cancelSubscriptionsOf(env, { kind: 'organization', id: organization.id })
        waitUntil(notify(env, await deleteOrganization(env, organization.id)))
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

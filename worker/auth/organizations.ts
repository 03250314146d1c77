/**
 * Organizations as better-auth's plugin runs them: who may make one, what may stand in one, how many of everything.
 * Roles are single words; logos are small pictures and never addresses of somebody's server.
 */
import { APIError } from 'better-auth/api'
import type { OrganizationOptions } from 'better-auth/plugins/organization'
import * as z from 'zod'
import { cancelSubscriptionsOf } from '../billing/upkeep.ts'
import { type RefusalCode, refusal } from '../contract/errors.ts'
import {
  invitationLifeMs,
  maxLogoChars,
  maxOrganizationMembers,
  maxOrganizationNameChars,
  maxOrganizationsPerPerson,
  maxPendingInvitations,
  maxSlugChars,
  maxTeamNameChars,
  maxTeams,
} from '../contract/limits.ts'
import { isLogo, isOrganizationRole, isSlug } from '../contract/organization.ts'
import { countMemberships, deleteOrganization, isBeyond } from '../db/organizations.ts'
import type { Env } from '../env.ts'
import type { Mailer } from './mailer.ts'
import { invitationMail } from './mails.ts'
import { organizationAccess, organizationRoles } from './organization-roles.ts'

export const organizationOptions = (env: Env, origin: string, send: Mailer) =>
  ({
    ac: organizationAccess,
    roles: organizationRoles,
    creatorRole: 'owner',
    // Guests have no address to be invited back by.
    allowUserToCreateOrganization: (user) => user.isAnonymous !== true,
    organizationLimit: maxOrganizationsPerPerson,
    membershipLimit: maxOrganizationMembers,
    invitationLimit: maxPendingInvitations,
    invitationExpiresIn: invitationLifeMs / 1000,
    requireEmailVerificationOnInvitation: true,
    teams: { enabled: true, defaultTeam: { enabled: false }, maximumTeams: maxTeams, allowRemovingAllTeams: true },
    sendInvitationEmail: ({ email, id, organization, inviter }) =>
      send(invitationMail(email, inviter.user, organization.name, `${origin}/team/invitation/${id}`)),
    organizationHooks: {
      beforeCreateOrganization: async ({ organization }) => ({ data: { ...organization, ...checked(newOrganization, organization) } }),
      // better-auth counts before it makes one, and of many that are asked for at once it makes all.
      afterCreateOrganization: async ({ organization, user }) => {
        if (!(await isBeyond(env, organization.id, user.id, maxOrganizationsPerPerson))) return
        await deleteOrganization(env, organization.id)
        throw tooMany()
      },
      beforeUpdateOrganization: async ({ organization }) => ({ data: { ...organization, ...checked(changedOrganization, organization) } }),
      // Its payments end first: afterwards nobody here knows what it pays for. Then at once and whole, members with it; what better-auth
      // does after this finds nothing left to delete.
      beforeDeleteOrganization: async ({ organization }) => {
        await cancelSubscriptionsOf(env, { kind: 'organization', id: organization.id })
        await deleteOrganization(env, organization.id)
      },
      // better-auth bounds only the making of one. Seen here, nothing was written yet; of several at once the record refuses what is too much.
      beforeAcceptInvitation: async ({ user }) => {
        if ((await countMemberships(env, user.id)) >= maxOrganizationsPerPerson) throw tooMany()
      },
      beforeCreateInvitation: async ({ invitation }) => assertRole(invitation.role),
      beforeUpdateMemberRole: async ({ newRole }) => assertRole(newRole),
      beforeCreateTeam: async ({ team }) => ({ data: { ...team, ...checked(teamFields, team) } }),
      beforeUpdateTeam: async ({ updates }) => ({ data: { ...updates, ...checked(teamFields.partial(), updates) } }),
    },
  }) satisfies OrganizationOptions

const name = (maxChars: number) => z.string().trim().min(1).max(maxChars)

const newOrganization = z.object({
  name: name(maxOrganizationNameChars),
  slug: z.string().max(maxSlugChars).refine(isSlug),
  logo: z
    .string()
    .refine((logo) => isLogo(logo, maxLogoChars))
    .nullish(),
  // Ours has no use for it, and what stands in it would go to every member.
  metadata: z.never().optional(),
})
const changedOrganization = newOrganization.partial()
const teamFields = z.object({ name: name(maxTeamNameChars) })

/** By the field that is wrong first. */
const refusalOfField: { readonly [field: string]: RefusalCode } = { name: 'name_invalid', slug: 'slug_invalid', logo: 'logo_invalid' }

/** What was given of the fields, as the schema leaves it. */
function checked<T extends object>(schema: z.ZodType<T>, value: unknown): { [Field in keyof T]: Exclude<T[Field], undefined> } {
  const { data, error } = schema.safeParse(value)
  // Nothing that we know, which better-auth would hand on to the database as nothing to write.
  if (data && Object.keys(data).length === 0) throw refused('invalid_request')
  // Zod copies only the keys that are there, and none of ours is undefined in JSON.
  if (!error) return data as ReturnType<typeof checked<T>>
  throw refused(refusalOfField[String(error.issues[0]?.path[0])] ?? 'invalid_request')
}

function assertRole(role: string): void {
  if (!isOrganizationRole(role)) throw refused('invalid_request')
}

/** As better-auth says it. */
const tooMany = () =>
  new APIError('FORBIDDEN', {
    code: 'YOU_HAVE_REACHED_THE_MAXIMUM_NUMBER_OF_ORGANIZATIONS',
    message: 'You have reached the maximum number of organizations',
  })

const refused = (code: RefusalCode) => new APIError('BAD_REQUEST', refusal(code))

/** The tables of organizations as clients see them; the rules of `schema.ts` apply. Every member sees all rows. */
import { boolean, json, number, relationships, string, table } from '@rocicorp/zero'
import { sharedPrompt } from '../threads/prompts.ts'
import { organizationToolServer } from '../tools/tool-servers.ts'
import type { Subscription } from './subscription.ts'

type InvitationStatus = 'pending' | 'accepted' | 'rejected' | 'canceled'

export const organization = table('organization')
  .columns({
    id: string(),
    name: string(),
    slug: string().optional(),
    logo: string().optional(),
    createdAt: number(),
    metadata: string().optional(),
    /** True: members share no threads, and their links do not work. */
    isSharingOff: boolean().optional(),
  })
  .primaryKey('id')

export const member = table('member')
  .columns({
    id: string(),
    organizationId: string(),
    userId: string(),
    role: string().optional(),
    createdAt: number(),
  })
  .primaryKey('id')

/** The profile that other members see. Its id is the id of the membership. */
export const memberProfile = table('memberProfile')
  .columns({
    id: string(),
    organizationId: string(),
    userId: string(),
    name: string(),
    email: string(),
    image: string().optional(),
  })
  .primaryKey('id')

export const invitation = table('invitation')
  .columns({
    id: string(),
    organizationId: string(),
    email: string(),
    role: string().optional(),
    teamId: string().optional(),
    status: string<InvitationStatus>(),
    expiresAt: number(),
    createdAt: number(),
    inviterId: string(),
  })
  .primaryKey('id')

export const team = table('team')
  .columns({
    id: string(),
    name: string(),
    /** Maintained by better-auth for its limit. */
    memberCount: number(),
    organizationId: string(),
    createdAt: number(),
    updatedAt: number().optional(),
  })
  .primaryKey('id')

export const teamMember = table('teamMember')
  .columns({
    id: string(),
    teamId: string(),
    userId: string(),
    /** better-auth's unique key of a membership, which prevents duplicates. */
    membershipKey: string().optional(),
    createdAt: number().optional(),
  })
  .primaryKey('id')

export const organizationCustomer = table('organizationCustomer')
  .columns({
    id: string(),
    organizationId: string(),
    subscription: json<Subscription>().optional(),
  })
  .primaryKey('id')

export const memberRelations = relationships(member, ({ one }) => ({
  organization: one({ sourceField: ['organizationId'], destField: ['id'], destSchema: organization }),
  profile: one({ sourceField: ['id'], destField: ['id'], destSchema: memberProfile }),
}))

export const organizationRelations = relationships(organization, ({ one, many }) => ({
  members: many({ sourceField: ['id'], destField: ['organizationId'], destSchema: member }),
  invitations: many({ sourceField: ['id'], destField: ['organizationId'], destSchema: invitation }),
  teams: many({ sourceField: ['id'], destField: ['organizationId'], destSchema: team }),
  customer: one({ sourceField: ['id'], destField: ['organizationId'], destSchema: organizationCustomer }),
  prompts: many({ sourceField: ['id'], destField: ['organizationId'], destSchema: sharedPrompt }),
  toolServers: many({ sourceField: ['id'], destField: ['organizationId'], destSchema: organizationToolServer }),
}))

export const teamRelations = relationships(team, ({ many }) => ({
  members: many({ sourceField: ['id'], destField: ['teamId'], destSchema: teamMember }),
}))

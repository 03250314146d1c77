/**
 * The directory with its relations, by the names that better-auth's joins ask for: a session is read with its user in one statement,
 * an organization with its members. Every join of better-auth 1.7.25 is here; one that is missing makes drizzle throw.
 */
import { relations } from 'drizzle-orm'
import { type DatabaseBindings, directoryDb, orm } from './shards.ts'
import { invitation, member, organization, team, teamMember } from './tables/organizations.ts'
import { account, jwks, rateLimit, session, user, verification } from './tables/users.ts'

/** By the names of better-auth's models. */
export const directoryTables = {
  user,
  session,
  account,
  verification,
  jwks,
  rateLimit,
  organization,
  member,
  invitation,
  team,
  teamMember,
}

const directoryRelations = {
  userRelations: relations(user, ({ many }) => ({ accounts: many(account) })),
  sessionRelations: relations(session, ({ one }) => ({ user: one(user, { fields: [session.userId], references: [user.id] }) })),
  accountRelations: relations(account, ({ one }) => ({ user: one(user, { fields: [account.userId], references: [user.id] }) })),
  organizationRelations: relations(organization, ({ many }) => ({
    members: many(member),
    invitations: many(invitation),
    teams: many(team),
  })),
  memberRelations: relations(member, ({ one }) => ({
    user: one(user, { fields: [member.userId], references: [user.id] }),
    organization: one(organization, { fields: [member.organizationId], references: [organization.id] }),
  })),
  invitationRelations: relations(invitation, ({ one }) => ({
    organization: one(organization, { fields: [invitation.organizationId], references: [organization.id] }),
  })),
  teamRelations: relations(team, ({ one, many }) => ({
    organization: one(organization, { fields: [team.organizationId], references: [organization.id] }),
    teamMembers: many(teamMember),
  })),
  teamMemberRelations: relations(teamMember, ({ one }) => ({
    team: one(team, { fields: [teamMember.teamId], references: [team.id] }),
  })),
}

export const directoryOrm = (env: DatabaseBindings) => orm(directoryDb(env), { ...directoryTables, ...directoryRelations })

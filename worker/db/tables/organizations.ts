/**
 * The directory's tables about organizations, their teams and invitations. better-auth's organization plugin owns all but `memberProfile`,
 * `sharedPrompt` and the tool servers.
 */
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { secretColumns, serverColumns } from './tool-server-columns.ts'

export const organization = sqliteTable('organization', {
  id: text().primaryKey(),
  name: text().notNull(),
  slug: text().unique(),
  logo: text(),
  createdAt: integer({ mode: 'timestamp_ms' }).notNull(),
  metadata: text(),
  isSharingOff: integer({ mode: 'boolean' }),
})

export const member = sqliteTable('member', {
  id: text().primaryKey(),
  organizationId: text().notNull(),
  userId: text().notNull(),
  role: text().default('member'),
  createdAt: integer({ mode: 'timestamp_ms' }).notNull(),
})

/** The profile that other members see: a projection of `user`, one row per membership, kept by triggers. */
export const memberProfile = sqliteTable('memberProfile', {
  id: text().primaryKey(),
  organizationId: text().notNull(),
  userId: text().notNull(),
  name: text().notNull(),
  email: text().notNull(),
  image: text(),
})

/** A prompt that a member shares with the organization. Mutators of the author and of administrators write it (worker/db/writes.ts). */
export const sharedPrompt = sqliteTable('sharedPrompt', {
  id: text().primaryKey(),
  organizationId: text().notNull(),
  memberId: text().notNull(),
  userId: text().notNull(),
  name: text().notNull(),
  text: text().notNull(),
  updatedAt: integer().notNull(),
  deletedAt: integer(),
})

export const invitation = sqliteTable('invitation', {
  id: text().primaryKey(),
  organizationId: text().notNull(),
  email: text().notNull(),
  role: text(),
  teamId: text(),
  status: text().notNull().default('pending'),
  expiresAt: integer({ mode: 'timestamp_ms' }).notNull(),
  createdAt: integer({ mode: 'timestamp_ms' }).notNull(),
  inviterId: text().notNull(),
})

export const team = sqliteTable('team', {
  id: text().primaryKey(),
  name: text().notNull(),
  memberCount: integer().notNull().default(0),
  organizationId: text().notNull(),
  createdAt: integer({ mode: 'timestamp_ms' }).notNull(),
  updatedAt: integer({ mode: 'timestamp_ms' }),
})

export const teamMember = sqliteTable('teamMember', {
  id: text().primaryKey(),
  teamId: text().notNull(),
  userId: text().notNull(),
  membershipKey: text().unique(),
  createdAt: integer({ mode: 'timestamp_ms' }),
})

/** Servers of tools that owners and admins manage. Clients of members receive them without `url`. */
export const organizationToolServer = sqliteTable('organizationToolServer', {
  id: text().primaryKey(),
  organizationId: text().notNull(),
  host: text().notNull(),
  ...serverColumns(),
})

export const organizationToolServerSecret = sqliteTable('organizationToolServerSecret', {
  id: text().primaryKey(),
  organizationId: text().notNull(),
  ...secretColumns(),
})

/**
 * The directory's tables of users and authentication. better-auth 1.7.25 reads and writes them through drizzle, so property names are its
 * field names. SQL: migrations/0001_accounts.sql; tests/workerd/db/tables.test.ts compares the two.
 */
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

export const user = sqliteTable('user', {
  id: text().primaryKey(),
  name: text().notNull(),
  email: text().notNull().unique(),
  emailVerified: integer({ mode: 'boolean' }).notNull().default(false),
  image: text(),
  isAnonymous: integer({ mode: 'boolean' }).default(false),
  createdAt: integer({ mode: 'timestamp_ms' }).notNull(),
  updatedAt: integer({ mode: 'timestamp_ms' }).notNull(),
})

export const session = sqliteTable('session', {
  id: text().primaryKey(),
  expiresAt: integer({ mode: 'timestamp_ms' }).notNull(),
  token: text().notNull().unique(),
  createdAt: integer({ mode: 'timestamp_ms' }).notNull(),
  updatedAt: integer({ mode: 'timestamp_ms' }).notNull(),
  ipAddress: text(),
  userAgent: text(),
  userId: text().notNull(),
  activeOrganizationId: text(),
  activeTeamId: text(),
})

export const account = sqliteTable('account', {
  id: text().primaryKey(),
  accountId: text().notNull(),
  providerId: text().notNull(),
  userId: text().notNull(),
  accessToken: text(),
  refreshToken: text(),
  idToken: text(),
  accessTokenExpiresAt: integer({ mode: 'timestamp_ms' }),
  refreshTokenExpiresAt: integer({ mode: 'timestamp_ms' }),
  scope: text(),
  password: text(),
  createdAt: integer({ mode: 'timestamp_ms' }).notNull(),
  updatedAt: integer({ mode: 'timestamp_ms' }).notNull(),
})

export const verification = sqliteTable('verification', {
  id: text().primaryKey(),
  identifier: text().notNull(),
  value: text().notNull(),
  expiresAt: integer({ mode: 'timestamp_ms' }).notNull(),
  createdAt: integer({ mode: 'timestamp_ms' }).notNull(),
  updatedAt: integer({ mode: 'timestamp_ms' }).notNull(),
})

export const jwks = sqliteTable('jwks', {
  id: text().primaryKey(),
  publicKey: text().notNull(),
  privateKey: text().notNull(),
  createdAt: integer({ mode: 'timestamp_ms' }).notNull(),
  expiresAt: integer({ mode: 'timestamp_ms' }),
  alg: text(),
  crv: text(),
})

export const rateLimit = sqliteTable('rateLimit', {
  id: text().primaryKey(),
  key: text().notNull().unique(),
  count: integer().notNull(),
  lastRequest: integer().notNull(),
})

/** Mail of development; see worker/auth/mails.ts. */
export const outbox = sqliteTable('outbox', {
  id: text().primaryKey(),
  recipient: text().notNull(),
  subject: text().notNull(),
  body: text().notNull(),
  createdAt: integer().notNull(),
  html: text(),
})

/** Usage of a deleted account on its last day, by a keyed digest of its e-mail address. */
export const usedBefore = sqliteTable('usedBefore', {
  address: text().primaryKey(),
  day: integer().notNull(),
  credits: integer().notNull(),
  search: integer().notNull(),
  research: integer().notNull(),
  unpaid: integer().notNull(),
  forks: integer().notNull(),
  mutations: integer().notNull().default(0),
})

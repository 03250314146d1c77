/** The directory's tables that a person reads but does not write: the models, and who pays for what. */
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { Access, Capability, Subscription } from '../../contract/schema.ts'

export const model = sqliteTable('model', {
  id: text().primaryKey(),
  name: text().notNull(),
  model: text().notNull(),
  provider: text().notNull(),
  description: text().notNull(),
  capabilities: text({ mode: 'json' }).$type<readonly Capability[]>(),
  effort: text({ mode: 'json' }).$type<readonly string[]>(),
  icon: text().notNull(),
  credits: integer(),
  access: text().$type<Access>(),
  inputMicroDollarsPerMillionTokens: integer(),
  outputMicroDollarsPerMillionTokens: integer(),
  position: integer().notNull(),
  createdAt: integer().notNull(),
  updatedAt: integer().notNull(),
})

export const userCustomer = sqliteTable('userCustomer', {
  id: text().primaryKey(),
  userId: text().notNull().unique(),
  subscription: text({ mode: 'json' }).$type<Subscription>(),
})

export const organizationCustomer = sqliteTable('organizationCustomer', {
  id: text().primaryKey(),
  organizationId: text().notNull().unique(),
  subscription: text({ mode: 'json' }).$type<Subscription>(),
})

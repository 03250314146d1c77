/** The directory's tables that users read but do not write: models, Stripe customers and their subscriptions. */
import { customType, integer, real, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { Capability } from '../../contract/files/files.ts'
import type { Access, ModelOptions } from '../../contract/models/model-table.ts'
import type { Subscription } from '../../contract/organizations/subscription.ts'
import { parsedJson } from '../../contract/parsed-json.ts'

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
  contextTokens: integer(),
  maxOutputTokens: integer(),
  position: integer().notNull(),
  createdAt: integer().notNull(),
  updatedAt: integer().notNull(),
  unavailable: text(),
  temperature: real(),
  options: text({ mode: 'json' }).$type<ModelOptions>(),
  cachedInputMicroDollarsPerMillionTokens: integer(),
  fallbackIds: text({ mode: 'json' }).$type<readonly string[]>(),
})

/** Invalid JSON is read as null, because such a row must not fail a request. Stripe's next event replaces it. */
const storedSubscription = customType<{ data: Subscription | null; driverData: string }>({
  dataType: () => 'text',
  toDriver: (subscription) => JSON.stringify(subscription),
  fromDriver: (json) => (parsedJson(json) ?? null) as Subscription | null,
})

export const userCustomer = sqliteTable('userCustomer', {
  id: text().primaryKey(),
  userId: text().notNull().unique(),
  subscription: storedSubscription(),
})

export const organizationCustomer = sqliteTable('organizationCustomer', {
  id: text().primaryKey(),
  organizationId: text().notNull().unique(),
  subscription: storedSubscription(),
})

/** Leases on requests to Stripe about one customer; see worker/db/leases.ts. */
export const billingLease = sqliteTable('billingLease', {
  id: text().primaryKey(),
  fence: integer().notNull(),
  untilMs: integer().notNull(),
})

/** Objects of the Stripe simulation in development. */
export const paymentObject = sqliteTable('paymentObject', {
  id: text().primaryKey(),
  kind: text().notNull(),
  customer: text(),
  body: text().notNull(),
  createdAt: integer().notNull(),
})

/** The content's tables of which a person has one row each, and the ledger that one of them is a projection of. */
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { Mode } from '../../contract/schema.ts'

export const setting = sqliteTable('setting', {
  id: text().primaryKey(),
  userId: text().notNull().unique(),
  mode: text().$type<Mode>().default('dark'),
  theme: text().default('default'),
  nickname: text(),
  biography: text(),
  instructions: text(),
  modelId: text(),
  pinnedModels: text({ mode: 'json' }).$type<readonly string[]>(),
})

/** Never written directly: the ledger's triggers keep it. */
export const usage = sqliteTable('usage', {
  id: text().primaryKey(),
  userId: text().notNull().unique(),
  credits: integer().default(0),
  search: integer().default(0),
  research: integer().default(0),
  day: integer(),
})

/** Append only. `id` is generationId + ':' + kind; counts are signed; limits are checked when kind is reserve. */
export const creditLedger = sqliteTable('creditLedger', {
  id: text().primaryKey(),
  userId: text().notNull(),
  generationId: text().notNull(),
  kind: text().$type<'reserve' | 'settle' | 'release'>().notNull(),
  credits: integer().notNull(),
  day: integer().notNull(),
  dailyLimit: integer(),
  createdAt: integer().notNull(),
  search: integer().notNull().default(0),
  research: integer().notNull().default(0),
  searchLimit: integer(),
  researchLimit: integer(),
})

/** Content tables with one row per user, and the credit ledger from which `usage` derives. */
import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { LanguageChoice } from '../../contract/languages.ts'
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
  language: text().$type<LanguageChoice>(),
  isMemoryOn: integer({ mode: 'boolean' }),
  dailyCreditLimit: integer(),
  monthlyCreditLimit: integer(),
})

/** Written by triggers only: those of the ledger, of contentUse and of setting. */
export const usage = sqliteTable('usage', {
  id: text().primaryKey(),
  userId: text().notNull().unique(),
  credits: integer().default(0),
  search: integer().default(0),
  research: integer().default(0),
  day: integer(),
  contentBytes: integer().default(0),
  contentRows: integer().default(0),
  forks: integer().default(0),
  forkDay: integer(),
  mutations: integer().default(0),
  mutationDay: integer(),
  dailyCreditLimit: integer(),
  monthlyCreditLimit: integer(),
  monthStart: integer(),
  monthCredits: integer().default(0),
})

/** Sums of the ledger and of modelRequest, kept by their triggers. Linking adds the rows of a guest to those of the account. */
export const dailyUse = sqliteTable('dailyUse', {
  id: text().primaryKey(),
  userId: text().notNull(),
  day: integer().notNull(),
  modelId: text().notNull(),
  projectId: text(),
  credits: integer().notNull(),
  searches: integer().notNull(),
  tokens: integer().notNull(),
  microDollars: integer().notNull(),
  unpriced: integer().notNull(),
})

/**
 * Exact count of a user's stored content. Triggers of thread, message and queuedMessage maintain it. The limits are those of the last
 * checked write.
 */
export const contentUse = sqliteTable('contentUse', {
  userId: text().primaryKey(),
  bytes: integer().notNull().default(0),
  rows: integer().notNull().default(0),
  maxBytes: integer(),
  maxRows: integer(),
  forks: integer().notNull().default(0),
  /** UTC days since the epoch. */
  forkDay: integer().notNull().default(0),
  maxForks: integer(),
  mutations: integer().notNull().default(0),
  mutationDay: integer().notNull().default(0),
  checkedBytes: integer().notNull().default(0),
  checkedRows: integer().notNull().default(0),
  countFrom: integer(),
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
  unpaid: integer().notNull().default(0),
  /** The cost that the unpaid turn would have had. Null for other rows. */
  unpaidCredits: integer(),
  /** The limits that the user had set. */
  ownDailyLimit: integer(),
  monthlyLimit: integer(),
})

/** Append only. One answered request to a model. `id` is generationId + ':' + purpose + ':' + number; null counts are unknown. */
export const modelRequest = sqliteTable('modelRequest', {
  id: text().primaryKey(),
  userId: text().notNull(),
  generationId: text().notNull(),
  purpose: text().$type<'answer' | 'title'>().notNull(),
  day: integer().notNull(),
  model: text().notNull(),
  provider: text().notNull(),
  inputTokens: integer(),
  cachedInputTokens: integer(),
  outputTokens: integer(),
  reasoningTokens: integer(),
  microDollars: integer(),
})

/** Sums of `modelRequest`, kept by its trigger. An empty `userId`: deleted users. */
export const dailyModelUse = sqliteTable(
  'dailyModelUse',
  {
    day: integer().notNull(),
    userId: text().notNull(),
    model: text().notNull(),
    provider: text().notNull(),
    requests: integer().notNull(),
    unpriced: integer().notNull(),
    inputTokens: integer().notNull(),
    cachedInputTokens: integer().notNull(),
    outputTokens: integer().notNull(),
    reasoningTokens: integer().notNull(),
    microDollars: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.day, table.userId, table.model, table.provider] })],
)

/** The network that a guest was created from, as a keyed digest; accounts have no row. */
export const guestNetwork = sqliteTable('guestNetwork', {
  userId: text().primaryKey(),
  network: text().notNull(),
})

/** Maintained only by triggers: of the ledger, of `contentUse` and of `attachment`. The row with an empty network is the sum of all networks. */
export const guestUse = sqliteTable(
  'guestUse',
  {
    day: integer().notNull(),
    network: text().notNull(),
    credits: integer().notNull(),
    bytes: integer().notNull().default(0),
    rows: integer().notNull().default(0),
    fileBytes: integer().notNull().default(0),
  },
  (table) => [primaryKey({ columns: [table.day, table.network] })],
)

/** worker/auth/networks.ts. */
const wideSizes = ['site', 'block', 'provider'] as const

/** The wider networks that contain the network of a guest, as keyed digests. Deleted with the last guest of the network. */
export const guestWideNetwork = sqliteTable(
  'guestWideNetwork',
  {
    network: text().notNull(),
    size: text({ enum: wideSizes }).notNull(),
    wide: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.network, table.size] })],
)

/** Maintained only by the triggers of `guestUse`: the sums of the networks within a wider one. */
export const guestWideUse = sqliteTable(
  'guestWideUse',
  {
    day: integer().notNull(),
    wide: text().notNull(),
    size: text({ enum: wideSizes }).notNull(),
    credits: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.day, table.wide] })],
)

/** Maintained only by triggers: the counters of `guestUse` that a reservation was added to. */
export const guestReservation = sqliteTable('guestReservation', {
  generationId: text().primaryKey(),
  network: text().notNull(),
  day: integer().notNull(),
})

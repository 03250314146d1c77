/** Persistent state of the sync protocol: progress of each client, unacknowledged error results, and the change feeds. */
import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

export const clientProgress = sqliteTable(
  'clientProgress',
  {
    userId: text().notNull(),
    clientGroupID: text().notNull(),
    clientID: text().notNull(),
    lastMutationID: integer().notNull().default(0),
    updatedAt: integer().notNull(),
    /** `lastMutationID` before the newest commit; a trigger compares it with the stored one. */
    previousMutationID: integer().notNull().default(0),
  },
  (table) => [primaryKey({ columns: [table.userId, table.clientGroupID, table.clientID] })],
)

export const mutationResult = sqliteTable(
  'mutationResult',
  {
    userId: text().notNull(),
    clientGroupID: text().notNull(),
    clientID: text().notNull(),
    mutationID: integer().notNull(),
    result: text({ mode: 'json' }).notNull(),
    createdAt: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.userId, table.clientGroupID, table.clientID, table.mutationID] })],
)

/** Guests who were linked to an account; see worker/db/account-linking.ts. */
export const linking = sqliteTable('linking', {
  guestId: text().primaryKey(),
  accountId: text().notNull(),
  createdAt: integer().notNull(),
  /** The account's limits, checked when the row is inserted. Null: not checked. */
  maxBytes: integer(),
  maxRows: integer(),
  maxFileBytes: integer(),
  /** True in the guest's database if the account uses another one: the guest's rows were moved there or are being moved. */
  isElsewhere: integer({ mode: 'boolean' }).notNull().default(false),
  /** Null until all steps of the linking are complete. */
  finishedAt: integer(),
})

/** Accounts that are being deleted; see worker/db/delete-user.ts. */
export const accountDeletion = sqliteTable('accountDeletion', {
  userId: text().primaryKey(),
  startedAt: integer().notNull(),
  settledAt: integer(),
})

/** Both feeds have the same columns. Only triggers write them. */
const changeColumns = () => ({
  seq: integer().primaryKey({ autoIncrement: true }),
  scope: text().notNull(),
  tbl: text().notNull(),
  rowId: text().notNull(),
  op: text().$type<'i' | 'u' | 'd'>().notNull(),
  /** Filled by the table's default. */
  at: integer().notNull().default(0),
})

export const contentChange = sqliteTable('contentChange', changeColumns())
export const directoryChange = sqliteTable('directoryChange', changeColumns())

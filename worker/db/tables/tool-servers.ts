/** Content tables of tool servers. Clients receive `toolServer` unchanged, and never the others. `tokenRevocation` is in the directory, too. */
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { secretColumns, serverColumns } from './tool-server-columns.ts'

export const toolServer = sqliteTable('toolServer', { id: text().primaryKey(), userId: text().notNull(), ...serverColumns() })

export const toolServerSecret = sqliteTable('toolServerSecret', { id: text().primaryKey(), userId: text().notNull(), ...secretColumns() })

export const tokenRevocation = sqliteTable('tokenRevocation', {
  id: text().primaryKey(),
  sealed: text().notNull(),
  createdAt: integer().notNull(),
  attempts: integer().notNull().default(0),
  dueAt: integer().notNull(),
})

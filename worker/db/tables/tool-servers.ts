/** Content tables of tool servers. Clients receive `toolServer` unchanged, and never `toolServerSecret`. */
import { sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { secretColumns, serverColumns } from './tool-server-columns.ts'

export const toolServer = sqliteTable('toolServer', { id: text().primaryKey(), userId: text().notNull(), ...serverColumns() })

export const toolServerSecret = sqliteTable('toolServerSecret', { id: text().primaryKey(), userId: text().notNull(), ...secretColumns() })

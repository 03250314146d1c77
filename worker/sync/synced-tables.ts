/** The contract's tables as the engine takes them, and the indexes that named queries need. */
import { schema } from '../contract/schema.ts'
import type { Tables } from './engine/types.ts'

export const syncedTables: Tables = schema.tables

/** Changes whenever a deploy changes the tables; rows imported for others are imported again. */
export const syncedShape = JSON.stringify(Object.values(syncedTables).map(({ name, columns, primaryKey }) => [name, columns, primaryKey]))

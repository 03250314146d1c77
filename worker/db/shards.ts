/**
 * The only doors to D1. Both groups live in one database unless a second is bound for the directory; tomorrow content may be spread over many by
 * a stable hash of its owner's id, and only this file will know. So nothing joins or batches across the two.
 */
import { type DrizzleD1Database, drizzle } from 'drizzle-orm/d1'

export type DatabaseBindings = {
  readonly DB: D1Database
  /** The directory's, when it has a database of its own. */
  readonly DIRECTORY_DB?: D1Database
}

/** Accounts, sessions, organizations, customers, models. */
export const directoryDb = (env: DatabaseBindings): D1Database => env.DIRECTORY_DB ?? env.DB

/** Threads, messages, settings, usage, client progress of one person. */
export const contentDb = (env: DatabaseBindings, _userId: string): D1Database => env.DB

/** Every database that holds content, for jobs that visit them all. */
export const contentDbs = (env: DatabaseBindings): readonly D1Database[] => [env.DB]

/** Typed statements over one of the above; a wrapper without state, made where it is needed. `schema` is for queries that join. */
export const orm = <Schema extends Record<string, unknown> = Record<string, never>>(
  database: D1Database,
  schema?: Schema,
): DrizzleD1Database<Schema> => drizzle<Schema>(database, schema ? { schema } : {})

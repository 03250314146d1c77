/**
 * The databases. `DB` is the directory. `CONTENT_DB_1`, `CONTENT_DB_2`, … hold the content; without `CONTENT_DB_1` the first content database
 * is `DB` too. A new user gets the newest content database, and its number is part of the user's id, so no lookup is needed to find a user's
 * content and adding a database moves no rows. All databases have the same migrations. No statement joins or batches across databases.
 */
import type { SQLWrapper } from 'drizzle-orm'
import { type DrizzleD1Database, drizzle } from 'drizzle-orm/d1'
import { SQLiteAsyncDialect } from 'drizzle-orm/sqlite-core'
import { idChars } from '../contract/ids.ts'
import { newId } from './new-id.ts'

export type DatabaseBindings = { readonly DB: D1Database } & { readonly [binding in `CONTENT_DB_${number}`]?: D1Database }

/** Accounts, sessions, organizations, customers, models. */
export const directoryDb = (env: DatabaseBindings): D1Database => env.DB

/** Threads, messages, settings, usage and client progress of one user. */
export const contentDb = (env: DatabaseBindings, userId: string): D1Database => numberedDb(env, contentNumberOf(userId))

/** Every database that holds content, in the order of their numbers. */
export function contentDbs(env: DatabaseBindings): readonly D1Database[] {
  const newest = newestContentNumber(env)
  return Array.from({ length: newest }, (_, i) => numberedDb(env, i + 1))
}

/** Assigns the newest content database. Ids of its users end in `-2`, `-3`, …; those of the first database have no ending. */
export function newUserId(env: DatabaseBindings): string {
  const newest = newestContentNumber(env)
  return newest === 1 ? newId() : `${newId()}-${newest}`
}

/** The position of the ending is fixed, because random ids contain hyphens and digits too. */
const numberedId = new RegExp(`^.{${idChars}}-([1-9][0-9]*)$`)

const contentNumberOf = (userId: string): number => Number(numberedId.exec(userId)?.[1] ?? 1)

function newestContentNumber(env: DatabaseBindings): number {
  let newest = 1
  while (env[`CONTENT_DB_${newest + 1}`]) newest += 1
  return newest
}

function numberedDb(env: DatabaseBindings, number: number): D1Database {
  const database = env[`CONTENT_DB_${number}`] ?? (number === 1 ? env.DB : null)
  if (!database) throw new Error(`CONTENT_DB_${number} is not bound, but holds the content of users`)
  return database
}

/** A stateless Drizzle wrapper for one of the databases. `schema` is needed for queries that join. */
export const orm = <Schema extends Record<string, unknown> = Record<string, never>>(
  database: D1Database,
  schema?: Schema,
): DrizzleD1Database<Schema> => drizzle<Schema>(database, schema ? { schema } : {})

const dialect = new SQLiteAsyncDialect()

/**
 * One atomic batch of Drizzle queries and `sql` templates. The results are D1's own; for typed rows use the `batch` of `orm`, which cannot bind
 * the parameters of a template (drizzle-orm 0.45).
 */
export const runBatch = (database: D1Database, statements: readonly SQLWrapper[]): Promise<D1Result<Record<string, unknown>>[]> =>
  database.batch(statements.map((statement) => preparedOf(database, statement)))

/** For a batch with statements that Drizzle did not build. */
export function preparedOf(database: D1Database, statement: SQLWrapper): D1PreparedStatement {
  const query = dialect.sqlToQuery(statement.getSQL())
  return database.prepare(query.sql).bind(...query.params)
}

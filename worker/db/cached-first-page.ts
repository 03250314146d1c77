/**
 * The first-page cache in KV: written by the user's object, read when a page is served. It can be stale by a minute, or by up to a day
 * after the last visit. A value that does not match the schema and version counts as absent. The key contains the session id, so the value
 * of an ended session cannot be read any more.
 */

import type { FirstRows, ThreadEnd } from '../contract/first-page.ts'
import { isRecord } from '../contract/is-record.ts'
import { parsedJson } from '../contract/parsed-json.ts'
import { schema, type TableName } from '../contract/schema.ts'
import { fingerprint } from '../lib/digests.ts'
import { logger } from '../lib/logger.ts'

/** Chosen: most users return within a day; a later visit loads its rows from D1. */
export const firstPageTtl = { s: 86_400, ms: 86_400_000 } as const

export type CachedFirstPage = {
  readonly version: string
  readonly userId: string
  /** Version of the user's object when it was written. */
  readonly cookie: string
  readonly writtenAtMs: number
  readonly rows: FirstRows
  /** Recently used threads, newest first. */
  readonly recent: readonly ThreadEnd[]
}

export type FirstPageBindings = { readonly FIRST_PAGES?: KVNamespace }

/** Increment when the shape of `CachedFirstPage` changes. Changes of the tables are detected automatically. */
const format = 2
const tablesText = JSON.stringify(Object.values(schema.tables).map(({ name, columns }) => [name, columns]))
export const firstPageVersion = `${format}-${fingerprint(tablesText)}`

/** Call only with the ids of a verified session. */
export const firstPageKey = (userId: string, sessionId: string): string => `first-page/${userId}/${sessionId}`

export async function readCachedFirstPage(
  { FIRST_PAGES }: FirstPageBindings,
  userId: string,
  sessionId: string,
  nowMs: number,
): Promise<CachedFirstPage | null> {
  if (!FIRST_PAGES) return null
  try {
    const text = await FIRST_PAGES.get(firstPageKey(userId, sessionId))
    return text === null ? null : parseCachedFirstPage(text, userId, nowMs)
  } catch (error) {
    // The page is then read from D1.
    logger.warn('first_page_not_read', { reason: error instanceof Error ? error.message : 'unknown' })
    return null
  }
}

/** Null unless the value has this version, belongs to this user and is at most a day old. */
export function parseCachedFirstPage(text: string, userId: string, nowMs: number): CachedFirstPage | null {
  const value = parsedJson(text)
  if (!isRecord(value) || value.version !== firstPageVersion || value.userId !== userId) return null
  const { cookie, writtenAtMs, rows, recent } = value
  if (typeof cookie !== 'string' || typeof writtenAtMs !== 'number' || nowMs - writtenAtMs >= firstPageTtl.ms) return null
  if (!isRecord(rows) || !isFirstRows(rows) || !Array.isArray(recent) || !recent.every(isThreadEnd)) return null
  return { version: firstPageVersion, userId, cookie, writtenAtMs, rows: rows as FirstRows, recent: recent as ThreadEnd[] }
}

type Fields = { readonly [name: string]: unknown }

const isFirstRows = ({ settings, model, customer, organizationCustomers, usage, user, threads }: Fields): boolean =>
  [isRow('setting', settings), isRow('model', model), isRow('userCustomer', customer), isRow('usage', usage), isRow('user', user)].every(
    Boolean,
  ) &&
  areRows('organizationCustomer', organizationCustomers) &&
  areRows('thread', threads)

const areRows = (table: TableName, value: unknown): boolean =>
  Array.isArray(value) && value.every((row) => isRecord(row) && isRow(table, row))

const isThreadEnd = (value: unknown): boolean =>
  isRecord(value) &&
  isRow('thread', value) &&
  Array.isArray(value.messages) &&
  value.messages.every((message) => isRecord(message) && isRow('message', message) && isRecord(message.message))

type Column = { readonly type: 'string' | 'number' | 'boolean' | 'json'; readonly optional?: boolean }

/** Null represents a missing row. */
function isRow(table: TableName, value: unknown): boolean {
  if (value === null) return true
  if (!isRecord(value)) return false
  return Object.entries<Column>(schema.tables[table].columns).every(([column, { type, optional }]) => {
    const field = value[column] ?? null
    return field === null ? optional === true : type === 'json' || typeof field === type
  })
}

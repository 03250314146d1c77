/**
 * The first page in KV: written by the person's object, read when a page is served. Never the truth. A value may be a minute old or, after
 * the last visit, a day; so it says what it is, and whatever is not exactly that counts as absent. Its key holds the session that will
 * read it: ending a session, in whatever way, leaves behind a key that nobody can name any more, and nobody else's key can be named.
 */

import type { FirstRows, ThreadEnd } from '../contract/first-page.ts'
import { isRecord } from '../contract/is-record.ts'
import { schema, type TableName } from '../contract/schema.ts'
import { fingerprint } from '../lib/fingerprint.ts'
import { logger } from '../lib/logger.ts'

/** Specification section 9. */
export const hintKept = { s: 86_400, ms: 86_400_000 } as const

export type Hint = {
  readonly version: string
  readonly userId: string
  /** The object's cookie when it was written. */
  readonly cookie: string
  readonly writtenAtMs: number
  readonly rows: FirstRows
  /** Threads used last, newest first. */
  readonly recent: readonly ThreadEnd[]
}

export type HintBindings = { readonly HINTS?: KVNamespace }

/** Raised when the shape of `Hint` changes; the tables count by themselves. */
const format = 2
const tablesText = JSON.stringify(Object.values(schema.tables).map(({ name, columns }) => [name, columns]))
export const hintVersion = `${format}-${fingerprint(tablesText)}`

/** Only ever made from a session that was verified. */
export const hintKey = (userId: string, sessionId: string): string => `first-page/${userId}/${sessionId}`

export async function readHint({ HINTS }: HintBindings, userId: string, sessionId: string, nowMs: number): Promise<Hint | null> {
  if (!HINTS) return null
  try {
    const text = await HINTS.get(hintKey(userId, sessionId))
    return text === null ? null : parseHint(text, userId, nowMs)
  } catch (error) {
    // The record answers instead.
    logger.warn('hint not read', { reason: error instanceof Error ? error.message : 'unknown' })
    return null
  }
}

/** Null for anything but a hint of this version, for this person, of the last day. */
export function parseHint(text: string, userId: string, nowMs: number): Hint | null {
  const value = jsonOf(text)
  if (!isRecord(value) || value.version !== hintVersion || value.userId !== userId) return null
  const { cookie, writtenAtMs, rows, recent } = value
  if (typeof cookie !== 'string' || typeof writtenAtMs !== 'number' || nowMs - writtenAtMs >= hintKept.ms) return null
  if (!isRecord(rows) || !isFirstRows(rows) || !Array.isArray(recent) || !recent.every(isThreadEnd)) return null
  return { version: hintVersion, userId, cookie, writtenAtMs, rows: rows as FirstRows, recent: recent as ThreadEnd[] }
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

/** Null stands for a row that is not there. */
function isRow(table: TableName, value: unknown): boolean {
  if (value === null) return true
  if (!isRecord(value)) return false
  return Object.entries<Column>(schema.tables[table].columns).every(([column, { type, optional }]) => {
    const field = value[column] ?? null
    return field === null ? optional === true : type === 'json' || typeof field === type
  })
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Garbled, which counts as absent.
    return null
  }
}

/** SQL text with its bound values. Every value is a `?`: texts repeat between calls, so the statement cache is effective. */
import type { StoredRow } from './codec.ts'
import type { Sql, SqlValue } from './types.ts'

/** A value, or a column of the row that the statement is run for. Such a fragment is built once and used for any row. */
export type Bind = SqlValue | { readonly column: string }

export type Fragment = { readonly text: string; readonly binds: readonly Bind[] }

/** Chosen: parts in one chain before it is split. */
const MAX_FLAT_PARTS = 4

/** Runs a fragment that is a complete statement. `row` supplies the column binds. */
export function query<T extends Record<string, SqlValue>>(sql: Sql, { text, binds }: Fragment, row: StoredRow = {}): T[] {
  return sql.all(text, ...valuesFor(binds, row))
}

/** The same, row by row. */
export function queryEach(sql: Sql, { text, binds }: Fragment, row: StoredRow): Iterable<StoredRow> {
  return sql.each(text, ...valuesFor(binds, row))
}

function valuesFor(binds: readonly Bind[], row: StoredRow): SqlValue[] {
  return binds.map((bound) => (bound !== null && typeof bound === 'object' ? (row[bound.column] ?? null) : bound))
}

export function frag(strings: TemplateStringsArray, ...parts: readonly Fragment[]): Fragment {
  let text = strings[0] ?? ''
  let binds: readonly Bind[] = []
  for (const [i, part] of parts.entries()) {
    text += part.text + (strings[i + 1] ?? '')
    if (part.binds.length > 0) binds = binds.length === 0 ? part.binds : [...binds, ...part.binds]
  }
  return { text, binds }
}

/** Constant text: keywords, aliases, quoted names. Never a value. */
export function raw(text: string): Fragment {
  return { text, binds: [] }
}

export function bind(value: Bind): Fragment {
  return { text: '?', binds: [value] }
}

export function join(parts: readonly Fragment[], separator: string): Fragment {
  return { text: parts.map((part) => part.text).join(separator), binds: parts.flatMap((part) => part.binds) }
}

/**
 * No parts give the neutral element. Many parts are joined in halves: Durable Objects allow expressions of 100 levels, and a flat chain is
 * as deep as it is long.
 */
export function combine(parts: readonly Fragment[], separator: ' and ' | ' or '): Fragment {
  const [only] = parts
  if (only === undefined) return raw(separator === ' and ' ? 'true' : 'false')
  if (parts.length === 1) return only
  if (parts.length <= MAX_FLAT_PARTS) return frag`(${join(parts, separator)})`
  const half = Math.ceil(parts.length / 2)
  return frag`(${combine(parts.slice(0, half), separator)}${raw(separator)}${combine(parts.slice(half), separator)})`
}

export function quote(identifier: string): string {
  return `"${identifier.replaceAll('"', '""')}"`
}

/**
 * Writes of a user's mutations as D1 statements. Every statement checks the owner, so a mutation with the id of another user's row changes
 * nothing. A conflicting insert fails its batch, because the existing row is not in this user's replica.
 */
import { schema, type TableName } from '../contract/schema.ts'
import type { D1Row } from './row-json.ts'

/** Tables of the content database that mutations write. Other tables have their own writers. */
const contentTables = [
  'thread',
  'project',
  'message',
  'summary',
  'queuedMessage',
  'share',
  'prompt',
  'draft',
  'memory',
  'approval',
  'setting',
] as const
/** The table of the directory that mutations write. */
const directoryTable = 'sharedPrompt'
const writable = [...contentTables, directoryTable] as const satisfies readonly TableName[]
type WritableTable = (typeof writable)[number]

export const isWritable = (table: string): table is WritableTable => writable.some((name) => name === table)

/** `row` of an update: the id and the columns to change. */
export type D1Write = {
  readonly kind: 'insert' | 'upsert' | 'update' | 'delete'
  readonly table: WritableTable
  readonly row: D1Row
}

/** True for a write of the directory. The client's progress does not guard it, so it can be repeated or late (A11). */
const isDirectoryWrite = ({ table }: D1Write): boolean => table === directoryTable

/**
 * The writes of the content database in their order, in parts of one statement each. Rows with the same columns that are inserted one after the
 * other are one part, because D1 compiles all triggers of the table with each statement.
 */
export function contentParts(writes: readonly D1Write[]): readonly ContentPart[] {
  const parts: [D1Write, ...D1Write[]][] = []
  let chars = 0
  for (const write of writes) {
    if (isDirectoryWrite(write)) continue
    const added = write.kind === 'insert' ? JSON.stringify(valuesOf(write)).length : 0
    const before = parts.at(-1)
    if (before && chars + added <= maxJoinedChars && isSameInsert(before[0], write)) {
      before.push(write)
      chars += added
    } else {
      parts.push([write])
      chars = added
    }
  }
  return parts
}

/** Several are inserts with the same columns. */
export type ContentPart = readonly [D1Write, ...D1Write[]]

/** Chosen: of their JSON. Platform limit: D1 binds texts of up to 2 MB, and a character has up to three bytes. */
const maxJoinedChars = 500_000

const isSameInsert = (a: D1Write, b: D1Write): boolean =>
  a.kind === 'insert' && b.kind === 'insert' && a.table === b.table && columnsOf(a.table, a.row).join() === columnsOf(b.table, b.row).join()

const valuesOf = ({ table, row }: D1Write) => columnsOf(table, row).map((column) => toD1(row[column]))

export function partStatement(db: D1Database, userId: string, part: ContentPart): D1PreparedStatement {
  const [first] = part
  if (part.length === 1) return rowStatement(db, userId, first)
  const columns = columnsOf(first.table, first.row)
  const names = columns.map((column) => `"${column}"`).join(', ')
  const values = columns.map((_, index) => `value ->> ${index}`).join(', ')
  return db.prepare(`insert into ${first.table} (${names}) select ${values} from json_each(?)`).bind(JSON.stringify(part.map(valuesOf)))
}

/** True if the writes insert several messages, which are counted together. */
export const insertsMessages = (writes: readonly D1Write[]): boolean =>
  writes.filter(({ kind, table }) => kind === 'insert' && table === 'message').length > 1

/** The statements of the writes that belong to the directory. */
export const directoryStatements = (db: D1Database, userId: string, writes: readonly D1Write[]): D1PreparedStatement[] =>
  writes.filter(isDirectoryWrite).map((write) => sharedPromptStatement(db, userId, write))

/**
 * The author writes a shared prompt; administrators of its organization may end its sharing. `updatedAt` is the time of the write: a late write
 * does not replace a newer one. A foreign key refuses a prompt of a user who is no longer a member.
 */
function sharedPromptStatement(db: D1Database, userId: string, { kind, row }: D1Write): D1PreparedStatement {
  const columns = columnsOf('sharedPrompt', row)
  const values = columns.map((column) => toD1(row[column]))
  const names = columns.join(', ')
  const changed = columns.filter((column) => column !== 'id' && column !== 'userId')
  if (kind === 'upsert')
    return db
      .prepare(
        `insert into sharedPrompt (${names}) values (${marks(values)})
           on conflict (id) do update set ${changed.map((column) => `${column} = excluded.${column}`).join(', ')}
           where userId = excluded.userId and updatedAt <= excluded.updatedAt`,
      )
      .bind(...values)
  if (kind !== 'update') throw new Error(`a shared prompt is not written by ${kind}`)
  return db
    .prepare(
      `update sharedPrompt set ${changed.map((column) => `${column} = ?`).join(', ')}
         where id = ? and updatedAt <= ? and (userId = ? or exists (
           select 1 from member where organizationId = sharedPrompt.organizationId and userId = ? and role in ('owner', 'admin')
         ))`,
    )
    .bind(...changed.map((column) => toD1(row[column])), toD1(row.id), toD1(row.updatedAt), userId, userId)
}

export function rowStatement(db: D1Database, userId: string, { kind, table, row }: D1Write): D1PreparedStatement {
  const columns = columnsOf(table, row)
  const values = columns.map((column) => toD1(row[column]))
  const names = columns.map((column) => `"${column}"`).join(', ')
  const changed = columns.filter((column) => column !== 'id' && column !== 'userId')
  switch (kind) {
    case 'insert':
      return db.prepare(`insert into ${table} (${names}) values (${marks(values)})`).bind(...values)
    case 'upsert': {
      const updates = changed.map((column) => `"${column}" = excluded."${column}"`).join(', ')
      return db
        .prepare(
          `insert into ${table} (${names}) values (${marks(values)}) on conflict (id) do update set ${updates} where userId = excluded.userId`,
        )
        .bind(...values)
    }
    case 'update': {
      const updates = changed.map((column) => `"${column}" = ?`).join(', ')
      return db
        .prepare(`update ${table} set ${updates} where id = ? and userId = ?`)
        .bind(...changed.map((column) => toD1(row[column])), toD1(row.id), userId)
    }
    case 'delete':
      return db.prepare(`delete from ${table} where id = ? and userId = ?`).bind(toD1(row.id), userId)
  }
}

const marks = (values: readonly unknown[]): string => values.map(() => '?').join(', ')

/** Column names come from the schema, never from a client. */
const columnsOf = (table: WritableTable, row: D1Row): string[] =>
  Object.keys(schema.tables[table].columns).filter((column) => row[column] !== undefined)

function toD1(value: D1Row[string]): string | number | null {
  if (value === undefined || value === null) return null
  if (typeof value === 'boolean') return value ? 1 : 0
  return typeof value === 'object' ? JSON.stringify(value) : value
}

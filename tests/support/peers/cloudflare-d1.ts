/**
 * D1's HTTP interface on a SQLite with D1's limits. Its two endpoints parse SQL differently: Cloudflare splits a query at semicolons and
 * recognises a trigger's body only by an upper-case BEGIN (cloudflare/workers-sdk#15314, #10998); an import is parsed by SQLite and is
 * atomic.
 */
import { createHash } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'
import { z } from 'zod'
import { storageLimits } from '../node-sql.ts'
import {
  type Account,
  type Answer,
  type Database,
  type ImportState,
  jsonOf,
  newId,
  type PeerCall,
  pageOf,
  Refusal,
  type Route,
} from './cloudflare-account.ts'

const named = z.strictObject({ name: z.string().regex(/^[a-z0-9][a-z0-9-_]{0,62}$/) })
const queried = z.strictObject({ sql: z.string().min(1).max(100_000), params: z.array(z.string()).optional() })
const imported = z.discriminatedUnion('action', [
  z.strictObject({ action: z.literal('init'), etag: z.string().regex(/^[0-9a-f]{32}$/) }),
  z.strictObject({ action: z.literal('ingest'), filename: z.string(), etag: z.string() }),
  z.strictObject({ action: z.literal('poll'), current_bookmark: z.string() }),
])

export const d1Routes = (uploadUrl: (databaseId: string, filename: string) => string): readonly Route[] => [
  [
    'GET',
    /^\/d1\/database$/,
    ({ databases }, { query }) =>
      pageOf(
        databases.map(({ uuid, name }) => ({ uuid, name, version: 'production' })),
        query,
      ),
  ],
  ['POST', /^\/d1\/database$/, create],
  [
    'POST',
    /^\/d1\/database\/([^/]+)\/query$/,
    (account, call, id = '') => ({ result: query(databaseOf(account, id), jsonOf(call, queried).sql) }),
  ],
  [
    'GET',
    /^\/d1\/database\/([^/]+)\/time_travel\/bookmark$/,
    (account, _call, id = '') => ({ result: { bookmark: bookmarkOf(databaseOf(account, id)) } }),
  ],
  [
    'POST',
    /^\/d1\/database\/([^/]+)\/import$/,
    (account, call, id = '') => ({ result: importStep(databaseOf(account, id), call, uploadUrl) }),
  ],
]

function create({ databases }: Account, call: PeerCall): Answer {
  const { name } = jsonOf(call, named)
  if (databases.some((database) => database.name === name)) throw new Refusal(400, 7502, `Database with name '${name}' already exists`)
  const sqlite = new DatabaseSync(':memory:', { limits: storageLimits })
  const database: Database = { uuid: newId(), name, sqlite, uploads: new Map(), pending: null }
  databases.push(database)
  return {
    result: { uuid: database.uuid, name, version: 'production', num_tables: 0, file_size: 8192, created_at: new Date().toISOString() },
  }
}

function databaseOf({ databases }: Account, id: string): Database {
  const database = databases.find(({ uuid }) => uuid === id)
  if (!database) throw new Refusal(404, 7404, `The database ${id} could not be found`)
  return database
}

const bookmarkOf = ({ sqlite }: Database) => `00000000-${String(sqlite.prepare('select total_changes() as n').get()?.n).padStart(8, '0')}`

function query({ sqlite }: Database, sql: string) {
  sqlite.exec('begin')
  try {
    const results = cut(sql).map((statement) => ({ results: sqlite.prepare(statement).all(), success: true, meta: { duration: 0.1 } }))
    sqlite.exec('commit')
    return results
  } catch (error) {
    sqlite.exec('rollback')
    throw new Refusal(400, 7500, `${(error as Error).message}: SQLITE_ERROR`)
  }
}

/** Splits at semicolons, except in text, in comments and between BEGIN and END, which must be upper-case. */
export function cut(sql: string): string[] {
  const statements: string[] = []
  let [statement, depth] = ['', 0]
  for (const [token] of sql.matchAll(/'(?:[^']|'')*'|"[^"]*"|--[^\n]*|\/\*[\s\S]*?\*\/|\w+|[\s\S]/g)) {
    if (token === 'BEGIN') depth += 1
    if (token === 'END' && depth > 0) depth -= 1
    if (token === ';' && depth === 0) {
      statements.push(statement)
      statement = ''
    } else if (!token.startsWith('--') && !token.startsWith('/*')) statement += token
  }
  return [...statements, statement].map((text) => text.trim()).filter(Boolean)
}

function importStep(database: Database, call: PeerCall, uploadUrl: (databaseId: string, filename: string) => string) {
  const asked = jsonOf(call, imported)
  switch (asked.action) {
    case 'init': {
      const filename = `${newId()}.sql`
      database.uploads.set(filename, { etag: asked.etag, text: null })
      return { success: true, filename, upload_url: uploadUrl(database.uuid, filename) }
    }
    case 'ingest': {
      const file = database.uploads.get(asked.filename)
      if (!file?.text || file.etag !== asked.etag) return { success: false, error: 'File not found, or its contents differ', messages: [] }
      database.pending = ingest(database, file.text)
      return { success: true, type: 'import', at_bookmark: database.pending.at_bookmark, messages: ['Starting import…'] }
    }
    case 'poll': {
      const state = database.pending
      database.pending = null
      return state
        ? { ...state, type: 'import', messages: [] }
        : { success: false, error: 'Not currently importing anything.', messages: [] }
    }
  }
}

function ingest(database: Database, text: string): ImportState {
  const { sqlite } = database
  sqlite.exec('begin')
  try {
    sqlite.exec(text)
    sqlite.exec('commit')
    return { success: true, status: 'complete', at_bookmark: bookmarkOf(database) }
  } catch (error) {
    sqlite.exec('rollback')
    return { success: true, status: 'error', errors: [`${(error as Error).message}: SQLITE_ERROR`], at_bookmark: bookmarkOf(database) }
  }
}

/** The address alone authorises; a request with a token leaks it. Returns the etag of the received file. */
export function receiveFile(account: Account, databaseId: string, filename: string, call: PeerCall): string {
  if (call.authorization !== undefined) throw new Refusal(400, 0, 'an upload address wants no token')
  const file = databaseOf(account, databaseId).uploads.get(filename)
  if (!file) throw new Refusal(403, 0, 'nobody was promised this address')
  file.text = call.body.toString('utf8')
  return createHash('md5').update(call.body).digest('hex')
}

// The tables of the todo application in one D1 database, as the source of the sync server. Triggers write the feed.
import type { Change, Json, Row } from '../../../worker/sync/engine/types.ts'
import type {
  CommitFailure,
  CommitRequest,
  CommitResult,
  ImportCursor,
  ImportPage,
  ImportStart,
  Outcome,
  RowWrite,
  Source,
} from '../../../worker/sync/pull/source.ts'

const columns = {
  list: ['id', 'userId', 'title'],
  item: ['id', 'listId', 'userId', 'text', 'isDone'],
} as const
type TableName = keyof typeof columns
const tableNames: readonly TableName[] = ['list', 'item']

export const todoTables: readonly string[] = [
  'create table list (id text primary key, userId text not null, title text not null)',
  'create table item (id text primary key, listId text not null, userId text not null, text text not null, isDone integer not null)',
  'create table change (seq integer primary key autoincrement, userId text not null, tbl text not null, rowId text not null)',
  `create table progress (
     userId text, clientGroupID text, clientID text, lastMutationID integer not null, primary key (userId, clientGroupID, clientID))`,
  `create table result (
     userId text, clientGroupID text, clientID text, mutationID integer, error text not null,
     primary key (userId, clientGroupID, clientID, mutationID))`,
  'create table session (id text primary key, userId text not null)',
  ...tableNames.flatMap((table) =>
    (['insert', 'update', 'delete'] as const).map((operation) => {
      const row = operation === 'delete' ? 'old' : 'new'
      return `create trigger ${table}_${operation} after ${operation} on ${table}
        begin insert into change (userId, tbl, rowId) values (${row}.userId, '${table}', ${row}.id); end`
    }),
  ),
  `create trigger progress_guard before update on progress when new.lastMutationID <> old.lastMutationID + 1
     begin select raise(abort, 'stale_progress'); end`,
]

const rowJson = (table: TableName): string =>
  `json_object(${columns[table].map((column) => `'${column}', ${column === 'isDone' ? "json(iif(isDone, 'true', 'false'))" : column}`).join(', ')})`

const feedSql = `select max(seq) seq, tbl, rowId, case tbl ${tableNames
  .map((table) => `when '${table}' then (select ${rowJson(table)} from ${table} where id = change.rowId and userId = ?1)`)
  .join(' ')} end row
  from change where userId = ?1 and seq > ?2 group by tbl, rowId order by 1 limit 100`

type FeedRow = { readonly seq: number; readonly tbl: TableName; readonly rowId: string; readonly row: string | null }

export class TodoSource implements Source {
  readonly userId: string
  readonly maxStatements = 100
  readonly #db: D1Database

  constructor(db: D1Database, userId: string) {
    this.#db = db
    this.userId = userId
  }

  async commit({ watermark, mutations = [], newClients = [], progressOf = [], sessionId }: CommitRequest): Promise<CommitResult> {
    const db = this.#db
    const { userId } = this
    const writes = mutations.flatMap(({ client, outcome }) => [
      ...(client ? [this.#advance(client)] : []),
      ...(outcome.type === 'applied' ? outcome.writes.map((write) => this.#write(write)) : []),
      ...(client && outcome.type === 'refused'
        ? [
            this.#prepare(
              'insert into result values (?, ?, ?, ?, ?)',
              userId,
              ...clientKey(client),
              client.mutationID,
              JSON.stringify(outcome.error),
            ),
          ]
        : []),
    ])
    const reads = [
      ...progressOf.flatMap((groupID) => [
        this.#prepare('select clientID, lastMutationID from progress where userId = ? and clientGroupID = ?', userId, groupID),
        this.#prepare('select clientID, mutationID, error from result where userId = ? and clientGroupID = ?', userId, groupID),
      ]),
      this.#prepare('select 1 from session where id = ? and userId = ?', sessionId ?? '', userId),
      this.#prepare(feedSql, userId, Number(watermark)),
    ]
    const results = (await db.batch([...writes, ...reads])).slice(writes.length)
    const changed = (results.at(-1)?.results ?? []) as FeedRow[]
    return {
      changes: changed.map(({ tbl, rowId, row }) => ({ table: tbl, id: { id: rowId }, row: row === null ? null : parseRow(row) })),
      watermark: changed.at(-1)?.seq ?? watermark,
      isComplete: changed.length < 100,
      chars: changed.reduce((chars, { row }) => chars + (row?.length ?? 0), 0),
      break: null,
      scopeChanges: [],
      progress: progressOf.map((_, i) => ({
        clients: (results[2 * i]?.results ?? []) as { clientID: string; lastMutationID: number }[],
        results: ((results[2 * i + 1]?.results ?? []) as { clientID: string; mutationID: number; error: string }[]).map(
          ({ error, ...result }) => ({ ...result, error: JSON.parse(error) }),
        ),
      })),
      removedClients: newClients.map(() => []),
      isSignedIn: (results.at(-2)?.results.length ?? 0) > 0,
    }
  }

  async beginImport(): Promise<ImportStart> {
    const [end] = (await this.#prepare('select coalesce(max(seq), 0) seq from change').all<{ seq: number }>()).results
    return { watermark: end?.seq ?? 0, pages: await this.readImport(tableNames.map((table) => ({ table, after: '' }))) }
  }

  /** Pages of three rows, so that a short list is already an import of several pages. */
  readImport(cursors: readonly ImportCursor[]): Promise<readonly ImportPage[]> {
    return Promise.all(
      cursors.map(async ({ table: name, after }) => {
        const table = tableNames.find((known) => known === name) ?? 'list'
        const select = `select id, ${rowJson(table)} row from ${table} where userId = ? and id > ? order by id limit 3`
        const { results } = await this.#prepare(select, this.userId, after).all<{ id: string; row: string }>()
        const rows = results.map(({ id, row }): Change => ({ table, id: { id }, row: parseRow(row) }))
        return { table, rows, after, last: results.length < 3 ? null : (results.at(-1)?.id ?? null) }
      }),
    )
  }

  async firstScreenRows(): Promise<readonly Change[]> {
    return []
  }

  async forgetResults(client: { readonly clientGroupID: string; readonly clientID: string }, upToMutationID: number): Promise<void> {
    await this.#prepare(
      'delete from result where userId = ? and clientGroupID = ? and clientID = ? and mutationID <= ?',
      ...[this.userId, ...clientKey(client), upToMutationID],
    ).run()
  }

  async isSignedIn(sessionId: string): Promise<boolean> {
    return (await this.#prepare('select 1 from session where id = ? and userId = ?', sessionId, this.userId).first()) !== null
  }

  failureOf(error: unknown): CommitFailure {
    if (/stale_progress/.test(String(error))) return { type: 'stale-progress' }
    if (/UNIQUE constraint/.test(String(error))) return { type: 'refused', error: { error: 'app', message: 'The id is taken.' } }
    return { type: 'unknown' }
  }

  statementsIn(outcome: Outcome): number {
    return 1 + (outcome.type === 'applied' ? outcome.writes.length : 1)
  }

  #advance(client: { readonly clientGroupID: string; readonly clientID: string; readonly mutationID: number }): D1PreparedStatement {
    return this.#prepare(
      `insert into progress values (?, ?, ?, ?)
       on conflict (userId, clientGroupID, clientID) do update set lastMutationID = excluded.lastMutationID`,
      ...[this.userId, ...clientKey(client), client.mutationID],
    )
  }

  #write({ kind, table, row }: RowWrite): D1PreparedStatement {
    const names = Object.keys(row)
    const values = names.map((name) => toD1(row[name]))
    if (kind === 'delete') return this.#prepare(`delete from ${table} where id = ? and userId = ?`, toD1(row.id), this.userId)
    if (kind === 'update') {
      const assignments = names.map((name) => `${name} = ?`).join(', ')
      return this.#prepare(`update ${table} set ${assignments} where id = ? and userId = ?`, ...values, toD1(row.id), this.userId)
    }
    const insert = kind === 'insert' ? 'insert' : 'insert or replace'
    return this.#prepare(`${insert} into ${table} (${names.join(', ')}) values (${names.map(() => '?').join(', ')})`, ...values)
  }

  #prepare(sql: string, ...values: (string | number | null)[]): D1PreparedStatement {
    return this.#db.prepare(sql).bind(...values)
  }
}

const clientKey = ({ clientGroupID, clientID }: { readonly clientGroupID: string; readonly clientID: string }) => [clientGroupID, clientID]

/** Written by `rowJson`. */
const parseRow = (text: string): Row => JSON.parse(text) as Row

const toD1 = (value: Json | undefined): string | number | null =>
  typeof value === 'boolean' ? Number(value) : typeof value === 'string' || typeof value === 'number' ? value : null

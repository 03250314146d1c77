// A Cloudflare account on loopback, for the real wrangler: the requests of API v4 that a deployment sends. It runs SQL, stores uploads,
// and fails on demand.
import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { DatabaseSync } from 'node:sqlite'
import { storageLimits } from '../node-sql.ts'
import { type Account, type Call, type Database, parsed, Refusal, type Route } from './cloudflare-account.ts'
import { workerRoutes } from './cloudflare-worker.ts'
import { close, listen } from './peer-server.ts'

/** `hang-up` closes the connection before the request is carried out, `lost` after it. */
type Fault = 'hang-up' | 'lost' | Refusal

export type CloudflarePeer = {
  readonly url: string
  readonly token: string
  readonly account: Account
  /** "POST /d1/database", in the order of arrival. */
  readonly calls: string[]
  /** Requests to other hosts, which reach the peer as a proxy. */
  readonly blockedRequests: string[]
  /** Called for each request. */
  fault: (line: string) => Fault | undefined
  stop(): Promise<void>
}

export async function startCloudflarePeer(): Promise<CloudflarePeer> {
  const account: Account = {
    id: randomBytes(16).toString('hex'),
    databases: [],
    namespaces: [],
    buckets: [],
    workers: new Map(),
    hasR2: true,
  }
  const token = 'token-of-the-peer-0123456789'
  const root = `/accounts/${account.id}`
  const server = createServer((request, response) => {
    void serve(request, response).catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined))
  })
  server.on('connect', (request, socket) => {
    peer.blockedRequests.push(request.url ?? '')
    socket.destroy()
  })
  const url = `http://127.0.0.1:${await listen(server)}`
  const routes = [...databaseRoutes(account, url), ...storeRoutes(account), ...workerRoutes(account)]

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!request.url?.startsWith('/')) {
      peer.blockedRequests.push(request.url ?? '')
      return void response.destroy()
    }
    const { pathname, searchParams: query } = new URL(request.url, url)
    const path = pathname.replace(root, '')
    const { authorization, 'content-type': contentType = '' } = request.headers
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const call = { method: request.method ?? '', path, query, authorization, contentType, body: Buffer.concat(chunks) }
    const line = `${call.method} ${path}`
    peer.calls.push(line)
    const fault = peer.fault(line)
    if (fault === 'hang-up') return void response.destroy()
    try {
      if (fault instanceof Refusal) throw fault
      const result = await answer(call)
      if (fault === 'lost') return void response.destroy()
      // An upload URL of R2, which is not part of the API.
      if (path.startsWith('/uploads/')) response.setHeader('etag', `"${createHash('md5').update(call.body).digest('hex')}"`)
      send(response, 200, { success: true, errors: [], messages: [], result })
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      const { status, code, message } = error
      send(response, status, { success: false, errors: [{ code, message }], messages: [], result: null })
    }
  }

  function answer(call: Call): unknown {
    // Static files have the token of their upload, and upload URLs are signed.
    const isSigned = call.path === '/workers/assets/upload' || call.path.startsWith('/uploads/')
    if ((call.authorization === `Bearer ${token}`) === isSigned) throw new Refusal(401, 10000, 'Authentication error')
    for (const [method, pattern, result] of routes) {
      const match = method === call.method ? pattern.exec(call.path) : null
      if (match) return result(call, ...match.slice(1))
    }
    throw new Refusal(404, 7003, `Could not route to ${call.path}, perhaps your object identifier is invalid?`)
  }

  const peer: CloudflarePeer = {
    url,
    token,
    account,
    calls: [],
    blockedRequests: [],
    fault: () => undefined,
    stop: () => close(server),
  }
  return peer
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

const page = <Row>(rows: readonly Row[], { query }: Call) => {
  const [number, size] = [Number(query.get('page') ?? 1), Number(query.get('per_page') ?? 20)]
  return rows.slice((number - 1) * size, number * size)
}

function databaseRoutes({ databases }: Account, url: string): readonly Route[] {
  const databaseOf = (idOrName = '') => {
    const database = databases.find(({ uuid, name }) => uuid === idOrName || name === idOrName)
    if (!database) throw new Refusal(404, 7404, `The database ${idOrName} could not be found`)
    return database
  }
  const describeDatabase = ({ uuid, name }: Database) => ({ uuid, name, version: 'production' })
  return [
    ['GET', /^\/d1\/database$/, (call) => page(databases, call).map(describeDatabase)],
    [
      'POST',
      /^\/d1\/database$/,
      (call) => {
        const { name } = parsed(call)
        if (databases.some((database) => database.name === name))
          throw new Refusal(400, 7502, `Database with name '${name}' already exists`)
        const sqlite = new DatabaseSync(':memory:', { limits: storageLimits })
        const database = { uuid: randomUUID(), name, sqlite, importFile: Buffer.alloc(0) }
        databases.push(database)
        return describeDatabase(database)
      },
    ],
    ['GET', /^\/d1\/database\/([^/]+)$/, (_call, id) => describeDatabase(databaseOf(id))],
    ['POST', /^\/d1\/database\/([^/]+)\/query$/, (call, id) => query(databaseOf(id), parsed(call).sql)],
    ['GET', /^\/d1\/database\/([^/]+)\/time_travel\/bookmark$/, (_call, id) => ({ bookmark: `bookmark-of-${databaseOf(id).name}` })],
    [
      'POST',
      /^\/d1\/database\/([^/]+)\/import$/,
      (call, id) => {
        const database = databaseOf(id)
        if (parsed(call).action === 'ingest') return ingest(database)
        return { success: true, filename: 'import.sql', upload_url: `${url}/uploads/${database.uuid}` }
      },
    ],
    [
      'PUT',
      /^\/uploads\/([^/]+)$/,
      (call, id) => {
        databaseOf(id).importFile = call.body
      },
    ],
  ]
}

/** Splits at every semicolon, also in trigger bodies (cloudflare/workers-sdk#15690). */
function query({ sqlite }: Database, sql: string) {
  const statements = sql.split(';').filter((statement) => statement.trim() !== '')
  return statements.map((statement) => ({ results: sqlite.prepare(statement).all(), success: true, meta: { duration: 0.1 } }))
}

function ingest({ sqlite, importFile }: Database) {
  sqlite.exec('begin')
  try {
    sqlite.exec(importFile.toString('utf8'))
    sqlite.exec('commit')
  } catch (error) {
    sqlite.exec('rollback')
    return { success: true, status: 'error', errors: [`${(error as Error).message}: SQLITE_ERROR`], messages: [] }
  }
  const meta = { duration: 1, rows_read: 1, rows_written: 1, size_after: 1 }
  return { success: true, status: 'complete', messages: [], result: { num_queries: 1, final_bookmark: 'after', meta } }
}

function storeRoutes(account: Account): readonly Route[] {
  const { namespaces, buckets } = account
  return [
    ['GET', /^\/storage\/kv\/namespaces$/, (call) => page(namespaces, call)],
    [
      'POST',
      /^\/storage\/kv\/namespaces$/,
      (call) => {
        const { title } = parsed(call)
        if (namespaces.some((namespace) => namespace.title === title))
          throw new Refusal(400, 10014, 'a namespace with this account ID and title already exists')
        const namespace = { id: randomBytes(16).toString('hex'), title }
        namespaces.push(namespace)
        return namespace
      },
    ],
    [
      'GET',
      /^\/r2\/buckets\/([^/]+)$/,
      (_call, name = '') => {
        if (!buckets.includes(name)) throw new Refusal(404, 10006, 'The specified bucket does not exist.')
        return { name }
      },
    ],
    [
      'POST',
      /^\/r2\/buckets$/,
      (call) => {
        const { name } = parsed(call)
        if (!account.hasR2) throw new Refusal(403, 10042, 'Please enable R2 through the Cloudflare Dashboard.')
        if (buckets.includes(name)) throw new Refusal(409, 10004, 'The bucket you tried to create already exists, and you own it.')
        buckets.push(name)
        return { name }
      },
    ],
  ]
}

/**
 * A client of the sync protocol without an engine: it sends given frames and counts received ones. For measurements on the wire, and for
 * frames that the real client never sends.
 */
import { once } from 'node:events'
import { clientSchema } from './client-schema.ts'
import type { Guest } from './guest.ts'
import { sendWindowQueries } from './message-windows.ts'

type Frame = readonly [tag: string, body: { readonly [key: string]: unknown }]
type Row = { readonly [column: string]: unknown }
type RowOp = { readonly op: string; readonly tableName?: string; readonly id?: Row; readonly value?: Row; readonly merge?: Row }
export type Query = { readonly hash: string; readonly name: string; readonly args: readonly unknown[] }

export type WireClientOptions = {
  readonly guest: Guest
  readonly token: string
  readonly clientGroupID?: string
  readonly clientID?: string
  readonly baseCookie?: string | null
  /** Sent with a null cookie only; a reconnecting client already has its queries. */
  readonly queries?: readonly Query[]
}

export type WireClient = {
  readonly clientGroupID: string
  readonly clientID: string
  readonly cookie: () => string | null
  /** Everything received so far, for counting. */
  readonly received: { readonly frames: number; readonly bytes: number; readonly rows: number; readonly pokes: number }
  /** Sends one mutation in a separate frame and returns its id. */
  push(name: string, args: unknown): number
  /** The next mutation id of this client; a test may send the same one again. */
  send(frame: Frame): void
  /** Resolves with the first matching frame from now on. */
  next(fits: (frame: Frame) => boolean): Promise<Frame>
  /** Resolves when the server has confirmed this mutation. */
  confirmed(mutationID: number): Promise<void>
  close(): Promise<void>
}

const lastMutationIDOf = (frame: Frame, clientID: string): number | undefined => {
  const changes = frame[0] === 'pokePart' ? (frame[1].lastMutationIDChanges as { [id: string]: number } | undefined) : undefined
  return changes?.[clientID]
}

/** The `value` of an update contains the id and the changed columns. */
export const rowsOf = (frame: Frame): readonly RowOp[] =>
  frame[0] === 'pokePart'
    ? ((frame[1].rowsPatch as RowOp[] | undefined) ?? []).map((op) => (op.merge ? { ...op, value: { ...op.id, ...op.merge } } : op))
    : []

let made = 0
const newId = (kind: string) => `${kind}${process.pid}x${++made}x${Date.now().toString(36)}`

/** Resolves after the first poke, which every connection gets. */
export const connectWire = async (options: WireClientOptions): Promise<WireClient> => {
  const { guest, token, clientGroupID = newId('group'), clientID = newId('client'), baseCookie = null, queries = [] } = options
  const url = new URL(`${guest.url.replace('http', 'ws')}/sync/v51/connect`)
  const params = { clientID, clientGroupID, userID: guest.userId, baseCookie: baseCookie ?? '', ts: '0', lmid: '0', wsid: newId('ws') }
  for (const [name, value] of Object.entries(params)) url.searchParams.set(name, value)
  const init = [
    'initConnection',
    {
      desiredQueriesPatch: queries.map((query) => ({ op: 'put', ttl: 600_000, ...query })),
      ...(baseCookie === null ? { clientSchema: clientSchema() } : {}),
    },
  ]
  const header = encodeURIComponent(btoa(JSON.stringify({ initConnectionMessage: init, authToken: token })))
  const socket = new WebSocket(url, [header])

  const received = { frames: 0, bytes: 0, rows: 0, pokes: 0 }
  const waiting = new Set<(frame: Frame) => void>()
  let cookie = baseCookie
  let lastMutationID = 0
  let nextMutationID = 1
  const windows = queries.some(({ name }) => name === 'threads.recent') ? new Set(queries.map(({ hash }) => hash)) : null
  const threadIds = new Set<string>()

  socket.addEventListener('message', ({ data }) => {
    const frame = JSON.parse(String(data)) as Frame
    received.frames++
    received.bytes += Buffer.byteLength(String(data))
    received.rows += rowsOf(frame).length
    for (const { op, tableName, value } of rowsOf(frame)) if (op === 'put' && tableName === 'thread') threadIds.add(String(value?.id))
    lastMutationID = lastMutationIDOf(frame, clientID) ?? lastMutationID
    if (frame[0] === 'pokeEnd') {
      received.pokes++
      cookie = String(frame[1].cookie)
      if (windows) sendWindowQueries([...threadIds], windows, (change) => socket.send(JSON.stringify(change)))
    }
    for (const onFrame of [...waiting]) onFrame(frame)
  })

  const next: WireClient['next'] = (fits) =>
    new Promise((resolve, reject) => {
      const closed = () => reject(new Error('the socket was closed while a frame was awaited'))
      const onFrame = (frame: Frame) => {
        if (!fits(frame)) return
        waiting.delete(onFrame)
        socket.removeEventListener('close', closed)
        resolve(frame)
      }
      waiting.add(onFrame)
      socket.addEventListener('close', closed)
    })

  const firstPoke = next(([tag]) => tag === 'pokeEnd' || tag === 'error')
  const [tag, body] = await firstPoke
  if (tag === 'error') throw new Error(`refused: ${JSON.stringify(body)}`)

  return {
    clientGroupID,
    clientID,
    cookie: () => cookie,
    received,
    next,
    send: (frame) => socket.send(JSON.stringify(frame)),
    push: (name, args) => {
      const id = nextMutationID++
      const timestamp = Date.now()
      const mutation = { type: 'custom', id, clientID, name, args: [args], timestamp }
      socket.send(JSON.stringify(['push', { clientGroupID, mutations: [mutation], pushVersion: 1, requestID: `r${id}`, timestamp }]))
      return id
    },
    confirmed: async (mutationID) => {
      if (lastMutationID < mutationID) await next((frame) => (lastMutationIDOf(frame, clientID) ?? 0) >= mutationID)
    },
    close: async () => {
      if (socket.readyState === WebSocket.CLOSED) return
      socket.close(1000)
      await once(socket, 'close')
    },
  }
}

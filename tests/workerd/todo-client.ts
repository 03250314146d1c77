// The real Zero client inside workerd, connected to the todo application through the Worker's half of a connect.
import { env as untypedEnv } from 'cloudflare:workers'
import { Zero, type ZeroOptions } from '@rocicorp/zero'
import { handleSyncConnect } from '../../worker/sync/connect-route.ts'
import { mutators, schema } from '../support/todo-app/app.ts'
import { todoTables } from '../support/todo-app/todo-source.ts'
import { authenticate, type TodoSync } from '../support/todo-app/todo-sync.ts'

export const env = untypedEnv as unknown as { readonly TODO_DB: D1Database; readonly TODO_SYNC: DurableObjectNamespace<TodoSync> }

export const createTodoTables = () => env.TODO_DB.batch(todoTables.map((statement) => env.TODO_DB.prepare(statement)))

const address = 'http://todo.test'

/** A WebSocket to the objects of this process. */
class LocalSocket extends EventTarget {
  /** Open sockets of the clients in this file. */
  static readonly open = new Set<LocalSocket>()
  readyState: number = WebSocket.CONNECTING
  readonly url: string
  #socket: WebSocket | null = null

  constructor(url: string | URL, protocol?: string | string[]) {
    super()
    this.url = String(url)
    void this.#connect(this.url, String(protocol ?? ''))
  }

  async #connect(url: string, protocol: string): Promise<void> {
    const headers = { upgrade: 'websocket', 'sec-websocket-protocol': protocol }
    const request = new Request(url.replace(/^ws/, 'http'), { headers })
    const response = await handleSyncConnect(request, { objects: env.TODO_SYNC, authenticate, publicUrl: null })
    const socket = response?.webSocket
    if (!socket) throw new Error(`no socket for ${url}`)
    this.#socket = socket
    this.readyState = WebSocket.OPEN
    LocalSocket.open.add(this)
    socket.addEventListener('message', ({ data }) => this.dispatchEvent(new MessageEvent('message', { data })))
    socket.addEventListener('close', ({ code, reason }) => this.#ended(code, reason))
    socket.accept()
    this.dispatchEvent(new Event('open'))
  }

  send(data: string): void {
    this.#socket?.send(data)
  }

  close(code = 1000, reason = ''): void {
    if (this.readyState !== WebSocket.OPEN) return
    this.#socket?.close(code, reason)
    this.#ended(code, reason)
  }

  #ended(code: number, reason: string): void {
    if (this.readyState === WebSocket.CLOSED) return
    this.readyState = WebSocket.CLOSED
    LocalSocket.open.delete(this)
    this.dispatchEvent(new CloseEvent('close', { code, reason, wasClean: true }))
  }
}

/** Every client loses its connection, as when a network fails. */
export const cutConnections = () => {
  for (const socket of [...LocalSocket.open]) socket.close(1000, 'cut by a test')
}

type View = { addListener(listener: (data: unknown, result: string) => void): () => void }

/** A client of the todo application. Zero's own type has the tables of Parley. */
export type TodoZero = {
  mutate(request: object): { readonly server: Promise<{ readonly type: string }> }
  materialize(query: object): View
  readonly connection: {
    readonly state: { readonly current: { readonly name: string } }
    connect(options: { auth: string }): Promise<void>
  }
  close(): Promise<void>
}

let made = 0
const clients: TodoZero[] = []

/** A new browser on each call. The session of the token exists unless `sessionId` is set. */
export async function openTodo(userId: string, sessionId = `session-of-${userId}`): Promise<TodoZero> {
  globalThis.WebSocket = Object.assign(LocalSocket, { CONNECTING: 0, OPEN: 1, CLOSING: 2, CLOSED: 3 }) as unknown as typeof WebSocket
  if (sessionId === `session-of-${userId}`)
    await env.TODO_DB.prepare('insert or ignore into session values (?, ?)').bind(sessionId, userId).run()
  const options = {
    cacheURL: address,
    userID: userId,
    auth: `${userId}:${sessionId}`,
    schema,
    mutators,
    context: { userId },
    kvStore: 'mem',
    storageKey: `todo${++made}`,
    logLevel: 'error',
    logSink: { log: () => undefined },
  }
  const zero = new Zero(options as unknown as ZeroOptions) as unknown as TodoZero
  clients.push(zero)
  return zero
}

const platformSocket = globalThis.WebSocket

export async function closeTodos(): Promise<void> {
  await Promise.all(clients.splice(0).map((zero) => zero.close()))
  globalThis.WebSocket = platformSocket
}

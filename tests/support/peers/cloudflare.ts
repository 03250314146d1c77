/**
 * A loopback Cloudflare: the part of API v4 that a deployment uses, with one account that starts empty, for the real wrangler and the real
 * deploy script. It validates requests, executes SQL, stores its state, and fails on request.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Account, type Answer, freshAccount, type PeerCall, pageOf, Refusal, type Route } from './cloudflare-account.ts'
import { d1Routes, receiveFile } from './cloudflare-d1.ts'
import { storeRoutes } from './cloudflare-stores.ts'
import { workerRoutes } from './cloudflare-workers.ts'

/** Replaces the response. `hang-up` breaks the connection before the request takes effect, `lost` after it. */
export type CloudflareMisbehaviour =
  | 'hang-up'
  | 'lost'
  | { readonly status: number; readonly code: number; readonly message: string; readonly headers?: Record<string, string> }

export type CloudflarePeer = {
  readonly url: string
  readonly token: string
  readonly account: Account
  /** Other accounts that the token can access; they are empty. */
  readonly neighbours: { readonly id: string; readonly name: string }[]
  /** "POST /d1/database", below the account, in order. */
  readonly calls: string[]
  /** Proxied requests: attempts to reach another host. */
  readonly strays: string[]
  /** For the next calls with this prefix; each failure is used once. */
  misbehave(call: string, ...how: readonly CloudflareMisbehaviour[]): void
  /** Called first for every request; its result takes precedence over `misbehave`. */
  watch: (line: string) => CloudflareMisbehaviour | undefined
  stop(): Promise<void>
}

export async function startCloudflarePeer(): Promise<CloudflarePeer> {
  const account = freshAccount()
  const token = 'token-of-the-peer-0123456789'
  const calls: string[] = []
  const strays: string[] = []
  const plans: { call: string; how: CloudflareMisbehaviour }[] = []

  const server = createServer((incoming, outgoing) => {
    void serve(incoming, outgoing).catch((error: unknown) => outgoing.destroy(error instanceof Error ? error : undefined))
  })
  server.on('connect', (request, socket) => {
    strays.push(request.url ?? '')
    socket.destroy()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const root = `/accounts/${account.id}`
  const routes: readonly Route[] = [
    ...d1Routes((databaseId, filename) => `${url}/uploads/${databaseId}/${filename}`),
    ...storeRoutes,
    ...workerRoutes(token),
  ]

  async function serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    if (!incoming.url?.startsWith('/')) {
      strays.push(incoming.url ?? '')
      return void outgoing.destroy()
    }
    const { pathname, searchParams: query } = new URL(incoming.url, url)
    const path = pathname.startsWith(root) ? pathname.slice(root.length) : pathname
    const { authorization, 'content-type': contentType = '' } = incoming.headers
    const call: PeerCall = { method: incoming.method ?? '', path, query, authorization, contentType, body: await bodyOf(incoming) }
    const line = `${call.method} ${path}`
    calls.push(line)
    const index = plans.findIndex((plan) => line.startsWith(plan.call))
    const how = peer.watch(line) ?? (index === -1 ? undefined : plans.splice(index, 1)[0]?.how)
    if (how === 'hang-up') return void outgoing.destroy()
    try {
      if (typeof how === 'object') throw new Refusal(how.status, how.code, how.message, how.headers)
      const answer = path.startsWith('/uploads/') ? receive(call) : await answerTo(call)
      if (how === 'lost') return void outgoing.destroy()
      if ('etag' in answer) return void outgoing.writeHead(200, { etag: `"${answer.etag}"` }).end()
      const { status = 200, result, info } = answer
      send(outgoing, status, { success: true, errors: [], messages: [], result, ...(info && { result_info: info }) })
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      send(
        outgoing,
        error.status,
        { success: false, errors: [{ code: error.code, message: error.message }], messages: [], result: null },
        error.headers,
      )
    }
  }

  function receive(call: PeerCall): { readonly etag: string } {
    const [, , databaseId = '', filename = ''] = call.path.split('/')
    return { etag: receiveFile(account, databaseId, filename, call) }
  }

  function answerTo(call: PeerCall): Answer | Promise<Answer> {
    // Files are uploaded with another token than everything else.
    if (call.path !== '/workers/assets/upload' && call.authorization !== `Bearer ${token}`)
      throw new Refusal(401, 1000, 'Invalid API Token')
    if (call.path === '/user/tokens/verify') return { result: { id: 'the-token', status: 'active' } }
    if (call.path === '/accounts') return pageOf([{ id: account.id, name: 'Somebody' }, ...peer.neighbours], call.query)
    if (call.path === '/memberships') return pageOf([{ id: 'm', account: { id: account.id, name: 'Somebody' }, roles: [] }], call.query)
    for (const [method, pattern, answer] of routes) {
      const match = method === call.method ? pattern.exec(call.path) : null
      if (match) return answer(account, call, ...match.slice(1))
    }
    throw new Refusal(404, 7003, `Could not route to ${call.path}, perhaps your object identifier is invalid?`)
  }

  const peer: CloudflarePeer = {
    url,
    token,
    account,
    neighbours: [],
    calls,
    strays,
    watch: () => undefined,
    misbehave: (call, ...how) => void plans.push(...how.map((one) => ({ call, how: one }))),
    stop: () => {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
  return peer
}

async function bodyOf(incoming: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk)
  return Buffer.concat(chunks)
}

function send(outgoing: ServerResponse, status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): void {
  outgoing.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
}

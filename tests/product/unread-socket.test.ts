// What the platform does for a client that says what it likes and reads nothing: what rule K5 of worker/sync/SPEC.md stands on. In workerd itself,
// over a bare connection, because no client of ours can be made not to read.
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import { afterAll, beforeAll, expect, test } from 'vitest'

const script = `
import { DurableObject } from 'cloudflare:workers'
export class Teller extends DurableObject {
  constructor(ctx, env) {
    super(ctx, env)
    ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair('ping', 'pong'))
  }
  async fetch(request) {
    const sockets = this.ctx.getWebSockets()
    switch (new URL(request.url).pathname) {
      case '/tell':
        for (const socket of sockets) for (let i = 0; i < 32; i++) socket.send('x'.repeat(1024 * 1024))
        return new Response()
      case '/close':
        for (const socket of sockets) socket.close(1000, 'enough')
        return new Response()
      case '/dated':
        return Response.json(sockets.map((socket) => this.ctx.getWebSocketAutoResponseTimestamp(socket)))
    }
    const pair = new WebSocketPair()
    this.ctx.acceptWebSocket(pair[1])
    return new Response(null, { status: 101, webSocket: pair[0] })
  }
  webSocketClose() {}
  webSocketError() {}
}
export default { fetch: (request, env) => env.TELLER.getByName('one').fetch(request) }`

let miniflare: Miniflare
let socket: Socket
beforeAll(async () => {
  const worker = { name: 'teller', modules: true, script, compatibilityDate: '2026-10-12' }
  const workers = [{ ...worker, durableObjects: { TELLER: { className: 'Teller', useSQLite: true } } }]
  miniflare = new Miniflare(convertV4MiniflareOptions({ host: '127.0.0.1', port: 0, cf: false, workers }))
  const { hostname, port } = await miniflare.ready
  socket = connect(Number(port), hostname)
  const headers = ['Upgrade: websocket', 'Connection: Upgrade', 'Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==']
  socket.write(['GET / HTTP/1.1', `Host: ${hostname}`, ...headers, '', ''].join('\r\n'))
  await once(socket, 'data')
  socket.pause()
})
afterAll(async () => {
  socket.destroy()
  await miniflare.dispose()
})

const ask = async (path: string) => (await fetch(new URL(path, await miniflare.ready))).text()
/** Of each connection, when a ping was last answered. */
const dates = async () => JSON.parse(await ask('/dated')) as (string | null)[]
const datedUnlike = async (before: string | null) => {
  for (;;) {
    const [date = null] = await dates()
    if (date !== before) return date
    await sleep(20)
  }
}
/** A masked text frame, its mask being nothing. */
const ping = () => socket.write(Buffer.concat([Buffer.from([0x81, 0x84, 0, 0, 0, 0]), Buffer.from('ping')]))

test('[K5] of a client that does not read one ping is dated, and the next when it reads; its socket is there until it goes', async () => {
  await ask('/tell')
  ping()
  const first = await datedUnlike(null)
  for (let i = 0; i < 10; i++) {
    ping()
    await sleep(20)
    expect(await dates()).toEqual([first])
  }
  socket.resume()
  expect(await datedUnlike(first)).not.toBeNull()
  socket.pause()
  await ask('/tell')
  await ask('/close')
  expect(await dates()).toHaveLength(1)
  socket.destroy()
  while ((await dates()).length > 0) await sleep(20)
})

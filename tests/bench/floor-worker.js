// The minimum for each job, in the same runtime: the floors of the product's figures.
//   echo   a hibernating object sends each frame to all its sockets
//   record the same, after one D1 batch of three writes: the floor of "stored, then sent to all sockets"
//   rows   reads the given number of rows of 600 bytes from the object's storage and sends them in frames of 200
//   turn   the batch; then the object with that name stores its command, sends a request to the provider and forwards the response to its reader
//   relay  the same, but JavaScript reads each chunk that it forwards, as a server must that numbers and stores chunks
//   last   a GET that an object answers; read: a GET that waits for the turn
//   halt   the batch; then an object aborts its request
import { DurableObject } from 'cloudflare:workers'

export class Floor extends DurableObject {
  /** By turn. */
  #answers = new Map()
  #call = new AbortController()

  constructor(ctx, env) {
    super(ctx, env)
    ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair('ping', 'pong'))
  }

  async fetch(request) {
    const { pathname, searchParams } = new URL(request.url)
    if (pathname === '/read')
      return new Response((await this.answerOf(searchParams.get('turn')).promise).body, {
        headers: { 'content-type': 'text/event-stream' },
      })
    if (pathname === '/last') return new Response('the last words')
    const { 0: client, 1: server } = new WebSocketPair()
    this.ctx.acceptWebSocket(server, [pathname.slice(1)])
    return new Response(null, { status: 101, webSocket: client })
  }

  async webSocketMessage(socket, text) {
    const [kind] = this.ctx.getTags(socket)
    if (kind === 'rows') return this.sendRows(socket, Number(text))
    if (kind !== 'echo') await record(this.env.DB, text)
    for (const each of this.ctx.getWebSockets()) each.send(text)
    if (kind !== 'turn' && kind !== 'relay' && kind !== 'halt') return
    const { name, turn = null, peerUrl } = JSON.parse(text)
    const stub = this.env.FLOOR.getByName(name)
    await (kind === 'halt' ? stub.halt() : stub.ask(turn, peerUrl, kind === 'relay'))
  }

  answerOf(turn) {
    if (!this.#answers.has(turn)) this.#answers.set(turn, Promise.withResolvers())
    return this.#answers.get(turn)
  }

  ask(turn, peerUrl, isRead) {
    this.ctx.storage.sql.exec('create table if not exists turn (peerUrl text)')
    this.ctx.storage.sql.exec('insert into turn (peerUrl) values (?)', peerUrl)
    const headers = { 'content-type': 'application/json', 'ai-language-model-streaming': 'true' }
    const answer = fetch(peerUrl, { method: 'POST', headers, body: '{}', signal: this.#call.signal })
    this.answerOf(turn).resolve(isRead ? answer.then((response) => new Response(this.readOn(response.body))) : answer)
  }

  readOn(body) {
    const reader = body.getReader({ mode: 'byob' })
    let passOn
    const stream = new ReadableStream({
      start: (controller) => {
        passOn = controller
      },
      // Enqueues what the reader returns, so a pull does nothing.
      pull: () => new Promise(() => {}),
    })
    const read = async () => {
      for (;;) {
        // At least 32 bytes, so that a read returns a whole event; parts of events would cost twice as much.
        const { done, value } = await reader.read(new Uint8Array(16384), { min: 32 })
        if (value?.length > 0) passOn.enqueue(value)
        if (done) return passOn.close()
      }
    }
    this.ctx.waitUntil(read())
    return stream
  }

  halt() {
    this.#call.abort()
  }

  sendRows(socket, count) {
    const { sql } = this.ctx.storage
    sql.exec('create table if not exists item (id integer primary key, text text)')
    const { stored } = sql.exec('select count(*) stored from item').one()
    for (let index = stored; index < count; index++) sql.exec('insert into item (text) values (?)', 'x'.repeat(600))
    let part = []
    for (const row of sql.exec('select id, text from item limit ?', count)) {
      if (part.push(row) < 200) continue
      socket.send(JSON.stringify(part))
      part = []
    }
    socket.send(JSON.stringify(part))
    socket.send('done')
  }
}

const record = (db, text) =>
  db.batch([
    db.prepare('insert into item (text) values (?)').bind(text),
    db.prepare('insert into item (text) values (?)').bind(text),
    db.prepare('insert into item (text) values (?)').bind(text),
  ])

export default {
  async fetch(request, env) {
    if (new URL(request.url).pathname === '/setup') {
      await env.DB.prepare('create table if not exists item (id integer primary key, text text)').run()
      return new Response('ready')
    }
    return env.FLOOR.getByName(new URL(request.url).searchParams.get('name') ?? 'one').fetch(request)
  },
}

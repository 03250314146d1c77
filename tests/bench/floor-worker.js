// The least that could do each job, in the same runtime: what a figure of ours is held against.
//   echo   a hibernating object that answers each frame at once
//   record the same, after one D1 batch of three writes: the floor of "recorded, then told to everybody"
//   turn   the same batch, then a new object that stores its order, asks the peer and passes the answer on to whoever reads there
import { DurableObject } from 'cloudflare:workers'

export class Floor extends DurableObject {
  #answer = Promise.withResolvers()

  async fetch(request) {
    const { pathname } = new URL(request.url)
    if (pathname === '/read') return new Response((await this.#answer.promise).body, { headers: { 'content-type': 'text/event-stream' } })
    const { 0: client, 1: server } = new WebSocketPair()
    this.ctx.acceptWebSocket(server, [pathname.slice(1)])
    return new Response(null, { status: 101, webSocket: client })
  }

  async webSocketMessage(socket, text) {
    const [kind] = this.ctx.getTags(socket)
    if (kind !== 'echo') await record(this.env.DB, text)
    for (const each of this.ctx.getWebSockets()) each.send(text)
    if (kind !== 'turn') return
    const { name, peerUrl } = JSON.parse(text)
    await this.env.FLOOR.getByName(name).ask(peerUrl)
  }

  ask(peerUrl) {
    this.ctx.storage.sql.exec('create table turn (peerUrl text)')
    this.ctx.storage.sql.exec('insert into turn (peerUrl) values (?)', peerUrl)
    const headers = { 'content-type': 'application/json', 'ai-language-model-streaming': 'true' }
    this.#answer.resolve(fetch(peerUrl, { method: 'POST', headers, body: '{}' }))
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

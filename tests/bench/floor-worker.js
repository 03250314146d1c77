// The least that could do each job, in the same runtime: what a figure of ours is held against.
//   echo   a hibernating object that answers each frame at once
//   record the same, after one D1 batch of three writes: the floor of "recorded, then told to everybody"
import { DurableObject } from 'cloudflare:workers'

export class Floor extends DurableObject {
  fetch(request) {
    const { 0: client, 1: server } = new WebSocketPair()
    this.ctx.acceptWebSocket(server, [new URL(request.url).pathname.slice(1)])
    return new Response(null, { status: 101, webSocket: client })
  }

  async webSocketMessage(socket, text) {
    if (this.ctx.getTags(socket)[0] === 'record') await record(this.env.DB, text)
    for (const each of this.ctx.getWebSockets()) each.send(text)
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

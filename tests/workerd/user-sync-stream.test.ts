// Loads of any size in bounded memory, with yields. Rules: worker/sync/SPEC.md, E19, K3, R7 and R8.
import { expect, test } from 'vitest'
import { maxCharsPerTick, maxConnections, maxPartRows } from '../../worker/sync/protocol/wire-limits.ts'
import { evict, inside } from './sync-object.ts'
import { connected, connectWire, me, newUser, putQuery, type SyncUser, type Wire } from './sync-wire.ts'

const threadId = 'a-long-thread'
const opened = { hash: 'opened', name: 'messages.newest', args: [{ threadId, limit: 100_000 }] }
const opening = ['changeDesiredQueries', { desiredQueriesPatch: [putQuery(opened)] }] as const

/** Rows that exist only in the replica. */
async function fill(user: SyncUser, messages: number): Promise<void> {
  await inside(user, (_object, { storage: { sql } }) => {
    sql.exec('insert into thread (id, userId, status, createdAt, updatedAt) values (?, ?, ?, 1, 1)', threadId, user.userId, 'ready')
    sql.exec(
      `with recursive n (i) as (select 1 union all select i + 1 from n where i < ?3)
       insert into message (id, threadId, userId, message, createdAt, updatedAt)
       select printf('message-%06d', i), ?1, ?2, json_object('id', i, 'role', 'user', 'parts', json_array(json_object('type', 'text', 'text', ?4))), i, i
       from n`,
      ...[threadId, user.userId, messages, 'x'.repeat(300)],
    )
  })
}

const rowsIn = (text: string): number => text.split('"tableName":"message"').length - 1

test('[E19] [K3] [R8] a poke of 100,000 rows holds one part in memory and yields every 1 M characters', async () => {
  const user = await newUser()
  const wire = await connected(user, { queries: [me] })
  await fill(user, 100_000)
  const counted = { read: 0, sent: 0, held: 0, chars: 0, longest: 0, turns: 0, isDone: false }
  await inside(user, (_object, ctx) => {
    const { sql } = ctx.storage
    const exec = sql.exec.bind(sql)
    sql.exec = ((text: string, ...binds: unknown[]) => {
      const cursor = exec(text, ...binds)
      if (!text.includes('from "message"')) return cursor
      return {
        *[Symbol.iterator]() {
          for (const row of cursor) {
            counted.held = Math.max(counted.held, ++counted.read - counted.sent)
            yield row
          }
        },
        toArray: () => {
          const rows = cursor.toArray()
          counted.held = Math.max(counted.held, rows.length)
          return rows
        },
      } as never
    }) as typeof sql.exec
    for (const socket of ctx.getWebSockets()) {
      const send = socket.send.bind(socket)
      socket.send = (frame) => {
        const text = String(frame)
        counted.sent += rowsIn(text)
        counted.chars += text.length
        counted.longest = Math.max(counted.longest, text.length)
        if (text.startsWith('["pokeEnd"')) counted.isDone = true
        send(frame)
      }
    }
    const turn = () => {
      counted.turns += 1
      if (!counted.isDone) setTimeout(turn, 0)
    }
    setTimeout(turn, 0)
  })
  wire.send(opening)
  await wire.until(() => wire.got.has('opened'), 'the thread')
  await inside(user, () => {
    expect([counted.read, counted.sent]).toEqual([100_000, 100_000])
    // One part, and the row that did not fit.
    expect(counted.held).toBeLessThanOrEqual(maxPartRows + 1)
    expect(counted.longest).toBeLessThan(300 * 1024)
    expect(counted.turns).toBeGreaterThanOrEqual(Math.floor(counted.chars / (2 * maxCharsPerTick)))
  })
  expect(wire.rowsOf('message')).toHaveLength(100_000)
  await wire.close()
})

test('[K3] [R8] another object runs during a long poke, and messages of the same user wait for its end', async () => {
  const [user, other] = [await newUser(), await newUser()]
  const [wire, otherWire] = [await connected(user, { queries: [me] }), await connected(other, { queries: [me] })]
  await fill(user, 20_000)
  const order: string[] = []
  const watch = (who: Wire, tag: string, name: string) =>
    who.socket.addEventListener('message', ({ data }) => {
      if (String(data).startsWith(`["${tag}"`)) order.push(name)
    })
  watch(otherWire, 'pong', 'the other')
  watch(wire, 'pokeEnd', 'the load')
  watch(wire, 'pong', 'the same')
  wire.send(opening)
  wire.send('["ping", {}]')
  await wire.receives('pokePart')
  await otherWire.settled()
  await wire.until(() => order.includes('the same'), 'its own pong')
  expect(order.filter((name, i) => order.indexOf(name) === i)).toEqual(['the other', 'the load', 'the same'])
  await wire.close()
  await otherWire.close()
})

test('[K3] an object that dies during a poke closes that connection when it wakes; the others stay', async () => {
  const user = await newUser()
  const [half, whole] = [await connected(user, { queries: [me] }), await connected(user, { queries: [me] })]
  await inside(user, (_object, ctx) => {
    for (const socket of ctx.getWebSockets(`client:${half.clientID}`))
      socket.serializeAttachment({ ...socket.deserializeAttachment(), pokeInProgress: true })
  })
  await evict(user)
  await whole.confirmed(whole.mutate('settings.update', { nickname: 'Whole' }))
  expect(await half.untilClosed()).toMatchObject({ code: 1000 })
  const back = await half.reconnect()
  await back.until(() => back.rowsOf('setting')[0]?.nickname === 'Whole', 'the change made meanwhile')
  await back.close()
  await whole.close()
})

test('[R7] refuses connections above the limit', async () => {
  const user = await newUser()
  const wire = await connected(user, { queries: [me] })
  await inside(user, (_object, ctx) => {
    const [socket] = ctx.getWebSockets()
    for (let i = 1; i < maxConnections; i++) {
      const { 1: server } = new WebSocketPair()
      ctx.acceptWebSocket(server, [`group:${wire.groupID}`, `client:many-${i}`])
      server.serializeAttachment({ ...socket?.deserializeAttachment(), clientID: `many-${i}` })
    }
  })
  const refused = await connectWire(user)
  expect(await refused.receives('error')).toMatchObject({ kind: 'ServerOverloaded' })
  // A client that reconnects replaces its own connection.
  const again = await wire.reconnect()
  await again.receives('pokeEnd')
  await again.close()
})

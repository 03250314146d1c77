// Costs that are counts, so the same on every machine: rows written, batches, bytes, wake-ups. The benchmarks measure times.

import { expect, test } from 'vitest'
import { content } from './bindings.ts'
import { countRows } from './count-rows.ts'
import { inside as insideSync } from './sync-object.ts'
import { connected, freshId, me, newUser, threadList } from './sync-wire.ts'
import { generationOf, givenTurn, inside as insideTurn, openStream, readEvents, untilEnded } from './turns.ts'

const chunks = 1000

test(`an answer of ${chunks} chunks is at most 30 rows in its object and one batch in D1, and a reconnect sends nothing twice`, async () => {
  const turn = await givenTurn(`/demo chunks=${chunks} delay=0`, { needsTitle: false })
  const rowsBefore = await insideTurn(turn, (_generation, { storage }) => {
    const rows = countRows(storage)
    return () => rows.count
  })
  await generationOf(turn).start(turn)
  await untilEnded(turn)
  const [rows, batches] = await insideTurn(turn, ({ committed }) => [rowsBefore(), committed.count])
  expect(batches).toBe(1)
  expect(rows).toBeGreaterThan(5)
  expect(rows).toBeLessThanOrEqual(30)
  const events = await readEvents(await openStream(turn))
  const numbers = events.flatMap((event) => (event.type === 'chunk' ? [event.id] : []))
  const last = numbers.at(-1) ?? 0
  expect(numbers).toEqual(Array.from({ length: last }, (_, index) => index + 1))
  expect(last).toBeGreaterThan(chunks)
  const again = await (await openStream(turn, last - 3)).text()
  expect([...again.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id))).toEqual([last - 2, last - 1, last])
  expect(again.length).toBeLessThan(500)
})

test('[R11] a first load writes at most 30 rows in the object, of any size', async () => {
  const user = await newUser()
  const first = await connected(user, { queries: [me] })
  const insert = content.prepare(
    `insert into thread (id, userId, title, status, createdAt, updatedAt) values (?, ?, 'One of many', 'ready', 1, ?)`,
  )
  await content.batch(Array.from({ length: 60 }, (_, index) => insert.bind(freshId('thread'), user.userId, index + 1)))
  // The replica imports them before the count.
  await first.confirmed(first.mutate('settings.update', { nickname: 'Ada' }))
  const rows = await insideSync(user, (_object, { storage }) => {
    const counted = countRows(storage)
    return () => counted.count
  })
  const wire = await connected(user, { queries: [me, threadList] })
  await wire.until(() => wire.rowsOf('thread').length >= 50, 'the list')
  const written = await insideSync(user, () => rows())
  expect(written).toBeGreaterThan(3)
  expect(written).toBeLessThanOrEqual(30)
  await first.close()
  await wire.close()
})

test('[H1] a ping of an idle client does not wake the object', async () => {
  const user = await newUser()
  const wire = await connected(user, { queries: [me] })
  const before = await insideSync(user, (object) => object.received)
  for (let ping = 0; ping < 20; ping++) wire.send('["ping",{}]')
  await wire.until(() => wire.frames.filter(([tag]) => tag === 'pong').length === 20, 'pongs')
  expect(await insideSync(user, (object) => object.received)).toBe(before)
  await wire.close()
})

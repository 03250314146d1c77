// A client that does not take what it is told: how much may be on its way to it. Sockets here count, and say when a ping was answered; that the
// platform dates pings is held in tests/workerd/user-sync-sleep.test.ts. Rules: worker/sync/SPEC.md, K3 and K5.
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { maxPartChars, maxSockets, maxUnheardChars } from '../../../worker/sync/protocol/limits.ts'
import { type Line, LoneObject } from './lone-object.ts'
import { newRecord } from './truth.ts'

const threadId = 'a-very-long-thread'
const beside = 'a-thread-beside-it'
const letters = 200_000
/** A part may hold a row that is longer than a part should be. */
const most = maxUnheardChars + 1024 * 1024 + maxPartChars

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] })
})
afterEach(() => {
  vi.useRealTimers()
})

async function open(messages: number): Promise<{ readonly object: LoneObject; readonly line: Line }> {
  const d1 = newRecord()
  const object = new LoneObject(d1, 'ada')
  const line = await object.mustConnect()
  const { sql } = object.object.storage
  for (const id of [threadId, beside])
    sql.exec('insert into thread (id, userId, status, createdAt, updatedAt) values (?, ?, ?, 1, 1)', id, 'ada', 'ready')
  const text = JSON.stringify({ id: 'm', role: 'user', parts: [{ type: 'text', text: 'x'.repeat(letters) }] })
  const insert = 'insert into message (id, threadId, userId, message, createdAt, updatedAt) values (?, ?, ?, ?, ?, ?)'
  for (let i = 0; i < messages; i++) sql.exec(insert, ...[`message-${i}`, threadId, 'ada', text, i, i])
  for (let i = 0; i < 2; i++) sql.exec(insert, ...[`beside-${i}`, beside, 'ada', text, i, i])
  return { object, line }
}

const desire = (hash: string, of = threadId) =>
  JSON.stringify([
    'changeDesiredQueries',
    { desiredQueriesPatch: [{ op: 'put', ttl: 0, hash, name: 'threads.one', args: [{ threadId: of }] }] },
  ])

/** Characters of what came since the last look, which is all that waits for a client that takes it now. */
function take({ server }: Line): { readonly chars: number; readonly tags: readonly string[] } {
  const frames = server.sent.splice(0)
  return { chars: frames.reduce((sum, frame) => sum + frame.length, 0), tags: frames.map((frame) => frame.slice(2, frame.indexOf('"', 2))) }
}

test('[K5] a long poke waits for the ping of a client that has heard enough, and goes on with it', async () => {
  const { object, line } = await open(400)
  take(line)
  const told = object.say(line, desire('one'))
  await object.pass(2000)
  const first = take(line)
  expect(first.chars).toBeGreaterThan(maxUnheardChars)
  expect(first.chars).toBeLessThan(most)
  expect(first.tags).not.toContain('pokeEnd')
  // It has taken everything, and hears nothing for a while.
  line.server.pingedAt = new Date(Date.now() + 1)
  await object.pass(2000)
  await told
  const rest = take(line)
  expect(rest.tags.at(-1)).toBe('pokeEnd')
  expect(first.chars + rest.chars).toBeGreaterThan(400 * letters)
  expect(line.server.closedBy).toBeNull()
})

test('[K5] one that gives no sign is told no more than that, and closed', async () => {
  const { object, line } = await open(400)
  take(line)
  const told = object.say(line, desire('one'))
  await object.pass(60_000)
  await told
  expect(take(line).chars).toBeLessThan(most)
  expect(line.server.closedBy).toMatchObject({ code: 1000 })
})

test('[K5] between two pokes it is asked to come back for the rest, and is told nothing more before', async () => {
  const almost = Math.floor(maxUnheardChars / (letters + 300))
  const { object, line } = await open(almost)
  const told = object.say(line, desire('one'))
  await object.pass(1000)
  await told
  const sentBy = async (hash: string) => {
    const before = line.server.sent.length
    await object.say(line, desire(hash, beside))
    return line.server.sent.length - before
  }
  // What is on its way stays on its way; a few more rows are too many.
  expect([await sentBy('two'), line.server.closedBy]).toEqual([expect.any(Number), null])
  expect([await sentBy('three'), line.server.closedBy]).toEqual([0, expect.objectContaining({ code: 1000 })])
})

test('[K5] [H1] sleeping makes nobody forget what a client has not heard', async () => {
  const { object, line } = await open(60)
  let chars = 0
  for (let i = 0; i < 40 && line.server.closedBy === null; i++) {
    const told = object.say(line, desire(`hash-${i}`))
    await object.pass(60_000)
    await told
    chars += take(line).chars
    object.object.evict()
  }
  expect(line.server.closedBy).toMatchObject({ code: 1000 })
  expect(chars).toBeLessThan(most)
  expect(chars).toBeGreaterThan(maxUnheardChars / 2)
})

test('[K5] [R7] connections that were closed and have not gone are counted, until they are', async () => {
  const object = new LoneObject(newRecord(), 'ada')
  const lines: Line[] = []
  const visit = () => object.mustConnect({ params: { clientID: 'one-client' } })
  // Each closes the one before it, whose client does not hear of it.
  for (let i = 0; i < maxSockets; i++) lines.push(await visit())
  const heard = async () => (await visit()).takeHeard()[0]
  expect(await heard()).toEqual(['error', expect.objectContaining({ kind: 'ServerOverloaded' })])
  const [first] = lines
  if (first) await object.close(first)
  expect(await heard()).toEqual(['connected', expect.anything()])
})

// Sends many slightly invalid frames to a real object in this process. No step throws, a connection ends as the protocol says or stays
// open, the user's other browser and another user notice nothing, and memory does not grow. SEED replays one.
// tests/workerd/user-sync-fuzz.test.ts sends the same frames through real sockets. Rules: worker/sync/SPEC.md, X1.
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test, vi } from 'vitest'
import { type FuzzIds, fuzzFrame } from '../../support/frame-fuzz.ts'
import type { MemoryD1 } from '../../support/node-object/memory-d1.ts'
import { createRng, type Rng } from '../../support/rng.ts'
import { silenceLogs } from '../../support/silence-logs.ts'
import { type Line, LoneObject } from '../user-sync/lone-object.ts'
import { newRecord } from '../user-sync/truth.ts'

const frames = process.env.PARLEY_LONG ? 1_000_000 : 15_000
const framesAtOnce = 25
const framesPerObject = 5_000
const firstSeed = Number(process.env.SEED ?? 1)
const objects = process.env.SEED === undefined ? Math.ceil(frames / framesPerObject) : 1

/** For a machine under load. */
const timeout = (process.env.PARLEY_LONG ? 180 : 10) * 60_000

const allowedEndings = new Set([
  ...['InvalidMessage', 'InvalidPush', 'PushFailed', 'Unauthorized', 'InvalidConnectionRequest', '1009'],
  // A mutation out of order for another client of the browser. No page could push it in order.
  'ClientNotFound',
])
/** Upper bound of stored rows, however many frames arrive. */
const maxMemoryRows = 3_000

const collectGarbage = (): void => {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
}

silenceLogs()

const odd: readonly ((rng: Rng) => string | ArrayBuffer)[] = [
  () => new Uint8Array([1, 2, 3]).buffer,
  () => '',
  () => '['.repeat(10_000),
  (rng) => `["${'x'.repeat(rng.below(2000))}",{}]`,
]
const tooLarge = JSON.stringify(['push', { filler: 'x'.repeat(1024 * 1024) }])

/** The error or code that closed the connection, or null while it is open. */
function endingOf(line: Line): string | null {
  const errors = line.takeReceived().flatMap(([tag, body]) => (tag === 'error' ? [String(body.kind)] : []))
  const { closedBy } = line.server
  if (!closedBy) return errors.find((kind) => kind !== 'MutationRateLimited') ?? null
  if (closedBy.code !== 1000) return String(closedBy.code)
  return errors.at(-1) ?? 'closed without a word'
}

function idsFor(rng: Rng, clientID: string, rowIds: readonly string[], lastMutationID: number): FuzzIds {
  let next = lastMutationID + 1
  return {
    groupID: 'group',
    clientID,
    rowIds,
    clientIDs: [clientID, 'sibling', '__proto__', `client-${rng.below(5)}`],
    groupIDs: ['group', 'witness', '__proto__'],
    takeMutationID: () => next++,
  }
}

const lastMutationIDOf = (d1: MemoryD1, clientID: string): number =>
  d1.all<{ n: number }>("select lastMutationID n from clientProgress where clientGroupID = 'group' and clientID = ?", clientID)[0]?.n ?? 0

async function bombard(seed: number, endings: Map<string, number>): Promise<void> {
  const rng = createRng(seed)
  const d1 = newRecord()
  const user = new LoneObject(d1, 'user')
  const otherUser = new LoneObject(d1, 'stranger')
  const observer = await user.mustConnect({ params: { clientGroupID: 'witness', clientID: 'witness' } })
  const foreign = await otherUser.mustConnect({ params: { clientGroupID: 'foreign', clientID: 'foreign' } })
  foreign.takeReceived()
  const rowIds = ['theirs', ...Array.from({ length: 10 }, (_, i) => `row-${i}`)]
  d1.all("insert into thread (id, userId, title, createdAt, updatedAt) values ('theirs', 'stranger', 'Theirs', 1, 1)")
  let clients = 0
  let line = await user.mustConnect({ params: { clientGroupID: 'group', clientID: `client-${clients}` } })
  line.takeReceived()
  for (let count = 0; count < framesPerObject; count += framesAtOnce) {
    const clientID = `client-${clients}`
    const lastMutationID = lastMutationIDOf(d1, clientID)
    const ids = idsFor(rng, clientID, rowIds, lastMutationID)
    const sent = Array.from({ length: framesAtOnce }, () => (rng.chance(0.005) ? rng.pick(odd)(rng) : fuzzFrame(rng, ids)))
    if (rng.chance(0.002)) sent.push(tooLarge)
    // As the real client does. Without acknowledgements the server keeps every refusal.
    sent.push(JSON.stringify(['ackMutationResponses', { clientID, id: lastMutationID }]))
    // Sent together: a frame for a closed connection is finished before earlier frames.
    await Promise.all([...sent, '["ping", {}]'].map((frame) => user.say(line, frame)))
    await user.settled()
    const ending = endingOf(line)
    if (rng.chance(0.02)) user.object.evict()
    if (ending === null) continue
    endings.set(ending, (endings.get(ending) ?? 0) + 1)
    expect(allowedEndings, `seed ${seed}: ${ending} after\n${sent.map((frame) => String(frame).slice(0, 2000)).join('\n')}`).toContain(
      ending,
    )
    await user.close(line)
    clients = (clients + 1) % 5
    line = await user.mustConnect({ params: { clientGroupID: 'group', clientID: `client-${clients}` } })
    line.takeReceived()
  }

  expect(vi.mocked(console.error).mock.calls, `seed ${seed}: a step failed`).toEqual([])
  expect([observer.server.closedBy, foreign.server.closedBy]).toEqual([null, null])
  expect(foreign.takeReceived(), `seed ${seed}: the other user received something`).toEqual([])
  expect(d1.all("select title, deletedAt from thread where id = 'theirs'")).toEqual([{ title: 'Theirs', deletedAt: null }])
  expect(d1.all("select id from generation where status = 'open'")).toEqual([])
  for (const table of ['sync_group', 'sync_client', 'sync_desire', 'sync_meta']) {
    const [{ n } = { n: 0 }] = user.object.storage.sql.exec<{ n: number }>(`select count(*) n from ${table}`).toArray()
    expect(n, `seed ${seed}: ${table}`).toBeLessThan(maxMemoryRows)
  }
}

test(`[X1] ${frames} changed frames: allowed errors only, no failing step, no growth`, { timeout }, async () => {
  const endings = new Map<string, number>()
  let heapAfterTen = 0
  for (let i = 0; i < objects; i++) {
    await bombard(firstSeed + i, endings)
    vi.mocked(console.warn).mockClear()
    vi.mocked(console.info).mockClear()
    if (i !== 4 && i !== objects - 1) continue
    collectGarbage()
    const { heapUsed } = process.memoryUsage()
    if (i === 4) heapAfterTen = heapUsed
    else if (objects > 5) expect((heapUsed - heapAfterTen) / 2 ** 20, 'MB of heap grown').toBeLessThan(60)
  }
  // The generator must produce frames that pass the first check and frames that do not.
  for (const kind of ['InvalidMessage', 'InvalidPush', 'PushFailed']) expect([...endings.keys()]).toContain(kind)
})

// Almost right frames at a real object, through real sockets; many more of them in tests/sim/frames. Whatever is said: no step of the object throws (a client would hear ServerOverloaded),
// a connection ends as the protocol says or not at all, and the person's other browser notices nothing. A failure names its seed.
// Rules: worker/sync/SPEC.md, X1 and X2 above all.
import { expect, test } from 'vitest'
import { type FuzzIds, fuzzFrame } from '../support/frame-fuzz.ts'
import { createRng, type Rng } from '../support/rng.ts'
import { connected, env, freshId, me, newPerson, type Person, recentThreads, turnArgs, type Wire } from './sync-wire.ts'

const framesPerRun = 1000
const framesAtOnce = 8
const allowedEndings = new Set(['InvalidMessage', 'InvalidPush', 'PushFailed', 'Unauthorized'])

/** Resolves to the kind of error that ended the connection, or null when it lives. */
async function endingOf(wire: Wire): Promise<string | null> {
  try {
    await wire.caughtUp()
    return null
  } catch (error) {
    if (!wire.closed || wire.broken) throw error
    return String(wire.frames.find(([tag]) => tag === 'error')?.[1].kind ?? wire.closed.code)
  }
}

function sendSome(rng: Rng, wire: Wire, foreign: Wire, rowIds: readonly string[]): string[] {
  let nextMutationID = (wire.lastMutationIDs.get(wire.clientID) ?? 0) + 1
  const ids: FuzzIds = {
    groupID: wire.groupID,
    clientID: wire.clientID,
    rowIds,
    clientIDs: [wire.clientID, foreign.clientID, 'sibling', '__proto__'],
    groupIDs: [wire.groupID, foreign.groupID, '__proto__'],
    takeMutationID: () => nextMutationID++,
  }
  const frames = Array.from({ length: framesAtOnce }, () => fuzzFrame(rng, ids))
  for (const frame of frames) wire.send(frame)
  return frames
}

const notReady = async ({ userId }: Person) =>
  (await env.DB.prepare("select id, status from thread where userId = ? and status <> 'ready'").bind(userId).all()).results

test.each([1, 2])('frames bent by seed %i', async (seed) => {
  const rng = createRng(seed)
  const [person, stranger] = [await newPerson(), await newPerson()]
  const foreign = await connected(stranger, { queries: [me, recentThreads] })
  const theirs = turnArgs()
  await foreign.confirmed(foreign.mutate('threads.send', theirs))
  await foreign.until(() => foreign.row('thread', theirs.threadId)?.status === 'ready', 'their answer')
  const before = [...foreign.rows]

  const witness = await connected(person, { queries: [me, recentThreads] })
  const rowIds = [theirs.threadId, theirs.messageId, theirs.answerId, ...Array.from({ length: 12 }, () => freshId('row'))]
  const endings = new Map<string, number>()
  let wire = await connected(person, { queries: [me] })
  for (let count = 0; count < framesPerRun; count += framesAtOnce) {
    const sent = sendSome(rng, wire, foreign, rowIds)
    const ending = await endingOf(wire)
    if (ending === null) continue
    endings.set(ending, (endings.get(ending) ?? 0) + 1)
    expect(allowedEndings, `after ${sent.join('\n')}`).toContain(ending)
    wire = await connected(person, { queries: [me] })
  }

  // The generator is worth nothing if every frame is refused at the first look.
  expect(endings.size).toBeGreaterThan(1)
  expect([witness.broken, witness.closed, foreign.broken, foreign.closed]).toEqual([null, null, null, null])
  await witness.confirmed(witness.mutate('settings.update', { nickname: 'Unmoved' }))
  expect(witness.rowsOf('setting')).toMatchObject([{ nickname: 'Unmoved' }])
  expect([...foreign.rows]).toEqual(before)
  const giveUpAt = Date.now() + 30_000
  while ((await notReady(person)).length > 0 && Date.now() < giveUpAt) await new Promise((resolve) => setTimeout(resolve, 50))
  expect(await notReady(person)).toEqual([])
  await witness.caughtUp()
  const fresh = await connected(person, { queries: [me, recentThreads] })
  const held = ({ rows }: Wire) => [...rows].toSorted(([a], [b]) => (a < b ? -1 : 1))
  expect(held(witness)).toEqual(held(fresh))
  const written = await env.DB.prepare('select count(*) n from message where userId = ?').bind(person.userId).first('n')
  expect(written).toBeGreaterThan(0)
})

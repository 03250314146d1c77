// Slightly invalid frames for a real object, through real sockets; tests/sim/frames sends many more. No step throws (a client would receive
// ServerOverloaded), a connection ends as the protocol says or stays open, and the user's other browser notices nothing. A failure names
// its seed. Rules: worker/sync/SPEC.md, X1.

import { expect, test } from 'vitest'
import { type FuzzIds, fuzzFrame } from '../support/frame-fuzz.ts'
import { createRng, type Rng } from '../support/rng.ts'
import { content } from './bindings.ts'
import { connected, freshId, me, newUser, recentThreads, type SyncUser, turnArgs, type Wire } from './sync-wire.ts'

const framesPerRun = 1000
const framesAtOnce = 8
/** `ClientNotFound`: rule P2, for a mutation of a client that the server does not have. */
const allowedEndings = new Set(['ClientNotFound', 'InvalidMessage', 'InvalidPush', 'PushFailed', 'Unauthorized'])

/** Resolves to the kind of error that closed the connection, or null while it is open. */
async function endingOf(wire: Wire): Promise<string | null> {
  try {
    await wire.settled()
    return null
  } catch (error) {
    if (!wire.closed || wire.protocolError) throw error
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

const notReady = async ({ userId }: SyncUser) =>
  (await content.prepare("select id, status from thread where userId = ? and status <> 'ready'").bind(userId).all()).results

test.each(process.env.PARLEY_LONG ? [1, 2] : [1])('changed frames of seed %i', async (seed) => {
  const rng = createRng(seed)
  const [user, otherUser] = [await newUser(), await newUser()]
  const foreign = await connected(otherUser, { queries: [me, recentThreads] })
  const otherTurn = turnArgs()
  await foreign.confirmed(foreign.mutate('threads.send', otherTurn))
  await foreign.until(() => foreign.row('thread', otherTurn.threadId)?.status === 'ready', 'their answer')
  const before = [...foreign.rows]

  const observer = await connected(user, { queries: [me, recentThreads] })
  const rowIds = [otherTurn.threadId, otherTurn.messageId, otherTurn.answerId, ...Array.from({ length: 12 }, () => freshId('row'))]
  const endings = new Map<string, number>()
  let wire = await connected(user, { queries: [me] })
  for (let count = 0; count < framesPerRun; count += framesAtOnce) {
    const sent = sendSome(rng, wire, foreign, rowIds)
    const ending = await endingOf(wire)
    if (ending === null) continue
    endings.set(ending, (endings.get(ending) ?? 0) + 1)
    expect(allowedEndings, `after ${sent.join('\n')}`).toContain(ending)
    wire = await connected(user, { queries: [me] })
  }

  // The generator must also produce frames that pass the first check.
  expect(endings.size).toBeGreaterThan(1)
  expect([observer.protocolError, observer.closed, foreign.protocolError, foreign.closed]).toEqual([null, null, null, null])
  await observer.confirmed(observer.mutate('settings.update', { nickname: 'Unmoved' }))
  expect(observer.rowsOf('setting')).toMatchObject([{ nickname: 'Unmoved' }])
  expect([...foreign.rows]).toEqual(before)
  const giveUpAt = Date.now() + 30_000
  while ((await notReady(user)).length > 0 && Date.now() < giveUpAt) await new Promise((resolve) => setTimeout(resolve, 50))
  expect(await notReady(user)).toEqual([])
  await observer.settled()
  const fresh = await connected(user, { queries: [me, recentThreads] })
  await observer.until(() => [...(observer.windows ?? [])].every((hash) => observer.got.has(hash)), 'the windows of messages')
  // The witness also desires the messages of threads that were deleted since.
  const isOfHeld = ({ threadId }: { readonly threadId?: unknown }, wire: Wire) =>
    threadId === undefined || wire.row('thread', String(threadId)) !== undefined
  const held = (wire: Wire) => [...wire.rows].filter(([, row]) => isOfHeld(row, wire)).toSorted(([a], [b]) => (a < b ? -1 : 1))
  expect(held(observer)).toEqual(held(fresh))
  const written = await content.prepare('select count(*) n from message where userId = ?').bind(user.userId).first('n')
  expect(written).toBeGreaterThan(0)
})

// Storage fails while the object wakes for a frame. The frame is not handled, so the connection must end. Rules: worker/sync/SPEC.md, X4.
import { expect, test } from 'vitest'
import type { MemoryD1 } from '../../support/node-object/memory-d1.ts'
import { silenceLogs } from '../../support/silence-logs.ts'
import { LoneObject } from './lone-object.ts'
import { newRecord } from './truth.ts'

silenceLogs()

const rename = (id: number, nickname: string) =>
  JSON.stringify([
    'push',
    {
      clientGroupID: 'g',
      mutations: [{ type: 'custom', id, clientID: 'c', name: 'settings.update', args: [{ nickname }], timestamp: 1 }],
      ...{ pushVersion: 1, requestID: 'r', timestamp: 1 },
    },
  ])

const nicknames = (d1: MemoryD1) =>
  (d1.all("select nickname from setting where userId = 'ada'") as { nickname: string }[]).map(({ nickname }) => nickname)

/** More statements than a wake and its step have. */
const most = 200

test('[X4] closes the connection when a statement of a wake fails, and the resent frames are applied', async () => {
  let failed = 0
  let unsent = 0
  for (let statement = 0; statement < most; statement++) {
    const d1 = newRecord()
    const object = new LoneObject(d1, 'ada')
    const line = await object.mustConnect()
    object.object.evict()
    object.object.storage.failsAfter = statement
    await object.say(line, rename(1, 'first'))
    await object.settled()
    // Not reached: the wake and the step have fewer statements.
    if (object.object.storage.failsAfter !== null) break
    failed++
    // Work after the step, such as the first-page cache, affects no connection.
    const isSent = nicknames(d1).includes('first')
    expect([isSent, line.server.readyState === WebSocket.OPEN], `statement ${statement}`).not.toEqual([false, true])
    unsent += Number(!isSent)
    const again = await object.mustConnect()
    for (const [id, nickname] of [
      [1, 'first'],
      [2, 'second'],
    ] as const)
      await object.say(again, rename(id, nickname))
    await object.settled()
    expect(nicknames(d1), `statement ${statement}`).toEqual(['second'])
    expect(again.server.readyState).toBe(WebSocket.OPEN)
  }
  expect(unsent).toBeGreaterThan(10)
  expect(failed).toBeLessThan(most)
})

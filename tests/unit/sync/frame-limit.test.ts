// How many frames a connection may send. Rules: worker/sync/SPEC.md, R6.
import { expect, test } from 'vitest'
import { FrameLimit } from '../../../worker/sync/object/receive-frame.ts'

test('[R6] ten frames per mutation, for each connection, refilled over time', () => {
  const limit = new FrameLimit({ burst: 2, perSecond: 1 })
  const [one, two] = [{}, {}] as unknown as [WebSocket, WebSocket]
  const allowed = (socket: WebSocket, nowMs: number) => Array.from({ length: 25 }, () => limit.allows(socket, nowMs)).filter(Boolean).length
  expect(allowed(one, 1000)).toBe(20)
  expect(allowed(two, 1000)).toBe(20)
  expect(allowed(one, 2000)).toBe(10)
})

// Rate-limit hits counted by the real Upstash client, against a peer on loopback.
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { createCounter, restMs } from '../../../worker/auth/counters.ts'
import { createNodeD1 } from '../../support/node-d1.ts'
import { answeringServer } from '../../support/peers/answering-server.ts'
import { flood } from '../../support/peers/flood.ts'
import { type RedisOutage, startUpstash, type UpstashPeer } from '../../support/peers/upstash.ts'

const server = answeringServer()
let peer: UpstashPeer
beforeAll(async () => {
  peer = await startUpstash()
})
afterAll(() => peer.stop())

beforeEach(() => {
  // On a busy machine, the peer can need longer than the timeout of a request.
  const timeout = vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => new AbortController().signal)
  return () => timeout.mockRestore()
})

test('hits are counted in the window that the first one opened', async () => {
  const count = createCounter({} as never, peer, Date.now)
  const hits = await Promise.all([1, 2, 3].map(() => count('door', 60)))
  expect(hits.map((hit) => hit.count).sort()).toEqual([1, 2, 3])
  await peer.pass(20)
  expect((await count('door', 60)).leftS).toBeLessThanOrEqual(40)
  await peer.pass(41)
  expect(await count('door', 60)).toMatchObject({ count: 1 })
})

test('a Redis that refuses everything does not lift a limit: D1 counts meanwhile', async () => {
  const logged = vi.spyOn(console, 'error').mockImplementation(() => undefined)
  const DB = createNodeD1()
  const settings = { ...peer, token: 'wrong' }
  let nowMs = 2000
  const count = createCounter({ DB }, settings, () => nowMs)
  expect([await count('guest', 60), await count('guest', 60)]).toEqual([
    { count: 1, leftS: 60 },
    { count: 2, leftS: 60 },
  ])
  // Redis is tried once and then not for a while: other requests do not wait for its failure.
  expect(logged.mock.calls).toHaveLength(1)
  nowMs += restMs
  await count('guest', 60)
  expect(logged.mock.calls).toHaveLength(2)
  // Logs the name only, because Redis quotes the command with its arguments.
  for (const [line] of logged.mock.calls) expect(String(line)).toMatch(/"error":"UpstashError"/)
  logged.mockRestore()
})

test.each<RedisOutage>(['hang-up', 'broken'])('while Redis fails (%s), D1 counts', async (how) => {
  const logged = vi.spyOn(console, 'error').mockImplementation(() => undefined)
  peer.misbehave(how)
  expect(await createCounter({ DB: createNodeD1() }, peer, () => 2000)('guest', 60)).toEqual({ count: 1, leftS: 60 })
  peer.misbehave(null)
  expect(logged.mock.calls).toHaveLength(1)
  logged.mockRestore()
})

test.each([200, 500])('an endless response is not read to its end (status %i), and D1 counts meanwhile', async (status) => {
  const logged = vi.spyOn(console, 'error').mockImplementation(() => undefined)
  const left = Promise.withResolvers<void>()
  server.answer = (response) => void flood(response, 'line', '{"result":[1,"', status).then(left.resolve)
  expect(await createCounter({ DB: createNodeD1() }, { ...peer, url: server.url }, () => 2000)('guest', 60)).toEqual({
    count: 1,
    leftS: 60,
  })
  await left.promise
  // Limited by bytes, not by time.
  expect(logged.mock.calls.map(([line]) => (JSON.parse(String(line)) as { error: string }).error)).toEqual([
    'EndlessBodyError: more than 65536 bytes',
  ])
  logged.mockRestore()
})

test.each([{ result: [] }, { result: ['many', 'few'] }, { result: null }])('an invalid count, %j, refuses nothing', async (answer) => {
  const logged = vi.spyOn(console, 'error').mockImplementation(() => undefined)
  const fetched = vi.spyOn(globalThis, 'fetch').mockImplementation(async () => Response.json(answer))
  expect(await createCounter({ DB: createNodeD1() }, peer, () => 2000)('guest', 60)).toEqual({ count: 1, leftS: 60 })
  expect(fetched).toHaveBeenCalled()
  fetched.mockRestore()
  logged.mockRestore()
})

// A pull that fails while several alarms are due. Rules: worker/sync/SPEC.md, H4.
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { FakeKv } from '../../support/fake-kv.ts'
import { silenceLogs } from '../../support/silence-logs.ts'
import type { Fault } from './faults.ts'
import { LoneObject } from './lone-object.ts'
import { newRecord } from './truth.ts'

silenceLogs()
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }))
afterEach(() => void vi.useRealTimers())

const lost: Fault = { when: 'before', message: 'D1_ERROR: Network connection lost.' }
const mutation = { type: 'custom', id: 1, clientID: 'c', name: 'settings.update', args: [{ nickname: 'Ada' }], timestamp: 1 }
const push = ['push', { clientGroupID: 'g', mutations: [mutation], pushVersion: 1, requestID: 'r', timestamp: 1 }]

test('[H4] a failed alarm does not stop the others and closes no connection', async () => {
  const kv = new FakeKv()
  const readFaults: Fault[] = []
  const object = new LoneObject(newRecord(), 'ada', { kv: kv.namespace, readFaults })
  const line = await object.mustConnect()
  // The first page was written at the connect, so the next write waits for its alarm.
  await object.say(line, JSON.stringify(push))
  readFaults.push(lost)
  await object.object.awake().notify()
  await object.settled()
  const before = kv.puts.length

  vi.setSystemTime(Date.now() + 6000)
  readFaults.push(lost)
  await object.object.awake().alarm()
  await object.settled()
  expect(readFaults).toEqual([])
  expect(kv.puts.slice(before).map(({ text }) => text.includes('"nickname":"Ada"'))).toEqual([true])
  expect(line.server.closedBy).toBeNull()
})

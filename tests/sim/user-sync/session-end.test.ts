// Sessions end at once, also when KV or the object's storage fails. A database that does not answer is no proof of a deletion. Rules:
// worker/sync/SPEC.md, C7.
import { expect, test, vi } from 'vitest'
import { FakeKv } from '../../support/fake-kv.ts'
import { silenceLogs } from '../../support/silence-logs.ts'
import type { Fault } from './faults.ts'
import { type Line, LoneObject } from './lone-object.ts'
import { newRecord } from './truth.ts'

silenceLogs()

const sessionId = 'ada-session'
const unanswered: Fault = { when: 'before', message: 'D1_ERROR: Network connection lost.' }

const kinds = (line: Line) => line.takeReceived().flatMap(([tag, body]) => (tag === 'error' ? [body.kind] : []))
/** The object's storage outside its tables, and a flag for its tables. */
const keptBy = ({ object: { storage } }: LoneObject) => ({
  userId: storage.kv.get('userId'),
  hasTables: storage.database.prepare("select 1 from sqlite_master where name = 'sync_meta'").all().length > 0,
})
const nothing = { userId: undefined, hasTables: false }

const broken = {
  'KV refuses': (_object: LoneObject, kv: FakeKv) =>
    void vi.spyOn(kv, 'delete').mockRejectedValue(new Error('KV DELETE failed: 429 Too Many Requests')),
  'the storage fails': ({ object: { storage } }: LoneObject) => {
    storage.failsAfter = 0
  },
} as const

test.each(Object.entries(broken))('[C7] closes the sockets of an ended session at once although %s', async (_what, breakIt) => {
  const kv = new FakeKv()
  const object = new LoneObject(newRecord(), 'ada', { kv: kv.namespace })
  const line = await object.mustConnect()
  line.takeReceived()
  breakIt(object, kv)
  await object.object.awake().endSessions([sessionId])
  expect([kinds(line), line.server.closedBy?.code]).toEqual([['Unauthorized'], 1000])
  await object.settled()
})

test.each(Object.entries(broken))('[C7] deletes the storage of a deleted user although %s', async (_what, breakIt) => {
  const kv = new FakeKv()
  const d1 = newRecord()
  const object = new LoneObject(d1, 'ada', { kv: kv.namespace })
  const line = await object.mustConnect()
  line.takeReceived()
  for (const sql of ["delete from session where userId = 'ada'", "delete from user where id = 'ada'"]) d1.all(sql)
  breakIt(object, kv)
  await object.object.awake().endSessions('all')
  expect([kinds(line), line.server.closedBy?.code, keptBy(object)]).toEqual([['Unauthorized'], 1000, nothing])
  await object.close(line)
  const late = await object.mustConnect()
  expect([kinds(late), keptBy(object)]).toEqual([['Unauthorized'], nothing])
})

test('[C7] a first connect without an answer of D1 gets ServerOverloaded and deletes nothing', async () => {
  const readFaults = [unanswered]
  const object = new LoneObject(newRecord(), 'ada', { readFaults })
  const refused = await object.mustConnect()
  expect([kinds(refused), readFaults, keptBy(object)]).toEqual([['ServerOverloaded'], [], { userId: 'ada', hasTables: true }])
  const line = await object.mustConnect()
  const tags = line.takeReceived().map(([tag]) => tag)
  expect([tags[0], tags.at(-1)]).toEqual(['connected', 'pokeEnd'])
})

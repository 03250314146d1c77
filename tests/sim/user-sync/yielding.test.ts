// Long reads of one user's object do not block other objects of the process. Nothing yields on its own here, so every yield is the
// object's. tests/workerd/user-sync-import.test.ts shows that the platform runs other objects then. Rules: worker/sync/SPEC.md, R8.
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { pageRows } from '../../../worker/db/feed.ts'
import type { MemoryD1 } from '../../support/node-object/memory-d1.ts'
import { silenceLogs } from '../../support/silence-logs.ts'
import type { Fault } from './faults.ts'
import { type Line, LoneObject } from './lone-object.ts'
import { newRecord, pagedText } from './truth.ts'

type Beat = 'turn' | 'page of an import' | 'page of the feed'

const pages = 5
const beats: Beat[] = []

silenceLogs()
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }))
afterEach(() => void vi.useRealTimers())

const lost: Fault = { when: 'before', message: 'D1_ERROR: Network connection lost.' }

function say(d1: MemoryD1, kind: string, count: number): void {
  d1.all("insert or ignore into thread (id, userId, title, createdAt, updatedAt) values ('long', 'ada', 'Long', 1, 1)")
  const sql = `with recursive n (i) as (select 1 union all select i + 1 from n where i < ?2)
    insert into message (id, threadId, userId, message, createdAt)
    select printf('%s-%04d', ?1, i), 'long', 'ada', json_object('id', i, 'role', 'user', 'parts', json_array(json_object('type', 'text', 'text', ?3))), i from n`
  d1.all(sql, kind, count, pagedText)
}

/** A user with this many messages and an empty object. Its yields and pages are recorded in `beats`. */
function newcomer(messages: number, readFaults: (Fault | null)[] = []) {
  const d1 = newRecord()
  const object = new LoneObject(watched(d1), 'ada', { readFaults })
  say(d1, 'said', messages)
  vi.spyOn(scheduler, 'wait').mockImplementation(async () => void beats.push('turn'))
  beats.length = 0
  return { d1, object }
}

function watched(d1: MemoryD1): MemoryD1 {
  const binding = d1.binding.bind(d1)
  d1.binding = (gate = async (_texts, run) => run()) =>
    binding((texts, run) => {
      if (texts.some((text) => text.includes('with recursive page'))) beats.push('page of an import')
      else if (texts.some((text) => text.includes('contentChange'))) beats.push('page of the feed')
      return gate(texts, run)
    })
  return d1
}

const countOf = (beat: Beat) => beats.filter((other) => other === beat).length
/** Pages without a yield before them. */
const unasked = (beat: Beat) => beats.filter((other, i) => other === beat && beats[i - 1] !== 'turn').length
const held = ({ object }: LoneObject) => object.storage.sql.exec('select count(*) n from message').one()

test('[R8] an import yields before every page but the first', async () => {
  const { object } = newcomer(pages * pageRows)
  await object.mustConnect()
  expect(held(object)).toEqual({ n: pages * pageRows })
  expect(countOf('page of an import')).toBeGreaterThan(pages)
  expect(unasked('page of an import')).toBe(1)
})

const nickname = { type: 'custom', id: 1, clientID: 'c', name: 'settings.update', args: [{ nickname: 'Ada' }], timestamp: 1 }
const push = ['push', { clientGroupID: 'g', mutations: [nickname], pushVersion: 1, requestID: 'r', timestamp: 1 }]

test.each([
  ['a push waits for it', (object: LoneObject, line: Line) => object.say(line, JSON.stringify(push))],
  [
    'its alarm goes on with it',
    (object: LoneObject) => {
      vi.setSystemTime(object.object.storage.alarmAtMs ?? 0)
      return object.object.awake().alarm()
    },
  ],
])('[R8] an import yields when %s', async (_what, goOn) => {
  const readFaults: (Fault | null)[] = []
  const { object } = newcomer(pages * pageRows, readFaults)
  // The first pages, the first screen and the feed; then the database fails.
  readFaults.push(null, null, null, lost)
  const line = await object.mustConnect()
  expect(held(object)).not.toEqual({ n: pages * pageRows })
  beats.length = 0
  await goOn(object, line)
  await object.settled()
  expect(held(object)).toEqual({ n: pages * pageRows })
  expect(countOf('page of an import')).toBeGreaterThanOrEqual(pages)
  expect(unasked('page of an import')).toBe(0)
})

test('[R8] an import yields when a deploy has changed the tables', async () => {
  const { object } = newcomer(pages * pageRows)
  await object.mustConnect()
  object.object.storage.sql.exec("update sync_meta set value = 'other' where name = 'shape'")
  object.object.evict()
  beats.length = 0
  await object.mustConnect()
  expect(countOf('page of an import')).toBeGreaterThan(pages)
  expect(unasked('page of an import')).toBe(1)
})

test('[R8] a long feed yields before every page but the first', async () => {
  const { d1, object } = newcomer(1)
  await object.mustConnect()
  object.object.evict()
  say(d1, 'more', pages * pageRows)
  beats.length = 0
  await object.mustConnect()
  expect(held(object)).toEqual({ n: pages * pageRows + 1 })
  expect(countOf('page of the feed')).toBeGreaterThanOrEqual(pages)
  expect(unasked('page of the feed')).toBe(1)
})

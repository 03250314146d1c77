// Every documented error of D1, before and after it has committed, at every kind of write: what was written is there exactly once, or was refused
// and left nothing, and the client is never told what is not so. Rules: worker/sync/SPEC.md, P2, P6, X2.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { d1Errors, transientD1Errors } from '../../support/d1-errors.ts'
import type { Fault } from './faults.ts'
import { type Line, LoneObject } from './lone-object.ts'
import { newRecord } from './truth.ts'

beforeEach(() => {
  for (const level of ['info', 'warn', 'error'] as const) vi.spyOn(console, level).mockImplementation(() => undefined)
})
afterEach(() => {
  vi.restoreAllMocks()
})

const ids = { threadId: 'thread-of-ada', modelId: 'kimi-k2', at: 1 }
const writes: readonly (readonly [name: string, args: { readonly [name: string]: unknown }, changed: string])[] = [
  ['settings.update', { nickname: 'Written' }, "select count(*) n from history where mark = 'Written'"],
  ['threads.rename', { threadId: ids.threadId, title: 'mark:x' }, "select count(*) n from history where mark = 'mark:x'"],
  ['threads.delete', { threadId: ids.threadId, at: 1 }, 'select count(*) n from thread where deletedAt is not null'],
  [
    'threads.send',
    { ...ids, messageId: 'message-new', answerId: 'answer-new', parentId: 'message-old', text: 'Hello' },
    "select count(*) n from creditLedger where generationId = 'answer-new' and kind = 'reserve'",
  ],
  [
    'threads.answer',
    { ...ids, answerId: 'answer-again', parentId: 'message-old' },
    "select count(*) n from creditLedger where generationId = 'answer-again' and kind = 'reserve'",
  ],
  [
    'messages.delete',
    { threadId: ids.threadId, messageId: 'message-old', at: 1 },
    'select count(*) n from message where deletedAt is not null',
  ],
  [
    'queue.add',
    { ...ids, id: 'queued-new', answerId: 'queued-answer', text: 'Then' },
    "select count(*) n from history where tbl = 'queuedMessage' and mark = 'queued-new'",
  ],
]

const isTransient = (message: string) => transientD1Errors.some((known) => known === message)

async function newPage(object: LoneObject): Promise<Line> {
  const line = await object.connect({ params: { clientGroupID: 'group', clientID: 'client' } })
  if (line instanceof Response) throw new Error(`the door answered ${line.status}`)
  line.takeHeard()
  return line
}

const push = (name: string, args: unknown) =>
  JSON.stringify([
    'push',
    {
      clientGroupID: 'group',
      mutations: [{ type: 'custom', id: 1, clientID: 'client', name, args: [args], timestamp: 1 }],
      ...{ pushVersion: 1, requestID: 'r', timestamp: 1 },
    },
  ])

describe.each(d1Errors)('%s', (message) => {
  const fates = (['before', 'after'] as const).flatMap((when) => [1, 4].map((times) => ({ when, times })))
  test.each(fates)('[P2] [P6] $when the commit, $times times, at every write', async ({ when, times }) => {
    for (const [name, args, changed] of writes) {
      const d1 = newRecord()
      const faults: Fault[] = []
      const object = new LoneObject(d1, 'ada', { faults })
      d1.all("insert into thread (id, userId, title, createdAt, updatedAt) values ('thread-of-ada', 'ada', 'Old', 1, 1)")
      for (const id of ['message-old', 'message-beside']) {
        const text = JSON.stringify({ id, role: 'user', parts: [{ type: 'text', text: 'Old' }] })
        d1.all("insert into message (id, threadId, userId, message, createdAt) values (?, 'thread-of-ada', 'ada', ?, 1)", id, text)
      }
      let line = await newPage(object)
      faults.push(...Array.from({ length: times }, () => ({ when, message })))
      // Whoever is asked to come back comes back, and sends what was not confirmed.
      for (let attempt = 0; attempt < 6; attempt++) {
        await object.say(line, push(name, args))
        await object.settled()
        const heard = line.takeHeard()
        const kinds = heard.flatMap(([tag, body]) => (tag === 'error' ? [body.kind] : []))
        expect(kinds.filter((kind) => kind !== 'ServerOverloaded')).toEqual([])
        if (kinds.length === 0) break
        await object.close(line)
        faults.length = 0
        line = await newPage(object)
      }
      const what = `${name} ${when} ${times}`
      const [{ n } = { n: -1 }] = d1.all<{ n: number }>(changed)
      const refused = d1.all('select 1 from refusals').length
      expect(d1.all("select lastMutationID from clientProgress where clientID = 'client'"), what).toEqual([{ lastMutationID: 1 }])
      expect(n + refused, what).toBe(1)
      // Trouble that passes costs nobody a write.
      if (isTransient(message) || when === 'after') expect(refused, what).toBe(0)
    }
  })
})

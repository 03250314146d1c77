// An order leaves with what the record answered, before the object that gives it has written any of that down. Rules: worker/sync/SPEC.md, T.
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { TurnOrder } from '../../../worker/contract/turn.ts'
import { type Line, LoneObject } from './lone-object.ts'
import { newRecord } from './truth.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] })
  for (const level of ['info', 'warn', 'error'] as const) vi.spyOn(console, level).mockImplementation(() => undefined)
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

type Given = Pick<TurnOrder, 'generationId' | 'isFirst'> & { readonly question: string | undefined; readonly isInReplica: boolean }

/** Somebody with a page, whose generations do nothing but hear their orders. */
async function asker() {
  const d1 = newRecord()
  const given: Given[] = []
  const ordered = ({ generationId, isFirst, history, parentId }: TurnOrder) => {
    const isInReplica = object.object.storage.sql.exec('select 1 from message where id = ?', parentId).toArray().length > 0
    given.push({ generationId, isFirst: isFirst ?? false, question: history.at(-1)?.id, isInReplica })
  }
  const object: LoneObject = new LoneObject(d1, 'ada', { ordered, patient: new Set(['answer-1', 'answer-2']) })
  return { d1, given, object, line: await object.mustConnect() }
}

function send(object: LoneObject, line: Line, id: number): Promise<void> {
  const ids = { threadId: `thread-${id}`, messageId: `message-${id}`, answerId: `answer-${id}` }
  const args = [{ ...ids, parentId: null, text: 'hello', modelId: 'kimi-k2', at: 1 }]
  const mutations = [{ type: 'custom', id, clientID: 'c', name: 'threads.send', args, timestamp: 1 }]
  return object.say(line, JSON.stringify(['push', { clientGroupID: 'g', mutations, pushVersion: 1, requestID: 'r', timestamp: 1 }]))
}

/** Until its alarm has rung for the turn, whatever else it rings for. */
async function ringFor({ object }: LoneObject, given: readonly Given[]): Promise<void> {
  const before = given.length
  for (let rings = 0; rings < 5 && given.length === before; rings++) {
    vi.setSystemTime(Math.max(Date.now(), object.storage.alarmAtMs ?? expect.fail('no alarm is set')))
    // The platform's alarm is gone once it has rung.
    object.storage.alarmAtMs = null
    await object.awake().alarm()
    await object.settled()
  }
}

test('[T1] the first order is given before the replica is written, and is not given again with it', async () => {
  const { object, line, given } = await asker()
  for (const id of [1, 2]) {
    await send(object, line, id)
    await object.settled()
  }
  expect(given).toEqual([
    { generationId: 'answer-1', isFirst: true, question: 'message-1', isInReplica: false },
    { generationId: 'answer-2', isFirst: true, question: 'message-2', isInReplica: false },
  ])
})

/** More than the step has. */
const most = 100

test('[T1] whichever statement of the step fails, one order is the first, and the alarm gives another', async () => {
  let unwritten = 0
  for (let statement = 0; statement < most; statement++) {
    const { d1, object, line, given } = await asker()
    object.object.storage.failsAfter = statement
    await send(object, line, 1)
    await object.settled()
    // Not reached: the step has fewer.
    if (object.object.storage.failsAfter !== null) break
    const again = await object.mustConnect()
    await send(object, again, 1)
    await object.settled()
    unwritten += Number(given[0]?.isFirst === true && given[1] !== undefined)
    await ringFor(object, given)
    expect(d1.all("select id from generation where status = 'open'"), `statement ${statement}`).toEqual([{ id: 'answer-1' }])
    expect(given.filter(({ isFirst }) => isFirst).length, `statement ${statement}`).toBeLessThan(2)
    expect(given.at(-1), `statement ${statement}`).toMatchObject({ generationId: 'answer-1', question: 'message-1', isInReplica: true })
  }
  // Told, and then not written.
  expect(unwritten).toBeGreaterThan(5)
})

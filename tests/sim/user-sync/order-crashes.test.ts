// Start commands of a turn when the object's storage fails while it applies the commit that opened the turn. Rules: worker/turns/SPEC.md, T2.
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { StartTurn } from '../../../worker/contract/threads/turn.ts'
import { silenceLogs } from '../../support/silence-logs.ts'
import { type Line, LoneObject } from './lone-object.ts'
import { newRecord } from './truth.ts'

silenceLogs()
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }))
afterEach(() => void vi.useRealTimers())

type Given = Pick<StartTurn, 'generationId'> & { readonly question: string | undefined }

/** A user with a page whose generations only record their commands. */
async function asker() {
  const d1 = newRecord()
  const given: Given[] = []
  const onStart = ({ generationId, history }: StartTurn) => {
    given.push({ generationId, question: history.at(-1)?.id })
  }
  const object: LoneObject = new LoneObject(d1, 'ada', { onStart, patient: new Set(['answer-1', 'answer-2']) })
  return { d1, given, object, line: await object.mustConnect() }
}

function send(object: LoneObject, line: Line, id: number): Promise<void> {
  const ids = { threadId: `thread-${id}`, messageId: `message-${id}`, answerId: `answer-${id}` }
  const args = [{ ...ids, parentId: null, text: 'hello', modelId: 'kimi-k2', at: 1 }]
  const mutations = [{ type: 'custom', id, clientID: 'c', name: 'threads.send', args, timestamp: 1 }]
  return object.say(line, JSON.stringify(['push', { clientGroupID: 'g', mutations, pushVersion: 1, requestID: 'r', timestamp: 1 }]))
}

/** Fires alarms until one has sent a command for the turn. */
async function fireAlarmsUntilSent({ object }: LoneObject, given: readonly Given[]): Promise<void> {
  const before = given.length
  for (let attempt = 0; attempt < 5 && given.length === before; attempt++) {
    vi.setSystemTime(Math.max(Date.now(), object.storage.alarmAtMs ?? expect.fail('no alarm is set')))
    // The platform removes an alarm when it fires.
    object.storage.alarmAtMs = null
    await object.awake().alarm()
    await object.settled()
  }
}

/** More statements than the step has. */
const most = 100

test('[T2] the alarm sends another start command after any failed statement', async () => {
  let tried = 0
  for (let statement = 0; statement < most; statement++) {
    const { d1, object, line, given } = await asker()
    object.object.storage.failsAfter = statement
    await send(object, line, 1)
    await object.settled()
    // Not reached: the step has fewer statements.
    if (object.object.storage.failsAfter !== null) break
    tried += 1
    const again = await object.mustConnect()
    await send(object, again, 1)
    await object.settled()
    await fireAlarmsUntilSent(object, given)
    expect(d1.all("select id from generation where status = 'open'"), `statement ${statement}`).toEqual([{ id: 'answer-1' }])
    expect(given.at(-1), `statement ${statement}`).toMatchObject({ generationId: 'answer-1', question: 'message-1' })
  }
  expect(tried).toBeGreaterThan(5)
})

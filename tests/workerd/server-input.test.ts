// A tool server that asks the user during a call, end to end: the turn that waits, the answer, and the call that goes on. A source counts the calls.
// Rules: worker/turns/SPEC.md, Y9 to Y11.

import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { maybeDone } from '../../worker/contract/threads/message-stream.ts'
import type { InputAsk } from '../../worker/contract/tools/server-input.ts'
import { answered, gate, sent } from './approvals.ts'
import { content } from './bindings.ts'
import { stubOf } from './sync-object.ts'
import { connected, freshId, me, recentThreads, turnArgs } from './sync-wire.ts'
import { inside as insideTurn, kill, openStream, readEvents, readSession, textIn } from './turns.ts'
import {
  type Asked,
  ada,
  answerOf,
  approvalsOf,
  asked,
  beginDay,
  callsOf,
  decide,
  endDay,
  nowMs,
  tenSecondsLater,
  turnOf,
  untilAnswered,
  untilCalls,
  untilStarted,
  untilStuck,
  waitingIn,
  wire,
} from './waiting-calls.ts'

const form = (message = 'Where to?'): InputAsk => ({
  message,
  schema: {
    type: 'object',
    properties: {
      city: { type: 'string', minLength: 2 },
      day: { type: 'string', format: 'date' },
      seats: { type: 'integer', minimum: 1, maximum: 4 },
      kind: { type: 'string', enum: ['a', 'b'], enumNames: ['First', 'Second'] },
      extras: { type: 'array', items: { type: 'string', enum: ['x', 'y'] }, maxItems: 1 },
    },
    required: ['city'],
    additionalProperties: false,
  },
})

beforeEach(async () => {
  await beginDay()
  gate.asks = [form()]
})
afterEach(async () => {
  gate.asks = []
  gate.progress = []
  await endDay()
})

/** A call that was allowed, and whose server asks. `answerId`: the answer that waits. */
async function askedByServer(): Promise<Asked> {
  const turn = await asked()
  const answerId = await decide(turn, {})
  await untilAnswered(turn, answerId)
  return { ...turn, answerId }
}

test('[Y9] the call waits with the form, nothing stays awake, and its answer lets it go on once', async () => {
  const turn = await askedByServer()
  expect(sent).toHaveLength(1)
  expect(callsOf(turn.answerId)).toMatchObject([{ state: 'approval-requested', approval: { isInput: true } }])
  expect(answerOf(turn.answerId).metadata.ending).toBe('completed')
  const waiting = await waitingIn(turn.threadId)
  expect(waiting).toMatchObject({ cause: 'input', callState: '1', answers: null, expiresAt: nowMs + 24 * 60 * 60 * 1000 })
  expect(JSON.parse(String(waiting?.form))).toEqual([form()])
  const answerId = await decide(turn, { answers: [{ city: 'Dover', seats: 2, extras: ['x'] }] })
  await untilAnswered(turn, answerId)
  expect(answered).toEqual([{ callState: '1', answers: [{ city: 'Dover', seats: 2, extras: ['x'] }] }])
  expect(sent).toHaveLength(2)
  expect(callsOf(answerId)).toMatchObject([{ state: 'output-available', approval: { approved: true, isInput: true } }])
  expect(textIn(answerOf(answerId).parts)).toBe('The demo has saved one note.')
  // The answer is in the row alone.
  expect(JSON.stringify(answerOf(answerId))).not.toContain('Dover')
  expect(wire.row('message', turn.answerId)).toBeUndefined()
})

test.each([
  ['no value', [{}]],
  ['a short text', [{ city: 'D' }]],
  ['a number that is too large', [{ city: 'Dover', seats: 5 }]],
  ['a number with decimals', [{ city: 'Dover', seats: 1.5 }]],
  ['no date', [{ city: 'Dover', day: 'today' }]],
  ['another option', [{ city: 'Dover', kind: 'c' }]],
  ['too many options', [{ city: 'Dover', extras: ['x', 'y'] }]],
  ['another field', [{ city: 'Dover', password: 'x' }]],
  ['two answers', [{ city: 'Dover' }, { city: 'Dover' }]],
  ['no answers', []],
])('[Y9] %s is refused; the request waits', async (_name, answers) => {
  const turn = await askedByServer()
  const id = (await waitingIn(turn.threadId))?.id
  const refused = await wire.refusalOf('approvals.decide', { id, answerId: freshId('answer'), decision: 'once', answers })
  expect(refused).toBe('input_answer')
  expect(await waitingIn(turn.threadId)).toMatchObject({ id, state: 'pending', answers: null })
  expect(sent).toHaveLength(1)
})

test.each([
  ['no answer', { decision: 'once' }],
  ['for the thread', { decision: 'thread', answers: [{ city: 'Dover' }] }],
  ['other arguments', { decision: 'once', answers: [{ city: 'Dover' }], input: { title: 'x' } }],
  ['declined with an answer', { decision: 'deny', answers: [{ city: 'Dover' }] }],
])('[Y9] a decision that is none is refused: %s', async (_name, decision) => {
  const turn = await askedByServer()
  const id = (await waitingIn(turn.threadId))?.id
  expect(await wire.refusalOf('approvals.decide', { id, answerId: freshId('answer'), ...decision })).toBe('invalid_request')
})

test('[Y9] an approval takes no answers', async () => {
  const args = await asked()
  const id = (await waitingIn(args.threadId))?.id
  const decision = { id, answerId: freshId('answer'), decision: 'once', answers: [{ city: 'Dover' }] }
  expect(await wire.refusalOf('approvals.decide', decision)).toBe('invalid_request')
})

test('[Y9] a user who declines allows one call, which tells the server', async () => {
  const turn = await askedByServer()
  const answerId = await decide(turn, { decision: 'deny' })
  await untilAnswered(turn, answerId)
  expect(answered).toEqual([{ callState: '1', answers: undefined }])
  expect(callsOf(answerId)).toMatchObject([{ state: 'output-available', approval: { approved: false, isInput: true } }])
})

test('[Y9] two devices answer at the same time: one answer is sent', async () => {
  const turn = await askedByServer()
  const phone = await connected(ada, { queries: [me, recentThreads] })
  const id = (await waitingIn(turn.threadId))?.id
  const ids = [freshId('answer'), freshId('answer')] as const
  const refusals = await Promise.all([
    wire.refusalOf('approvals.decide', { id, answerId: ids[0], decision: 'once', answers: [{ city: 'Dover' }] }),
    phone.refusalOf('approvals.decide', { id, answerId: ids[1], decision: 'deny' }),
  ])
  expect(refusals.filter(Boolean)).toEqual(['approval_decided'])
  await untilAnswered(turn, refusals[0] ? ids[1] : ids[0])
  expect(answered).toHaveLength(1)
  await phone.close()
})

test('[Y10] another request waits again', async () => {
  gate.asks = [form(), form('And back?')]
  const turn = await askedByServer()
  const second = await decide(turn, { answers: [{ city: 'Dover' }] })
  await untilAnswered(turn, second)
  expect(JSON.parse(String((await waitingIn(turn.threadId))?.form))).toEqual([form('And back?')])
  const done = await decide(turn, { answers: [{ city: 'Calais' }] })
  await untilAnswered(turn, done)
  expect(answered.map(({ answers }) => answers?.[0]?.city)).toEqual(['Dover', 'Calais'])
  expect((await approvalsOf(turn.threadId)).map(({ state }) => state)).toEqual(['allowed', 'allowed', 'allowed'])
})

describe('[Y6] after a crash', () => {
  test.each([
    ['before the call', 'before', 'not_called', 1],
    ['during the call', 'wait', 'call_lost', 2],
  ] as const)('%s, the user is asked again, with the answer', async (_name, at, cause, calls) => {
    const turn = await askedByServer()
    gate[at] = new Promise(() => undefined)
    const answerId = await decide(turn, { answers: [{ city: 'Dover' }] })
    const continued = turnOf(answerId, turn.threadId)
    if (at === 'wait') await untilCalls(2)
    else await untilStarted(continued)
    await kill(continued)
    gate[at] = null
    await tenSecondsLater(continued)
    await untilAnswered(turn, answerId)
    expect(sent).toHaveLength(calls)
    const waiting = await waitingIn(turn.threadId)
    expect(waiting).toMatchObject({ cause, callState: '1', answers: '[{"city":"Dover"}]', messageId: answerId })
    expect(callsOf(answerId)).toMatchObject([{ state: 'approval-requested', approval: { isInput: true } }])
    const again = await decide(turn, { answers: [{ city: 'Calais' }] })
    await untilAnswered(turn, again)
    expect(answered.at(-1)).toEqual({ callState: '1', answers: [{ city: 'Calais' }] })
    expect(sent).toHaveLength(calls + 1)
  })

  test.each(['stuck', 'stuck-after'] as const)('of the turn that asks, its ending is repeated (%s)', async (fault) => {
    const args = await asked()
    const held = Promise.withResolvers<void>()
    gate.wait = held.promise
    const answerId = await decide(args, {})
    const turn = turnOf(answerId, args.threadId)
    await untilCalls(1)
    await insideTurn(turn, ({ faults }) => void faults.push(fault))
    held.resolve()
    await untilStuck(turn)
    await kill(turn)
    gate.wait = null
    await tenSecondsLater(turn)
    await untilAnswered(args, answerId)
    expect(await approvalsOf(args.threadId)).toMatchObject([{ state: 'allowed' }, { state: 'pending', cause: 'input' }])
    expect(sent).toHaveLength(1)
  })
})

test('[Y9] a server that asks after Stop asks nobody', async () => {
  const args = await asked()
  const held = Promise.withResolvers<void>()
  gate.wait = held.promise
  const answerId = await decide(args, {})
  await untilCalls(1)
  await wire.confirmed(wire.mutate('threads.stop', { threadId: args.threadId }))
  await untilAnswered(args, answerId)
  held.resolve()
  expect(callsOf(answerId)).toMatchObject([{ state: 'output-error', ...maybeDone }])
  expect(await waitingIn(args.threadId)).toBeUndefined()
})

test('[Y7] a tool with another definition needs a new approval instead of the answer', async () => {
  const turn = await askedByServer()
  gate.digest = '2'
  const answerId = await decide(turn, { answers: [{ city: 'Dover' }] })
  await untilAnswered(turn, answerId)
  expect(sent).toHaveLength(1)
  expect(await waitingIn(turn.threadId)).toMatchObject({ cause: 'tool_changed', form: null, callState: null })
})

test('[Y8] the next message leaves the request without an answer', async () => {
  const turn = await askedByServer()
  const args = { ...turnArgs('/demo chunks=1 delay=0', turn.threadId), parentId: turn.answerId }
  await wire.confirmed(wire.mutate('threads.send', args))
  await untilAnswered(args, args.answerId)
  expect(callsOf(turn.answerId)).toMatchObject([{ state: 'output-denied', approval: { approved: false, isInput: true } }])
  expect(sent).toHaveLength(1)
})

test('[Y8] a request expires after a day, and can be asked for again', async () => {
  const turn = await askedByServer()
  const id = (await waitingIn(turn.threadId))?.id
  await content.prepare('update approval set expiresAt = ? where id = ?').bind(nowMs, String(id)).run()
  await stubOf(ada).notify(ada.userId)
  const answer = { id, answerId: freshId('answer'), decision: 'once', answers: [{ city: 'Dover' }] }
  expect(await wire.refusalOf('approvals.decide', answer)).toBe('approval_expired')
  await wire.confirmed(wire.mutate('approvals.renew', { threadId: turn.threadId, messageId: turn.answerId }))
  await untilAnswered(turn, await decide(turn, { answers: [{ city: 'Dover' }] }))
  expect(answered).toHaveLength(1)
})

test('progress of a call is in the stream and not in the answer', async () => {
  gate.asks = []
  gate.progress = Array.from({ length: 1000 }, (_, index) => ({ progress: index, total: 1000, message: `Step ${index}` }))
  const args = await asked()
  const answerId = await decide(args, {})
  await untilAnswered(args, answerId)
  const events = await readEvents(await openStream({ ...turnOf(answerId, args.threadId), ...readSession }))
  const reports = JSON.stringify(events).split('tool-progress').length - 1
  expect(reports).toBe(1)
  expect(JSON.stringify(answerOf(answerId))).not.toContain('Step')
})

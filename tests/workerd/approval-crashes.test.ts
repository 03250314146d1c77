// Crashes between the steps of a tool call that needs the user's approval: no call is lost without a word, and none is made twice.
// Rules: worker/turns/SPEC.md, Y6.

import { afterEach, beforeEach, expect, test } from 'vitest'
import { gate, sent } from './approvals.ts'
import { content } from './bindings.ts'
import { inside, kill as killUser } from './sync-object.ts'
import { freshId, turnArgs } from './sync-wire.ts'
import { ageLog, givenTurn, inside as insideTurn, kill, fireAlarm as ringTurn, untilSettled } from './turns.ts'
import { until } from './until.ts'
import {
  ada,
  answersTo,
  approvalsOf,
  asked,
  beginDay,
  callsOf,
  decide,
  endDay,
  expectTurn,
  reconnect,
  tenSecondsLater,
  turnOf,
  untilAnswered,
  untilCalls,
  untilStarted,
  untilStuck,
  wire,
} from './waiting-calls.ts'

beforeEach(beginDay)
afterEach(endDay)

test.each(['stuck', 'stuck-after'] as const)(
  '[Y6] after a crash at the end of the turn that asks, its ending is repeated (%s)',
  async (fault) => {
    const args = turnArgs('/demo delay=0 note=Tea')
    await expectTurn(args.answerId, args.threadId)
    const turn = turnOf(args.answerId, args.threadId)
    await insideTurn(turn, ({ faults }) => void faults.push(fault))
    await wire.confirmed(wire.mutate('threads.send', args))
    await untilStuck(turn)
    await kill(turn)
    await tenSecondsLater(turn)
    await untilAnswered(args, args.answerId)
    expect(await approvalsOf(args.threadId)).toHaveLength(1)
    const answerId = await decide(args, {})
    await untilAnswered(args, answerId)
    expect(sent).toHaveLength(1)
  },
)

test.each(['write', 'answer'] as const)(
  '[Y6] after a crash of the user’s object during the decision (%s), the browser’s retry is applied once',
  async (sticksAt) => {
    const turn = await asked()
    const [waiting] = await approvalsOf(turn.threadId)
    const answerId = freshId('answer')
    await expectTurn(answerId, turn.threadId)
    await inside(ada, ({ watch }) => {
      if (sticksAt === 'write') watch.faults.push('lost')
      watch.sticksAt = 'write'
    })
    const args = { id: waiting?.id, answerId, decision: 'once' }
    const id = wire.mutate('approvals.decide', args)
    await until(() => inside(ada, ({ watch }) => watch.hasStuck), Boolean, 'stuck')
    await killUser(ada)
    await reconnect()
    await wire.confirmed(wire.push([{ name: 'approvals.decide', args, id }]))
    const latest = content.prepare('select id from generation where threadId = ? order by rowid desc').bind(turn.threadId)
    await tenSecondsLater(turnOf(String(await latest.first('id')), turn.threadId))
    await untilAnswered(turn, answerId)
    expect(sent).toHaveLength(1)
  },
)

test('[Y6] after a crash before the call, the user is asked again', async () => {
  const turn = await asked()
  gate.before = new Promise(() => undefined)
  const answerId = await decide(turn, {})
  const continued = turnOf(answerId, turn.threadId)
  await untilStarted(continued)
  await kill(continued)
  gate.before = null
  await tenSecondsLater(continued)
  await untilAnswered(turn, answerId)
  expect(sent).toEqual([])
  expect(await approvalsOf(turn.threadId)).toMatchObject([
    { state: 'allowed', messageId: answerId },
    { state: 'pending', messageId: answerId, cause: 'not_called' },
  ])
  const again = await decide(turn, {})
  await untilAnswered(turn, again)
  expect(sent).toHaveLength(1)
  expect(await answersTo(turn.messageId)).toEqual([again])
})

test('[Y6] after a crash during the call, the user is asked again and told why', async () => {
  const turn = await asked()
  gate.wait = new Promise(() => undefined)
  const answerId = await decide(turn, {})
  const continued = turnOf(answerId, turn.threadId)
  await untilCalls(1)
  await kill(continued)
  gate.wait = null
  await tenSecondsLater(continued)
  await untilAnswered(turn, answerId)
  expect(sent).toHaveLength(1)
  expect((await approvalsOf(turn.threadId)).at(-1)).toMatchObject({ state: 'pending', cause: 'call_lost' })
  const again = await decide(turn, {})
  await untilAnswered(turn, again)
  // Two calls, and two approvals.
  expect(sent).toHaveLength(2)
  expect((await approvalsOf(turn.threadId)).map(({ state }) => state)).toEqual(['allowed', 'allowed'])
})

test.each(['stuck', 'stuck-after'] as const)('[Y6] a crash after the call keeps its result (%s)', async (fault) => {
  const turn = await asked()
  const held = Promise.withResolvers<void>()
  gate.wait = held.promise
  const answerId = await decide(turn, {})
  const continued = turnOf(answerId, turn.threadId)
  await untilCalls(1)
  await insideTurn(continued, ({ faults }) => void faults.push(fault))
  held.resolve()
  await untilStuck(continued)
  await kill(continued)
  await tenSecondsLater(continued)
  await untilAnswered(turn, answerId)
  expect(sent).toHaveLength(1)
  expect(callsOf(answerId)).toMatchObject([{ state: 'output-available' }])
  expect(await answersTo(turn.messageId)).toEqual([answerId])
})

test('[Y6] a turn whose start command never arrives asks again', async () => {
  const turn = await asked()
  await inside(ada, ({ startCommands }) => {
    startCommands.areRefused = true
  })
  const answerId = await decide(turn, {})
  const continued = turnOf(answerId, turn.threadId)
  await tenSecondsLater(continued)
  await untilAnswered(turn, answerId)
  expect(sent).toEqual([])
  expect((await approvalsOf(turn.threadId)).at(-1)).toMatchObject({ state: 'pending', cause: 'not_called', messageId: answerId })
  expect(callsOf(answerId)).toMatchObject([{ state: 'approval-requested' }])
})

test('[Y6] a start command that arrives after the object was emptied makes no call', async () => {
  const turn = await asked()
  const answerId = await decide(turn, {})
  await untilAnswered(turn, answerId)
  const continued = turnOf(answerId, turn.threadId)
  const command = {
    ...(await givenTurn('/demo delay=0 note=Tea')),
    ...{ ...continued, parentId: turn.messageId, replacesId: turn.answerId },
    continued: [{ type: 'tool-save_note', toolCallId: 'c', state: 'approval-responded', input: {}, approval: { id: 'a', approved: true } }],
    decided: [
      {
        ...{ id: 'a', toolCallId: 'c', isAllowed: true, source: { id: 'test-notes', name: '' }, tool: 'save_note', title: '' },
        ...{ description: '', digest: '1', input: { title: 'Tea', text: '' } },
      },
    ],
  } as unknown as Parameters<Parameters<typeof insideTurn>[1]>[0]['start'] extends (command: infer C) => unknown ? C : never
  await ageLog(command)
  await ringTurn(command)
  await insideTurn(command, (object) => object.start(command))
  await untilSettled(command)
  expect(sent).toHaveLength(1)
})

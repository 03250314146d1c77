// Tool calls that need the user's approval, end to end: the turn that asks, the decision, and the turn that makes the call. A source counts the calls.
// Crashes: approval-crashes.test.ts. Rules: worker/turns/SPEC.md, Y1 to Y8.

import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { maybeDone } from '../../worker/contract/threads/message-stream.ts'
import { gate, sent } from './approvals.ts'
import { content } from './bindings.ts'
import { inside, stubOf } from './sync-object.ts'
import { connected, freshId, me, recentThreads, turnArgs } from './sync-wire.ts'
import { textIn } from './turns.ts'
import {
  type Asked,
  ada,
  answerOf,
  answersTo,
  approvalsOf,
  asked,
  beginDay,
  callsOf,
  decide,
  endDay,
  nowMs,
  untilAnswered,
  untilCalls,
  wire,
} from './waiting-calls.ts'

beforeEach(beginDay)
afterEach(endDay)

test('[Y1] a call that changes something ends the turn and waits; nothing is sent', async () => {
  const turn = await asked()
  expect(callsOf(turn.answerId)).toMatchObject([{ type: 'tool-save_note', state: 'approval-requested', title: 'Save a note' }])
  expect(answerOf(turn.answerId).metadata).toMatchObject({ ending: 'completed', credits: 0 })
  expect(await approvalsOf(turn.threadId)).toMatchObject([
    {
      messageId: turn.answerId,
      state: 'pending',
      cause: 'changes',
      tool: 'save_note',
      digest: '1',
      expiresAt: nowMs + 24 * 60 * 60 * 1000,
    },
  ])
  expect(sent).toEqual([])
})

test('[Y2] an allowed call is made once, and its answer replaces the one that waited', async () => {
  const turn = await asked()
  const answerId = await decide(turn, {})
  await untilAnswered(turn, answerId)
  expect(sent).toEqual([{ tool: 'save_note', input: expect.objectContaining({ title: 'Tea' }) }])
  expect(callsOf(answerId)).toMatchObject([{ state: 'output-available', output: { saved: 'Tea' }, approval: { approved: true } }])
  expect(textIn(answerOf(answerId).parts)).toBe('The demo has saved one note.')
  expect(await answersTo(turn.messageId)).toEqual([answerId])
  expect(wire.row('message', turn.answerId)).toBeUndefined()
  expect(await approvalsOf(turn.threadId)).toMatchObject([{ messageId: answerId, state: 'allowed' }])
})

test('[Y2] changed arguments are sent as the user wrote them, if the tool accepts them', async () => {
  const turn = await asked()
  const [waiting] = await approvalsOf(turn.threadId)
  const refused = { id: waiting?.id, answerId: freshId('answer'), decision: 'once' }
  expect(await wire.refusalOf('approvals.decide', { ...refused, input: { title: '' } })).toBe('approval_input')
  const answerId = await decide(turn, { input: { title: 'Coffee', text: 'No tea' } })
  await untilAnswered(turn, answerId)
  expect(sent).toEqual([{ tool: 'save_note', input: { title: 'Coffee', text: 'No tea' } }])
  expect(callsOf(answerId)).toMatchObject([{ input: { title: 'Coffee' }, approval: { approved: true, isChanged: true } }])
})

test('[Y2] changed arguments of thousands of levels are refused like others that the tool does not accept', async () => {
  const turn = await asked()
  const [waiting] = await approvalsOf(turn.threadId)
  for (const levels of [101, 2000]) {
    const input = { title: 'x', text: 'y', more: JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`) as unknown }
    const args = { id: waiting?.id, answerId: freshId('answer'), decision: 'once', input }
    expect(await wire.refusalOf('approvals.decide', args)).toBe('approval_input')
  }
  expect(await approvalsOf(turn.threadId)).toMatchObject([{ state: 'pending' }])
})

test('[Y3] a denied call is never made; the reason is in the answer', async () => {
  const turn = await asked()
  const answerId = await decide(turn, { decision: 'deny', reason: 'Not today' })
  await untilAnswered(turn, answerId)
  expect(sent).toEqual([])
  expect(callsOf(answerId)).toMatchObject([{ state: 'output-denied', approval: { approved: false, reason: 'Not today' } }])
  expect(textIn(answerOf(answerId).parts)).toBe('The demo has saved 0 notes.')
})

test('[Y4] the answer continues after the last decision', async () => {
  const turn = await asked('Tea | Milk')
  await decide(turn, {})
  expect(sent).toEqual([])
  expect(wire.row('thread', turn.threadId)?.status).toBe('ready')
  const answerId = await decide(turn, { decision: 'deny' })
  await untilAnswered(turn, answerId)
  expect(sent.map(({ input }) => input)).toEqual([expect.objectContaining({ title: 'Tea' })])
  expect(callsOf(answerId).map(({ state }) => state)).toEqual(['output-available', 'output-denied'])
})

describe('[Y5] a call is decided once', () => {
  test('by two devices at the same time', async () => {
    const turn = await asked()
    const phone = await connected(ada, { queries: [me, recentThreads] })
    const [waiting] = await approvalsOf(turn.threadId)
    const ids = [freshId('answer'), freshId('answer')]
    const args = (answerId?: string) => ({ id: waiting?.id, answerId, decision: 'once' })
    const refusals = await Promise.all([
      wire.refusalOf('approvals.decide', args(ids[0])),
      phone.refusalOf('approvals.decide', args(ids[1])),
    ])
    expect(refusals.filter(Boolean)).toEqual(['approval_decided'])
    await untilAnswered(turn, String(ids[refusals.indexOf(undefined)]))
    expect(sent).toHaveLength(1)
    await phone.close()
  })

  test('also in D1, where the batch of the second object fails with its turn', async () => {
    const turn = await asked()
    const [waiting] = await approvalsOf(turn.threadId)
    await content.prepare("update approval set state = 'denied', decidedAt = 1 where id = ?").bind(waiting?.id).run()
    // The user's object has not read this.
    const refused = await wire.refusalOf('approvals.decide', { id: waiting?.id, answerId: freshId('answer'), decision: 'once' })
    expect(refused).toBe('approval_decided')
    expect(await content.prepare('select count(*) n from generation where threadId = ?').bind(turn.threadId).first('n')).toBe(1)
    expect(sent).toEqual([])
  })

  test.each(['lost', 'response-lost'] as const)('when the batch is %s and repeated', async (fault) => {
    const turn = await asked()
    await inside(ada, ({ watch }) => void watch.faults.push(fault))
    const answerId = await decide(turn, {})
    await untilAnswered(turn, answerId)
    expect(sent).toHaveLength(1)
  })

  test('when the browser repeats the mutation', async () => {
    const turn = await asked()
    const answerId = await decide(turn, {})
    const [approval] = await approvalsOf(turn.threadId)
    expect(await wire.refusalOf('approvals.decide', { id: approval?.id, answerId, decision: 'once' })).toBeUndefined()
    await untilAnswered(turn, answerId)
    expect(await wire.refusalOf('approvals.decide', { id: approval?.id, answerId: freshId('answer'), decision: 'once' })).toBe(
      'approval_decided',
    )
    expect(sent).toHaveLength(1)
  })
})

test('[Y6] a stop during the call ends the turn; the answer says that the call may have been carried out', async () => {
  const turn = await asked()
  const held = Promise.withResolvers<void>()
  gate.wait = held.promise
  const answerId = await decide(turn, {})
  await untilCalls(1)
  await wire.confirmed(wire.mutate('threads.stop', { threadId: turn.threadId }))
  await untilAnswered(turn, answerId)
  held.resolve()
  expect(answerOf(answerId).metadata.ending).toBe('stopped')
  expect(callsOf(answerId)).toMatchObject([{ state: 'output-error', ...maybeDone }])
  expect(await approvalsOf(turn.threadId)).toHaveLength(1)
})

test('[Y7] a tool with another definition is not called', async () => {
  const turn = await asked()
  gate.digest = '2'
  const answerId = await decide(turn, {})
  await untilAnswered(turn, answerId)
  expect(sent).toEqual([])
  expect((await approvalsOf(turn.threadId)).at(-1)).toMatchObject({ state: 'pending', cause: 'tool_changed', digest: '2' })
})

describe('[Y7] a tool that is allowed for the thread', () => {
  const next = async ({ threadId }: Asked, parentId: string) => {
    const args = { ...turnArgs('/demo delay=0 note=Milk', threadId), parentId }
    await wire.confirmed(wire.mutate('threads.send', args))
    await untilAnswered(args, args.answerId)
    return args
  }

  test('is called without asking, until its definition changes or the user ends it', async () => {
    const turn = await asked()
    const answerId = await decide(turn, { decision: 'thread' })
    await untilAnswered(turn, answerId)
    const second = await next(turn, answerId)
    expect(sent).toHaveLength(2)
    expect(callsOf(second.answerId)).toMatchObject([{ state: 'output-available' }])
    gate.digest = '2'
    const third = await next(turn, second.answerId)
    expect(callsOf(third.answerId)).toMatchObject([{ state: 'approval-requested' }])
    gate.digest = '1'
    await wire.confirmed(wire.mutate('approvals.revoke', { threadId: turn.threadId, sourceId: 'test-notes', tool: 'save_note' }))
    const fourth = await next(turn, third.answerId)
    expect(callsOf(fourth.answerId)).toMatchObject([{ state: 'approval-requested' }])
    expect(sent).toHaveLength(2)
  })
})

describe('[Y8] a call that waits', () => {
  test('is denied by the next message', async () => {
    const turn = await asked()
    const args = { ...turnArgs('/demo chunks=1 delay=0', turn.threadId), parentId: turn.answerId }
    await wire.confirmed(wire.mutate('threads.send', args))
    await untilAnswered(args, args.answerId)
    expect(await approvalsOf(turn.threadId)).toMatchObject([{ state: 'denied', reason: null }])
    expect(callsOf(turn.answerId)).toMatchObject([{ state: 'output-denied' }])
    expect(sent).toEqual([])
  })

  test('expires after a day, and can be asked for again', async () => {
    const turn = await asked()
    const [waiting] = await approvalsOf(turn.threadId)
    // Not by the clock, because the session would end, too.
    await content.prepare('update approval set expiresAt = ? where id = ?').bind(nowMs, waiting?.id).run()
    await stubOf(ada).notify(ada.userId)
    const args = { id: waiting?.id, answerId: freshId('answer'), decision: 'once' }
    expect(await wire.refusalOf('approvals.decide', args)).toBe('approval_expired')
    await wire.confirmed(wire.mutate('approvals.renew', { threadId: turn.threadId, messageId: turn.answerId }))
    const answerId = await decide(turn, {})
    await untilAnswered(turn, answerId)
    expect(sent).toHaveLength(1)
  })

  test('holds the queue, which waits for the continued answer', async () => {
    const args = turnArgs('/demo delay=0 note=Tea')
    const queued = { ...turnArgs('/demo chunks=1 delay=0', args.threadId), id: freshId('queued') }
    await wire.confirmed(
      wire.push([
        { name: 'threads.send', args },
        { name: 'queue.add', args: queued },
      ]),
    )
    await wire.until(() => wire.row('queuedMessage', queued.id)?.hold === 'approval_waiting', 'a held queue')
    const answerId = await decide(args, {})
    await wire.until(() => wire.row('message', queued.answerId) !== undefined, 'an answer to the queued message')
    expect(wire.row('message', queued.id)?.parentId).toBe(answerId)
    expect(sent).toHaveLength(1)
  })
})

describe('[Y2] the answer that continues takes the place of the one that waited', () => {
  test('with its bookmark and its link', async () => {
    const turn = await asked()
    await wire.confirmed(wire.mutate('messages.bookmark', { threadId: turn.threadId, messageId: turn.answerId, isBookmarked: true, at: 5 }))
    const link = { threadId: turn.threadId, messageId: turn.answerId, name: null, lifetime: null, isListed: false }
    await wire.confirmed(wire.mutate('shares.create', link))
    const answerId = await decide(turn, {})
    await untilAnswered(turn, answerId)
    expect(await content.prepare('select messageId from share where threadId = ?').bind(turn.threadId).first('messageId')).toBe(answerId)
    expect(wire.row('message', answerId)?.bookmarkedAt).toBeGreaterThan(0)
  })

  test('and in a comparison, where the other answer stays', async () => {
    const args = turnArgs('/demo delay=0 note=Tea')
    const other = { answerId: freshId('answer'), modelId: 'gpt-4o-mini' }
    await wire.confirmed(wire.mutate('threads.send', { ...args, compareWith: [other] }))
    await untilAnswered(args, other.answerId)
    await untilAnswered(args, args.answerId)
    const [first] = (await approvalsOf(args.threadId)).filter(({ messageId }) => messageId === args.answerId)
    const answerId = freshId('answer')
    await wire.confirmed(wire.mutate('approvals.decide', { id: first?.id, answerId, decision: 'once' }))
    await untilAnswered(args, answerId)
    expect(sent).toHaveLength(1)
    expect((await answersTo(args.messageId)).toSorted()).toEqual([other.answerId, answerId].toSorted())
    expect(wire.row('thread', args.threadId)?.compared).toEqual([
      { id: answerId, modelId: 'kimi-k2' },
      { id: other.answerId, modelId: other.modelId },
    ])
    const [second] = (await approvalsOf(args.threadId)).filter(({ messageId }) => messageId === other.answerId)
    const last = freshId('answer')
    await wire.confirmed(wire.mutate('approvals.decide', { id: second?.id, answerId: last, decision: 'deny' }))
    await untilAnswered(args, last)
    expect(sent).toHaveLength(1)
  })

  test('while a regenerated version waits on its own', async () => {
    const turn = await asked()
    const again = { threadId: turn.threadId, parentId: turn.messageId, answerId: freshId('answer'), modelId: 'kimi-k2', at: 1 }
    await wire.confirmed(wire.mutate('threads.answer', again))
    await untilAnswered(turn, again.answerId)
    const waiting = await approvalsOf(turn.threadId)
    const of = (messageId: string) => waiting.find((approval) => approval.messageId === messageId)?.id
    // The older version is not shown.
    expect(await wire.refusalOf('approvals.decide', { id: of(turn.answerId), answerId: freshId('answer'), decision: 'once' })).toBe(
      'approval_passed',
    )
    const answerId = freshId('answer')
    await wire.confirmed(wire.mutate('approvals.decide', { id: of(again.answerId), answerId, decision: 'once' }))
    await untilAnswered(turn, answerId)
    await wire.confirmed(wire.mutate('threads.show', { threadId: turn.threadId, messageId: turn.answerId }))
    const older = freshId('answer')
    await wire.confirmed(wire.mutate('approvals.decide', { id: of(turn.answerId), answerId: older, decision: 'once' }))
    await untilAnswered(turn, older)
    expect(sent).toHaveLength(2)
    expect((await answersTo(turn.messageId)).toSorted()).toEqual([answerId, older].toSorted())
  })
})

test('[Y8] a fork has the waiting calls denied, and decides nothing in the original', async () => {
  const turn = await asked()
  const newThreadId = `${freshId('thread')}-long-enough`
  await wire.confirmed(wire.mutate('threads.fork', { threadId: turn.threadId, messageId: turn.answerId, newThreadId, at: 1 }))
  const copy = await content
    .prepare('select message from message where threadId = ? order by rowid desc')
    .bind(newThreadId)
    .first<string>('message')
  expect(JSON.parse(copy ?? '')).toMatchObject({ parts: expect.arrayContaining([expect.objectContaining({ state: 'output-denied' })]) })
  expect(await approvalsOf(newThreadId)).toEqual([])
  expect(await approvalsOf(turn.threadId)).toMatchObject([{ state: 'pending' }])
})

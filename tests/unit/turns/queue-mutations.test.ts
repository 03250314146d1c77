// The queue of an answer when that answer or another one is regenerated, and the queue of a plan or a model. Rules: worker/turns/SPEC.md,
// U2, U6 and U7.
import { describe, expect, test } from 'vitest'
import { maxQueuedMessages } from '../../../worker/contract/limits.ts'
import type { QueueHold } from '../../../worker/contract/schema.ts'
import { answered, type Given, overlayOf, replicaOf, runNamed, userId, userMessage, userRows } from '../sync/replica.ts'

const queued = (id: string, createdAt: number, hold: QueueHold | null): Given => [
  'queuedMessage',
  { id, threadId: 'thread-one', userId, answerId: `answer-of-${id}`, text: 'Hi', modelId: 'kimi-k2', hold, createdAt },
]

/** Two questions without finished answers. */
const conversation: readonly Given[] = [
  userMessage('question-1', null),
  answered('answer-1', 'question-1'),
  userMessage('question-2', 'answer-1'),
  answered('answer-2', 'question-2'),
]

/** Which queued messages are released when this question is answered again. */
async function queuedAfter(parentId: string, headId: string, ...holds: readonly (QueueHold | null)[]): Promise<readonly string[]> {
  const queue = holds.map((hold, index) => queued(`queued-${hold ?? 'free'}`, index + 1, hold))
  const engine = replicaOf(...userRows, ['thread', { headId }], ...conversation, ...queue)
  const args = { threadId: 'thread-one', parentId, answerId: 'answer-again', modelId: 'kimi-k2', at: 1 }
  const outcome = await runNamed(overlayOf(engine), 'threads.answer', args, 1_800_000_000_000)
  if (outcome.type !== 'applied') throw outcome.error
  return outcome.writes.flatMap(({ table, row }) => (table === 'queuedMessage' && row.hold === null ? [String(row.id)] : []))
}

describe('[U2] regenerating an answer', () => {
  test.each(['interrupted', 'failed', 'stopped'] as const)('releases messages that the answer held as %s', async (hold) => {
    expect(await queuedAfter('question-2', 'answer-2', hold)).toEqual([`queued-${hold}`])
  })

  test('does not release messages with other holds', async () => {
    expect(await queuedAfter('question-2', 'answer-2', 'interrupted', 'credits_exhausted', 'premium_required', null)).toEqual([
      'queued-interrupted',
    ])
  })

  test('does nothing for an earlier question or a deleted answer', async () => {
    expect(await queuedAfter('question-1', 'answer-2', 'interrupted')).toEqual([])
    expect(await queuedAfter('question-2', 'question-2', 'interrupted')).toEqual([])
  })
})

const planned = (isDismissed: boolean): Given => {
  const steps = [{ id: 'step-1', text: 'Why?', queries: ['why'] }]
  const output = isDismissed ? { steps, isDismissed } : { steps }
  const part = { type: 'tool-plan', toolCallId: 'plan', state: 'output-available', input: {}, output }
  const metadata = { modelId: 'kimi-k2', modelName: 'Kimi K2', modelIcon: 'i', ending: 'completed', credits: 0, mode: 'research' }
  const message = { id: 'the-plan-2', role: 'assistant', parts: [part], metadata }
  return ['message', { id: 'the-plan-2', threadId: 'thread-one', userId, parentId: 'question-2', message }]
}
const subscription = { id: 's', status: 'active', currentPeriodEndMs: 1_900_000_000_000, cancelAtPeriodEnd: false }
const pro: readonly Given[] = [
  ['userCustomer', { id: userId, userId, subscription }],
  ['model', { id: 'glm', capabilities: ['tools', 'vision'] }],
]

/** The holds after a mutation in a thread whose last answer is a plan, without the message that was sent. */
async function holdsAfter(
  name: string,
  args: object,
  holds: readonly (QueueHold | null)[],
  { isDismissed = false, head = 'the-plan-2' } = {},
): Promise<readonly unknown[]> {
  const queue = holds.map((hold, index) => queued(`queued-${index}`, index + 1, hold))
  const engine = replicaOf(...userRows, ...pro, ['thread', { headId: head }], ...conversation, planned(isDismissed), ...queue)
  const outcome = await runNamed(overlayOf(engine), name, { at: 1, ...args }, 1_800_000_000_000)
  if (outcome.type !== 'applied') throw outcome.error
  const writes = outcome.writes.filter(({ table }) => table === 'queuedMessage')
  const after = new Map<unknown, unknown>(holds.map((hold, index) => [`queued-${index}`, hold]))
  for (const { kind, row } of writes) {
    if (kind === 'delete') after.delete(row.id)
    else if ('hold' in row) after.set(row.id, row.hold)
  }
  return [...after.values()]
}

const ref = { threadId: 'thread-one', messageId: 'the-plan-2' }
const more = { threadId: 'thread-one', messageId: 'question-3', answerId: 'answer-3', modelId: 'glm', text: 'And?' }

describe('[U6] a research plan that waits for the user', () => {
  test('holds a message that arrives after it; a dismissed plan holds none', async () => {
    const late = { id: 'queued-late', answerId: 'answer-late', threadId: 'thread-one', modelId: 'glm', text: 'And then?' }
    expect(await holdsAfter('queue.add', late, [])).toEqual(['plan_waiting'])
    expect(await holdsAfter('queue.add', late, [], { isDismissed: true })).toEqual([null])
  })

  test('releases its messages when it is started, planned again or answered without a plan', async () => {
    const held = ['plan_waiting', 'premium_required', null] as const
    const start = { ...ref, answerId: 'report-of-plan', modelId: 'glm' }
    const again = { threadId: 'thread-one', parentId: 'question-2', answerId: 'answer-again', modelId: 'glm' }
    const freed = [null, 'premium_required', null]
    expect(await holdsAfter('research.start', start, held)).toEqual(freed)
    expect(await holdsAfter('threads.answer', { ...again, mode: 'research' }, held)).toEqual(freed)
    expect(await holdsAfter('threads.answer', again, held)).toEqual(freed)
  })

  test('releases them when dismissed, and holds unsent messages when restored', async () => {
    const dismiss = (isDismissed: boolean) => ({ ...ref, isDismissed })
    expect(await holdsAfter('research.dismiss', dismiss(true), ['plan_waiting', 'stopped'])).toEqual([null, 'stopped'])
    const before = [null, 'credits_exhausted', 'stopped'] as const
    const after = ['plan_waiting', 'plan_waiting', 'stopped']
    expect(await holdsAfter('research.dismiss', dismiss(false), before, { isDismissed: true })).toEqual(after)
    // A repeated mutation of a page that missed the first: later decisions about the queue stay.
    expect(await holdsAfter('research.dismiss', dismiss(false), before)).toEqual(before)
  })

  test('releases them when the user sends another message, which waits at the end of the queue', async () => {
    const heldBehind = (parentId: string, ...holds: readonly (QueueHold | null)[]) =>
      holdsAfter('threads.send', { ...more, parentId }, holds)
    expect(await heldBehind('answer-1', 'plan_waiting', 'stopped')).toEqual([null, 'stopped'])
    expect(await heldBehind('the-plan-2', 'plan_waiting', 'stopped')).toEqual([null, 'stopped', null])
    expect(await heldBehind('the-plan-2', null)).toEqual([null, null])
    // Messages that wait for the user may be overtaken.
    expect(await heldBehind('the-plan-2', 'premium_required', 'plan_waiting')).toEqual(['premium_required', null])
    expect(await heldBehind('the-plan-2')).toEqual([])
  })

  test('a message that cannot be queued is refused and releases nothing', async () => {
    const full = Array.from({ length: maxQueuedMessages }, () => 'plan_waiting' as const)
    await expect(holdsAfter('threads.send', { ...more, parentId: 'the-plan-2' }, full)).rejects.toMatchObject({
      details: { code: 'queue_full' },
    })
    await expect(
      holdsAfter('threads.send', { ...more, parentId: 'the-plan-2', answerId: 'answer-of-queued-0' }, ['plan_waiting']),
    ).rejects.toMatchObject({ details: { code: 'invalid_request' } })
  })

  test('"Send now" sends the message after it', async () => {
    expect(await holdsAfter('queue.send', { id: 'queued-0' }, ['plan_waiting', 'plan_waiting'])).toEqual([null])
  })

  test('does not affect the queue of another version of the answer', async () => {
    for (const isDismissed of [true, false]) {
      const elsewhere = { head: 'answer-2', isDismissed: !isDismissed }
      await expect(holdsAfter('research.dismiss', { ...ref, isDismissed }, ['interrupted'], elsewhere)).rejects.toMatchObject({
        details: { code: 'plan_passed' },
      })
    }
  })
})

describe('[U7] changing the model or the mode', () => {
  test('releases messages that the model held, and no others', async () => {
    const change = { id: 'queued-0', modelId: 'glm' }
    for (const hold of ['model_retired', 'model_unreachable_now', 'no_model', 'images_unsupported', 'premium_required'] as const)
      expect(await holdsAfter('queue.edit', change, [hold, 'model_retired'])).toEqual([null, 'model_retired'])
    for (const hold of ['stopped', 'plan_waiting', 'credits_exhausted', 'file_missing'] as const)
      expect(await holdsAfter('queue.edit', change, [hold])).toEqual([hold])
  })

  test('is refused for a model that the user may not use, and without a change', async () => {
    await expect(holdsAfter('queue.edit', { id: 'queued-0', modelId: 'nothing' }, ['model_retired'])).rejects.toMatchObject({
      details: { code: 'no_model' },
    })
    await expect(holdsAfter('queue.edit', { id: 'queued-0' }, ['model_retired'])).rejects.toMatchObject({
      details: { code: 'invalid_request' },
    })
  })

  test('a chat releases messages that the mode held; no message becomes a search', async () => {
    const change = { id: 'queued-0', mode: 'chat' }
    for (const hold of ['tool_limit_reached', 'tools_unsupported', 'research_premium_required'] as const)
      expect(await holdsAfter('queue.edit', change, [hold, 'tool_limit_reached'])).toEqual([null, 'tool_limit_reached'])
    for (const hold of ['stopped', 'plan_waiting', 'credits_exhausted', 'model_retired'] as const)
      expect(await holdsAfter('queue.edit', change, [hold])).toEqual([hold])
    await expect(holdsAfter('queue.edit', { id: 'queued-0', mode: 'search' }, ['tool_limit_reached'])).rejects.toMatchObject({
      details: { code: 'invalid_request' },
    })
  })
})

describe('a queued message', () => {
  const add = { threadId: 'thread-one', id: 'queued-new', answerId: 'answer-new', modelId: 'kimi-k2', text: 'And?', at: 1 }
  const waiting: Given = [
    'queuedMessage',
    { ...queued('queued-one', 1, null)[1], compareWith: [{ answerId: 'answer-other', modelId: 'glm' }] },
  ]
  const codeOf = async (name: string, args: object, thread: object = {}) => {
    const engine = replicaOf(...userRows, ...pro, ['thread', { headId: 'answer-2', ...thread }], ...conversation, waiting)
    const outcome = await runNamed(overlayOf(engine), name, args as never, 1_800_000_000_000)
    return outcome.type === 'refused' ? (outcome.error.details as { code: string }).code : outcome.type
  }

  test.each(['queued-one', 'answer-of-queued-one', 'answer-other'])('cannot reserve %s, which another one reserves', async (id) => {
    for (const ids of [{ id }, { answerId: id }, { compareWith: [{ answerId: id, modelId: 'glm' }] }])
      expect(await codeOf('queue.add', { ...add, ...ids })).toBe('invalid_request')
    expect(await codeOf('queue.add', add)).toBe('applied')
  })

  test.each(['queued-one', 'answer-of-queued-one', 'answer-other'])('reserves %s, which no other message or answer gets', async (id) => {
    const send = { ...more, threadId: 'thread-new', parentId: null, at: 1 }
    const message = { id, parentId: null, role: 'user', text: 'Why?', createdAt: 1 }
    const imported = { id: 'thread-new', title: null, headId: id, createdAt: 1, updatedAt: 1, messages: [message] }
    expect(await codeOf('threads.send', { ...send, messageId: id })).toBe('invalid_request')
    expect(await codeOf('threads.send', { ...send, answerId: id })).toBe('invalid_request')
    const answer = { ...send, threadId: 'thread-one', parentId: 'question-2', answerId: id }
    expect(await codeOf('threads.answer', answer)).toBe('invalid_request')
    expect(await codeOf('threads.import', { threads: [imported] })).toBe('invalid_request')
    expect(await codeOf('threads.send', send)).toBe('applied')
  })

  test('of a deleted thread can be removed, but not added, edited or sent', async () => {
    const deleted = { deletedAt: 5 }
    expect(await codeOf('queue.add', add, deleted)).toBe('not_found')
    expect(await codeOf('queue.edit', { id: 'queued-one', mode: 'chat' }, deleted)).toBe('not_found')
    expect(await codeOf('queue.send', { id: 'queued-one', at: 1 }, deleted)).toBe('not_found')
    expect(await codeOf('queue.remove', { id: 'queued-one' }, deleted)).toBe('applied')
  })
})

describe('[T7] a message for its model alone', () => {
  const sentWith = async (name: string, args: object, modelId: string) => {
    const waiting: Given = ['queuedMessage', { ...queued('queued-1', 1, null)[1], modelId }]
    const setting: Given = ['setting', { id: userId, userId, modelId: 'kimi-k2' }]
    const engine = replicaOf(...userRows, setting, ...pro, ['thread', { headId: 'answer-2' }], ...conversation, waiting)
    const outcome = await runNamed(overlayOf(engine), name, { at: 1, ...args }, 1_800_000_000_000)
    if (outcome.type !== 'applied') throw outcome.error
    return outcome.writes.flatMap(({ table, row }) => (table === 'message' ? [(row as { message: object }).message] : []))
  }

  test('is marked when it is sent', async () => {
    const send = { ...more, messageId: 'question-3', parentId: 'question-2', isModelForOnce: true }
    expect(await sentWith('threads.send', send, 'glm')).toEqual([expect.objectContaining({ isModelForOnce: true })])
    expect((await sentWith('threads.send', { ...send, isModelForOnce: undefined }, 'glm'))[0]).not.toHaveProperty('isModelForOnce')
  })

  test('is a queued message with another model than the thread continues with', async () => {
    expect(await sentWith('queue.send', { id: 'queued-1' }, 'glm')).toEqual([expect.objectContaining({ isModelForOnce: true })])
    expect((await sentWith('queue.send', { id: 'queued-1' }, 'kimi-k2'))[0]).not.toHaveProperty('isModelForOnce')
  })
})

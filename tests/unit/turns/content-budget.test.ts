// Mutations of a user whose storage is full. The usage rows hold the rounded counts that browsers also check.
import { describe, expect, test } from 'vitest'
import { dayMs, dayOf } from '../../../worker/contract/access.ts'
import { forksPerDay, storedContentBytes, storedContentRows } from '../../../worker/contract/limits.ts'
import type { Json } from '../../../worker/sync/engine/types.ts'
import { answered, effectsIn, type Given, overlayOf, replicaOf, runNamed, userId, userMessage } from '../sync/replica.ts'

const nowMs = 1_800_000_000_000

const plans: { readonly [plan in 'guest' | 'free' | 'pro']: readonly Given[] } = {
  guest: [['user', { isAnonymous: true }]],
  free: [['user', { isAnonymous: false }]],
  pro: [
    ['user', { isAnonymous: false }],
    [
      'userCustomer',
      { id: 'customer', userId, subscription: { id: 's', status: 'active', currentPeriodEndMs: nowMs + dayMs, cancelAtPeriodEnd: false } },
    ],
  ],
}
const planNames = Object.keys(plans) as (keyof typeof plans)[]

const steps = [{ id: 'step-1', text: 'Where tea grows', queries: [] }]
const parts = [{ type: 'tool-plan', toolCallId: 'plan', state: 'output-available', input: {}, output: { steps } }]
const metadata = { modelId: 'kimi-k2', modelName: 'Kimi K2', modelIcon: 'i', ending: 'completed', credits: 0, mode: 'research' }
const answerOf = (id: string, parentId: string): Given => ['message', { id, parentId, message: { id, role: 'assistant', parts, metadata } }]
const queued: Given = [
  'queuedMessage',
  {
    id: 'waiting-one',
    threadId: 'thread-one',
    userId,
    answerId: 'answer-waiting',
    text: 'Then?',
    modelId: 'kimi-k2',
    hold: 'stopped',
    createdAt: 1,
  },
]

const turn = { threadId: 'thread-one', modelId: 'kimi-k2', at: 1 }
const plan = { threadId: 'thread-one', messageId: 'plan-of-tea', at: 1 }
const send = { ...turn, messageId: 'message-new', answerId: 'answer-new', parentId: null, text: 'Hello' }

/** Each writes content, in a thread that ends with a plan. */
const writers: readonly (readonly [name: string, args: Json])[] = [
  ['threads.send', send],
  ['threads.send', { ...send, threadId: 'thread-of-its-own' }],
  ['threads.answer', { ...turn, answerId: 'answer-new', parentId: 'question-1' }],
  ['threads.fork', { threadId: 'thread-one', messageId: 'question-1', newThreadId: 'fork-of-thread-one', at: 1 }],
  ['queue.add', { ...turn, id: 'message-new', answerId: 'answer-new', text: 'Hello' }],
  ['queue.send', { id: 'waiting-one', at: 1 }],
  ['research.putStep', { ...plan, stepId: 'step-2', text: 'Who drinks it?' }],
]
/** Each leaves the stored content unchanged or frees some later. */
const others: readonly (readonly [name: string, args: Json])[] = [
  ['threads.rename', { threadId: 'thread-one', title: 'Tea' }],
  ['threads.delete', { threadIds: ['thread-one'], at: 1 }],
  ['threads.show', { threadId: 'thread-one', messageId: 'question-2' }],
  ['messages.delete', { threadId: 'thread-one', messageId: 'question-2', at: 1 }],
  ['queue.remove', { id: 'waiting-one' }],
  ['queue.edit', { id: 'waiting-one', mode: 'chat', at: 1 }],
  ['research.dismiss', { ...plan, isDismissed: true }],
  ['settings.update', { nickname: 'Ada' }],
]

async function outcomeOf(given: readonly Given[], usage: object, name: string, args: Json) {
  const engine = replicaOf(
    ...given,
    ['setting'],
    ['usage', { ...usage }],
    ['model', { capabilities: ['tools'] }],
    ['thread', { headId: 'plan-of-tea' }],
    ...[userMessage('question-1', null), answered('answer-1', 'question-1'), userMessage('question-2', 'answer-1')],
    answerOf('plan-of-tea', 'question-2'),
    queued,
  )
  const outcome = await runNamed(overlayOf(engine), name, args, nowMs)
  return outcome.type === 'refused' ? (outcome.error.details as { code: string }).code : effectsIn(outcome)?.content
}

describe.each(planNames)('%s', (name) => {
  const [maxBytes, maxRows] = [storedContentBytes[name], storedContentRows[name]]
  const almost = { contentBytes: maxBytes - 16 * 1024, contentRows: maxRows - 8 }

  test.each(writers)('%s is refused', async (mutation, args) => {
    for (const full of [{ contentBytes: maxBytes }, { contentRows: maxRows }])
      expect(await outcomeOf(plans[name], full, mutation, args)).toBe('content_full')
    expect(await outcomeOf(plans[name], almost, mutation, args)).toMatchObject({ maxBytes, maxRows })
  })

  test.each(others)('%s is never refused for full storage', async (mutation, args) => {
    expect(await outcomeOf(plans[name], { contentBytes: maxBytes, contentRows: maxRows }, mutation, args)).toBeNull()
  })
})

test('the start of a research is refused when storage is used up', async () => {
  const start = { ...plan, answerId: 'answer-new', modelId: 'kimi-k2' }
  expect(await outcomeOf(plans.pro, { contentRows: storedContentRows.pro }, 'research.start', start)).toBe('content_full')
  expect(await outcomeOf(plans.pro, {}, 'research.start', start)).toMatchObject({ maxRows: storedContentRows.pro })
})

test.each(planNames)('a fork of %s is refused at the daily limit', async (name) => {
  const fork = { threadId: 'thread-one', messageId: 'question-2', newThreadId: 'fork-of-thread-one', at: 1 }
  const forks = forksPerDay[name]
  for (const forkDay of [dayOf(nowMs), dayOf(nowMs) + 1])
    expect(await outcomeOf(plans[name], { forks, forkDay }, 'threads.fork', fork)).toBe('fork_limit_reached')
  for (const usage of [
    { forks: forks - 1, forkDay: dayOf(nowMs) },
    { forks, forkDay: dayOf(nowMs) - 1 },
  ])
    expect(await outcomeOf(plans[name], usage, 'threads.fork', fork)).toMatchObject({ fork: { maxForks: forks } })
})

test('a fork is refused when its copy does not fit, and counts for its UTC day', async () => {
  const fork = { threadId: 'thread-one', messageId: 'question-2', newThreadId: 'fork-of-thread-one', at: 1 }
  const rows = { contentRows: storedContentRows.guest - 3 }
  expect(await outcomeOf(plans.guest, rows, 'threads.fork', fork)).toBe('content_full')
  expect(await outcomeOf(plans.guest, {}, 'threads.fork', fork)).toMatchObject({ fork: { day: dayOf(nowMs), maxForks: forksPerDay.guest } })
})

// The credits that a turn reserves when it is opened, and when it is refused.
import { describe, expect, test } from 'vitest'
import { dayOf } from '../../../worker/contract/access.ts'
import { maxTurnCredits } from '../../../worker/contract/limits.ts'
import type { Json } from '../../../worker/sync/engine/types.ts'
import { answered, effectsIn, type Given, overlayOf, replicaOf, runNamed, userId, userMessage } from '../sync/replica.ts'

const nowMs = 1_800_000_000_000
/** At the default price of a credit, 1,000 tokens of input cost one, and 1,000 of output two. */
const prices = { inputMicroDollarsPerMillionTokens: 3_875_000, outputMicroDollarsPerMillionTokens: 7_750_000 }
const priced = { ...prices, contextTokens: 200_000, maxOutputTokens: 4_000, capabilities: ['tools'] }
const user: readonly Given[] = [
  ['user', { isAnonymous: false }],
  ['setting', { nickname: null, instructions: null }],
]
const rows = (used: number, ...more: readonly Given[]) =>
  replicaOf(
    ...user,
    ['usage', { credits: used, day: dayOf(nowMs) }],
    ['model', priced],
    ['model', { ...priced, id: 'other-model' }],
    ...more,
  )

const message = {
  threadId: 'thread-new',
  messageId: 'question-n',
  answerId: 'answer-n',
  parentId: null,
  text: 'Hi',
  modelId: 'kimi-k2',
  at: 1,
}
const run = async (engine: ReturnType<typeof rows>, name: string, args: Json) => {
  const outcome = await runNamed(overlayOf(engine), name, args, nowMs)
  if (outcome.type === 'refused') return outcome.error.details
  return effectsIn(outcome)?.opened.map(({ reservation: { minimum, expected, credits } }) => ({ minimum, expected, credits }))
}
const send = (used: number, changes: object = {}, ...more: readonly Given[]) =>
  run(rows(used, ...more), 'threads.send', { ...message, ...changes } as unknown as Json)

const inThread = { threadId: 'thread-one', parentId: 'answer-1' }
const thread = (changes: object = {}): readonly Given[] => [
  ['thread', { headId: 'answer-1', ...changes }],
  userMessage('question-1', null, 'x'.repeat(15_000)),
  answered('answer-1', 'question-1'),
]

describe('[T8] a turn', () => {
  test('reserves what it is expected to cost, and half of the rest up to the most that it may cost', async () => {
    // 1,511 tokens and 600 of output are 2.7 credits. With tools, the turn may cost more than the rest of the 20 credits.
    expect(await send(0)).toEqual([{ minimum: 2, expected: 3, credits: 3 + 8 }])
    expect(await send(10)).toEqual([{ minimum: 2, expected: 3, credits: 3 + 3 }])
    expect(await send(17)).toEqual([{ minimum: 2, expected: 3, credits: 3 }])
  })

  test('is refused if less is left, and the refusal names both', async () => {
    expect(await send(18)).toEqual({ code: 'credits_short', values: { credits: 3, left: 2 } })
  })

  test('counts the thread, the texts of the user, and the files of its project', async () => {
    expect(await send(0, inThread, ...thread())).toMatchObject([{ expected: 8 }])
    const texts: Given = ['setting', { nickname: null, instructions: 'x'.repeat(900) }]
    expect(await run(replicaOf(['user', {}], texts, ['usage'], ['model', priced]), 'threads.send', message)).toMatchObject([
      { expected: 4 },
    ])
    const file = { id: 'file-1', name: 'a.txt', mediaType: 'text/plain', sizeBytes: 6_000 }
    const project: Given = ['project', { id: 'project-1', userId, name: 'P', createdAt: 1, updatedAt: 1, deletedAt: null, files: [file] }]
    expect(await send(0, inThread, ...thread({ projectId: 'project-1' }), project)).toMatchObject([{ expected: 10 }])
  })

  test('is one of several: the models of a comparison share what is left', async () => {
    const compareWith = [{ answerId: 'answer-m', modelId: 'other-model' }]
    expect(await send(4, { compareWith })).toEqual([
      { minimum: 2, expected: 3, credits: 3 + 2 },
      { minimum: 2, expected: 3, credits: 3 + 2 },
    ])
    expect(await send(15, { compareWith })).toEqual({ code: 'credits_short', values: { credits: 6, left: 5 } })
  })

  test('of a model without a price reserves the credits of the model', async () => {
    expect(await run(replicaOf(...user, ['usage'], ['model']), 'threads.send', message)).toEqual([{ minimum: 2, expected: 2, credits: 2 }])
  })
})

describe('the limit of a thread', () => {
  test('bounds what an answer reserves, and refuses one that is expected to cost more', async () => {
    expect(await send(0, inThread, ...thread({ turnCredits: 9 }))).toMatchObject([{ credits: 9 }])
    expect(await send(0, inThread, ...thread({ turnCredits: 7 }))).toEqual({ code: 'turn_credits_short' })
  })

  test('is set for a thread, and removed', async () => {
    const set = async (credits: number | null) =>
      runNamed(overlayOf(rows(0, ...thread())), 'threads.setTurnCredits', { threadId: 'thread-one', credits }, nowMs)
    const written = (turnCredits: number | null) => [{ kind: 'update', table: 'thread', row: { id: 'thread-one', turnCredits } }]
    expect(await set(6)).toMatchObject({ writes: written(6) })
    expect(await set(null)).toMatchObject({ writes: written(null) })
    for (const credits of [0, 1.5, maxTurnCredits + 1]) expect(await set(credits)).toMatchObject({ type: 'refused' })
  })
})

describe('a research', () => {
  const pro: Given = [
    'userCustomer',
    { id: 'c', userId, subscription: { id: 's', status: 'active', currentPeriodEndMs: nowMs + 1_000_000, cancelAtPeriodEnd: false } },
  ]
  const steps = ['step-1', 'step-2'].map((id) => ({ id, text: 'Tea', queries: ['tea'] }))
  const call = (id: string, output: object) => ({
    type: `tool-${id.split('-')[0]}`,
    toolCallId: id,
    state: 'output-available',
    input: {},
    output,
  })
  const answerOf = (id: string, metadata: object, ...parts: readonly object[]): Given => {
    const shown = { modelId: 'kimi-k2', modelName: 'K', modelIcon: 'i', ending: 'completed', credits: 0, mode: 'research', ...metadata }
    const all = [call('plan', { steps }), ...parts]
    return ['message', { id, parentId: 'question-1', message: { id, role: 'assistant', parts: all, metadata: shown } as unknown as Json }]
  }
  const use = { requests: 1, unpriced: 0, inputTokens: 1, cachedInputTokens: 0, outputTokens: 1, reasoningTokens: 0, microDollars: 41_660 }
  const asked: readonly Given[] = [pro, ['thread', { headId: 'the-plan-1' }], userMessage('question-1', null)]

  test('pays for its plan and its steps', async () => {
    const start = { threadId: 'thread-one', messageId: 'the-plan-1', answerId: 'answer-n', modelId: 'kimi-k2', at: 1 }
    const of = async (metadata: object) => {
      const opened = await run(rows(0, ...asked, answerOf('the-plan-1', metadata)), 'research.start', start)
      return Array.isArray(opened) ? opened[0]?.expected : opened
    }
    const without = await of({})
    expect(await of({ use })).toBe(Number(without) + 10)
    // A plan that was charged is paid.
    expect(await of({ use, credits: 10 })).toBe(without)
  })

  test('that is continued costs what exceeds its payment', async () => {
    const findings = steps.map(({ id }) => call(`findings-${id}`, { text: 'Notes' }))
    const cut = (credits: number) =>
      answerOf('the-plan-1', { ending: 'failed', credits, paid: { by: 'the-plan-1', credits } }, ...findings, { type: 'text', text: 'Tea' })
    const answer = {
      threadId: 'thread-one',
      parentId: 'question-1',
      answerId: 'answer-n',
      continueId: 'the-plan-1',
      modelId: 'kimi-k2',
      mode: 'research',
      at: 1,
    }
    // Only the report remains: 7.7 credits.
    expect(await run(rows(0, ...asked, cut(3)), 'threads.answer', answer)).toEqual([{ minimum: 0, expected: 5, credits: 9 + 3 }])
    expect(await run(rows(199, ...asked, cut(20)), 'threads.answer', answer)).toEqual([{ minimum: 0, expected: 0, credits: 20 }])
  })
})

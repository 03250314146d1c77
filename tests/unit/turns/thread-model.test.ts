import { expect, test } from 'vitest'
import type { Refusal } from '../../../worker/contract/errors.ts'
import type { AnswerMetadata, ChatMessage } from '../../../worker/contract/threads/messages.ts'
import { keptAnswer, mayKeep } from '../../../worker/contract/threads/thread-model.ts'

type Row = { readonly id: string; readonly parentId: string | null; readonly message: ChatMessage }

const question = (id: string, parentId: string | null, isModelForOnce = false): Row => ({
  ...{ id, parentId },
  message: { id, role: 'user', parts: [], ...(isModelForOnce && { isModelForOnce }) },
})
const answer = (id: string, parentId: string, modelId: string, changes: Partial<AnswerMetadata> = {}): Row => ({
  ...{ id, parentId },
  message: {
    ...{ id, role: 'assistant', parts: [] },
    metadata: { modelId, modelName: modelId, modelIcon: '', ending: 'completed', credits: 1, ...changes },
  },
})
const turn = (at: number, modelId: string, { once = false, ...changes }: Partial<AnswerMetadata> & { once?: boolean } = {}) => [
  question(`q${at}`, at === 1 ? null : `a${at - 1}`, once),
  answer(`a${at}`, `q${at}`, modelId, changes),
]
const damaged = { id: 'b1', role: 'assistant', parts: [] } as unknown as ChatMessage
const modelOf = (headId: string | null, ...rows: readonly (readonly Row[])[]) => keptAnswer({ headId, messages: rows.flat() })?.modelId

test.each([
  ['the model of the last answer', modelOf('a2', turn(1, 'kimi'), turn(2, 'gemini')), 'gemini'],
  ['the same while the next answer is written', modelOf('q3', turn(1, 'kimi'), turn(2, 'gemini'), [question('q3', 'a2')]), 'gemini'],
  ['the shown branch alone', modelOf('a1', turn(1, 'kimi'), [answer('b1', 'q1', 'gemini')]), 'kimi'],
  ['the model of a regenerated answer', modelOf('b1', turn(1, 'kimi'), [answer('b1', 'q1', 'gemini')]), 'gemini'],
  [
    'the model of a compared answer that it continues from',
    modelOf('b1', turn(1, 'kimi', { ending: 'failed' }), [answer('b1', 'q1', 'gemini')]),
    'gemini',
  ],
  ['the model of a failed answer', modelOf('a2', turn(1, 'kimi'), turn(2, 'gemini', { ending: 'failed' })), 'gemini'],
  ['not a model for one message', modelOf('a2', turn(1, 'kimi'), turn(2, 'opus', { once: true })), 'kimi'],
  ['not several of them', modelOf('a3', turn(1, 'kimi'), turn(2, 'opus', { once: true }), turn(3, 'opus', { once: true })), 'kimi'],
  ['the answer after one', modelOf('a3', turn(1, 'kimi'), turn(2, 'opus', { once: true }), turn(3, 'gemini')), 'gemini'],
  [
    'no model of a damaged answer',
    modelOf('b1', turn(1, 'kimi'), [question('q2', 'a1'), { ...answer('b1', 'q2', 'x'), message: damaged }]),
    'kimi',
  ],
  ['no model of an imported answer', modelOf('a1', turn(1, 'gpt', { imported: true })), undefined],
  ['no model if the only message is for one model', modelOf('a1', turn(1, 'opus', { once: true })), undefined],
  ['no model without an answer', modelOf('q1', [question('q1', null)]), undefined],
  ['no model without messages', modelOf(null), undefined],
  ['no endless walk through cyclic parents', modelOf('q1', [question('q1', 'q2'), question('q2', 'q1')]), undefined],
])('[T7] a thread continues with %s', (_, found, expected) => {
  expect(found).toBe(expected)
})

test('[T7] a thread does not keep a model that the user may not use', () => {
  const free = { access: 'premium_required' } as const
  expect([mayKeep(free, 'free'), mayKeep(free, 'pro')]).toEqual([false, true])
  const reason = (code: Refusal['code']) => mayKeep({ access: 'public', unavailable: code }, 'free')
  // A provider that is out of reach for a moment must not send the text to another one.
  expect([reason('model_retired'), reason('model_unreachable_now')]).toEqual([false, true])
})

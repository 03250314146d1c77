// The request for facts to the small model, and which of its facts count. Rule: worker/turns/SPEC.md, B4.
import { describe, expect, test } from 'vitest'
import { memoryText, modelMessages } from '../../../worker/chat/model/prompt.ts'
import type { CallOptions } from '../../../worker/chat/model/types.ts'
import { askForFacts, factsIn, mayReadForFacts } from '../../../worker/chat/turn/find-memories.ts'
import { maxMemoryChars, maxMessageMemories } from '../../../worker/contract/limits.ts'
import { scriptedModel, usage } from '../../support/scripted-model.ts'

const text = 'My name is Ada.\nI have a   dog called Rex.'
const answer = (...facts: readonly (readonly [fact: string, quote: string])[]) =>
  JSON.stringify({ facts: facts.map(([fact, quote]) => ({ fact, quote })) })

describe('[B4] facts in an answer', () => {
  test.each<[string, string, readonly string[] | null]>([
    [
      'quote the message',
      answer(['Is called Ada.', 'My name is Ada.'], ['Has a dog.', 'i have a dog called rex']),
      ['Is called Ada.', 'Has a dog.'],
    ],
    ['are dropped without a quote from it', answer(['Is a king.', 'I am a king.'], ['Has a dog.', ''], ['Has a cat.', ' \u200b']), []],
    ['may be in a block of code', `Here:\n\`\`\`json\n${answer(['Is called Ada.', 'My name is Ada'])}\n\`\`\``, ['Is called Ada.']],
    [
      'are one line of bounded length',
      answer(['Is\n called  Ada.', 'Ada'], ['x'.repeat(maxMemoryChars + 1), 'Ada'], [' ', 'Ada']),
      ['Is called Ada.'],
    ],
    ['count once', answer(['Is Ada.', 'Ada'], ['is ada.', 'Ada']), ['is ada.']],
    ['are not those that are known', answer(['lives in Berlin.', 'Ada']), []],
    ['are few', answer(...Array.from({ length: 9 }, (_, index) => [`Fact ${index}`, 'Ada'] as const)), ['Fact 0', 'Fact 1', 'Fact 2']],
    ['none in an empty list', '{"facts": []}', []],
    ['none in a text', 'The user is called Ada.', null],
    ['none in another form', '{"facts": [{"fact": 5}]}', null],
    ['none in half an answer', answer(['Is called Ada.', 'Ada']).slice(0, -3), null],
  ])('%s', (_, written, expected) => {
    expect(factsIn(written, { text, known: ['Lives in Berlin.'] })).toEqual(expected)
    expect((expected ?? []).length).toBeLessThanOrEqual(maxMessageMemories)
  })
})

test('[B4] the request has the typed text and the known facts, as JSON', async () => {
  const asked: CallOptions[] = []
  const model = scriptedModel({
    doGenerate: async (options) => {
      asked.push(options)
      const written = answer(['Is called Ada.', 'Ada'])
      return { content: [{ type: 'text', text: written }], finishReason: { unified: 'stop', raw: 'stop' }, usage, warnings: [] }
    },
  })
  expect(await askForFacts(model, { text, known: ['Lives in Berlin.'] }, new AbortController().signal)).toEqual(['Is called Ada.'])
  const [, request] = asked[0]?.prompt ?? []
  expect(request).toMatchObject({ role: 'user', content: [{ text: JSON.stringify({ message: text, known: ['Lives in Berlin.'] }) }] })
  expect(asked[0]?.prompt).toHaveLength(2)
})

test('[B2] facts follow the question and leave the beginning of the prompt as it was', () => {
  const history = [{ id: 'q', role: 'user' as const, parts: [{ type: 'text' as const, text: 'What does it eat?' }] }]
  const given = memoryText([{ id: 'm', text: 'Has a dog called Rex.' }])
  expect(memoryText(undefined)).toBeNull()
  const content = modelMessages(history, [], undefined, { materials: [given] })[0]?.content
  expect(content).toMatch(/^What does it eat\?\n\nFacts about the user .*\n- Has a dog called Rex\.$/s)
})

test('[B5] a model that is not small reads nothing', () => {
  const model = { model: 'm', provider: 'openrouter' }
  expect(mayReadForFacts({ requested: null })).toBe(true)
  expect(mayReadForFacts({ requested: model })).toBe(true)
  expect(mayReadForFacts({ requested: { ...model, inputMicroDollarsPerMillionTokens: 150_000 } })).toBe(true)
  expect(mayReadForFacts({ requested: { ...model, inputMicroDollarsPerMillionTokens: 5_000_000 } })).toBe(false)
})

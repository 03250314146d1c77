// Which models think without an opening mark, and which of their servers keep the thoughts to themselves.
import { describe, expect, test } from 'vitest'
import { ChunkWriter } from '../../../worker/chat/chunk-writer.ts'
import { recallThoughts, thinksUnmarked, unmarkedThoughts } from '../../../worker/chat/models/hidden-thoughts.ts'
import { later } from '../../../worker/chat/storage.ts'
import { ConnectionGate } from '../../../worker/chat/tools/connection-gate.ts'
import { turnWork, type WorkOrder } from '../../../worker/chat/turn-work.ts'
import type { StreamChunk } from '../../../worker/contract/message-stream.ts'
import type { AnswerMessage, ChatMessage, Ending } from '../../../worker/contract/messages.ts'
import type { Settings } from '../../../worker/env.ts'
import { noFiles } from '../../support/no-files.ts'
import { finish, said, streamingModel } from '../../support/scripted-model.ts'

test.each([
  ['compatible.chat', 'deepseek-ai/DeepSeek-R1', true],
  ['compatible.chat', 'DeepSeek-R1-Distill-Qwen-32B-AWQ', true],
  ['ollama.chat', 'deepseek-r1:8b', true],
  ['compatible.chat', 'Qwen/Qwen3-235B-A22B-Thinking-2507', true],
  ['compatible.chat', 'Qwen/QwQ-32B', true],
  ['ollama.chat', 'qwen3:30b-a3b-thinking-2507', true],
  ['compatible.chat', 'qwen3-30b-non-thinking', false],
  ['workersai.chat', '@cf/qwen/qwq-32b', true],
  ['gateway', 'deepseek/deepseek-r1', false],
  ['compatible.chat', 'gemini-2.0-flash-thinking-exp', false],
  ['compatible.chat', 'claude-3-7-sonnet-thinking', false],
  ['compatible.chat', 'deepseek-ai/DeepSeek-V3.1', false],
  ['compatible.chat', 'Qwen/Qwen3-30B-A3B-Instruct-2507', false],
])('%s %s: %j', (provider, modelId, is) => expect(thinksUnmarked({ provider, modelId })).toBe(is))

let models = 0
/** One of which this isolate knows nothing. */
const newModel = () => ({ provider: 'compatible.chat', modelId: `deepseek-r1:test-${++models}` })
const isExpected = (model: ReturnType<typeof newModel>) => unmarkedThoughts(model)?.isExpected

test('two whole answers in a row without a mark are believed, until a mark comes', () => {
  const model = newModel()
  const learned = [false, true, false, false, false, true].map((isMarked) => {
    unmarkedThoughts(model)?.learn(isMarked)
    return isExpected(model)
  })
  expect(learned).toEqual([true, true, true, false, false, true])
  expect(unmarkedThoughts({ provider: 'gateway', modelId: 'deepseek/deepseek-r1' })).toBeNull()
})

describe('what the answers of a thread tell', () => {
  const answer = (text: string, thought: string | null, ending: Ending = 'completed', modelId = 'row'): AnswerMessage => ({
    id: 'a',
    role: 'assistant',
    parts: [...(thought === null ? [] : [{ type: 'reasoning' as const, text: thought }]), { type: 'text', text }],
    metadata: { modelId, modelName: 'R1', modelIcon: 'deepseek', ending, credits: 1 },
  })
  const twice = answer('Hello', 'Hello')
  const apart = answer('Hello', 'hm')
  const bare = answer('Hello', null)
  const question: ChatMessage = { id: 'q', role: 'user', parts: [{ type: 'text', text: 'Hello?' }] }

  test.each<[what: string, history: readonly ChatMessage[], expected: boolean]>([
    ['nothing', [question], true],
    ['two whose thoughts were said once more', [twice, question, twice], false],
    ['one of them, and one that was text from its first word', [twice, bare], false],
    ['one alone', [question, twice], true],
    ['thoughts that were told behind two without', [twice, twice, apart], true],
    ['two without behind thoughts', [apart, twice, bare], false],
    ['a mark in the text', [twice, twice, answer('hm</think>Hello', null)], true],
    ['those that were cut off say nothing', [answer('', 'hm', 'stopped'), twice, answer('Hel', null, 'interrupted'), twice], false],
    ['nor do those of other models', [answer('Hello', null, 'completed', 'other'), twice], true],
  ])('%s', (_what, history, expected) => {
    const model = newModel()
    recallThoughts(model, history, 'row')
    expect(isExpected(model)).toBe(expected)
  })

  test('a turn goes by it', async () => {
    const kindsAfter = async (history: readonly ChatMessage[]) => {
      const model = { ...streamingModel(() => [...said('Hello'), finish('stop')]), ...newModel() }
      const chunks: StreamChunk[] = []
      const writer = new ChunkWriter((chunk) => chunks.push(chunk), Date.now)
      const row = { id: 'row', name: 'R1' } as WorkOrder['model']
      const order: WorkOrder = { history: [...history, question], model: row, mode: 'chat', effort: null, person: { name: '' } }
      const place = { parts: [], files: noFiles, emit: () => undefined, connections: new ConnectionGate(1) }
      const work = turnWork(order, { model, titleModel: null, demo: false }, {} as Settings, place)
      if (typeof work !== 'function') throw new Error('there is something to do')
      await work({ writer, signal: new AbortController().signal, later, nowMs: Date.now })
      return chunks.flatMap(({ type }) => (type.endsWith('-delta') ? [type] : []))
    }
    expect(await kindsAfter([twice])).toEqual(['reasoning-delta', 'text-delta'])
    expect(await kindsAfter([twice, bare])).toEqual(['text-delta'])
  })

  test('what this isolate has heard itself is newer', () => {
    const model = newModel()
    unmarkedThoughts(model)?.learn(true)
    recallThoughts(model, [twice, twice], 'row')
    expect(isExpected(model)).toBe(true)
  })
})

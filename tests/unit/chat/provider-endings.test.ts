// The ending of an answer over a real connection, in both protocols, with and without tools: by the provider's finish reason, with an
// explanation if the answer is incomplete.
import { describe, expect, test } from 'vitest'
import type { ProviderPart } from '../../../worker/chat/model/types.ts'
import { type FailureCode, textOf } from '../../../worker/contract/threads/messages.ts'
import { answerTo, searchTools } from '../../support/model-run.ts'
import { answeringServer } from '../../support/peers/answering-server.ts'
import type { Behaviour } from '../../support/peers/peer-server.ts'
import { peersOfTest } from '../../support/peers/peers-of-test.ts'
import { connect, providerConnections } from '../../support/peers/provider-connections.ts'

const peers = peersOfTest()

const words = ['Hello ', 'big ', 'world']
const whole = words.join('')
const calls = [
  { call: 'a plain call', tools: () => null },
  { call: 'a call with tools', tools: () => searchTools('Hello?') },
]
const ways = providerConnections.flatMap((provider) => calls.map((call) => ({ ...provider, ...call })))

async function ask({ provider, start, connections, tools }: (typeof ways)[number], script: readonly Behaviour[], slug?: string) {
  const peer = await start(script)
  peers.push(peer)
  const { model } = connect(connections(peer.url), provider, slug)
  const { outcome, parts } = await answerTo('Hello?', { model, tools: tools() })
  return { outcome, parts, text: textOf({ parts }), peer }
}

describe.each(ways)('$provider, $call', (way) => {
  test('a connection that stays open after the end is closed, and the answer is complete', async () => {
    const { outcome, text, peer } = await ask(way, [{ kind: 'open-after-end', words }])
    expect([outcome, text]).toEqual([{ ending: 'completed' }, whole])
    await peer.requests[0]?.abandoned
  })

  test('a connection that breaks after the end does not affect the answer', async () => {
    const { outcome, text } = await ask(way, [{ kind: 'torn-after-end', words }])
    expect([outcome, text]).toEqual([{ ending: 'completed' }, whole])
  })

  const cuts = [
    { ends: 'length', code: 'model_length' },
    { ends: 'content-filter', code: 'model_filtered' },
  ] as const
  test.each(cuts)('an end by $ends keeps the text and states the reason, once', async ({ ends, code }) => {
    const { outcome, text, peer } = await ask(way, [{ kind: 'answer', words, ends }])
    expect(outcome).toMatchObject({ ending: 'failed', failure: { code } })
    expect(text).toBe(whole)
    expect(peer.requests).toHaveLength(1)
  })

  test.each(cuts)('an end by $ends without text states the reason', async ({ ends, code }) => {
    for (const reasoning of [['hm ', 'ok'], []]) {
      const { outcome, text } = await ask(way, [{ kind: 'answer', words: [], reasoning, ends }])
      expect([outcome, text]).toMatchObject([{ ending: 'failed', failure: { code } }, ''])
    }
  })

  test('an event without content is unreadable, and the text before it is kept', async () => {
    const { outcome, text } = await ask(way, [{ kind: 'answer', words, parts: ['null'] }])
    expect([outcome, text]).toMatchObject([{ ending: 'failed', failure: { code: 'model_nonsense' } }, whole])
  })

  test('an answer whose events all arrive twice completes', async () => {
    const { outcome, text } = await ask(way, [{ kind: 'duplicated', words, events: 'all' }])
    expect(outcome).toEqual({ ending: 'completed' })
    for (const word of words) expect(text).toContain(word)
  })

  test('reasoning at the start of the text becomes reasoning, with its duration', async () => {
    const { outcome, parts } = await ask(way, [{ kind: 'answer', words: ['<thi', 'nk>hm</', 'think>', ...words] }])
    expect(outcome).toEqual({ ending: 'completed' })
    expect(parts).toEqual([
      { type: 'step-start' },
      { type: 'reasoning', text: 'hm', state: 'done', durationMs: expect.any(Number) },
      { type: 'text', text: whole, state: 'done' },
    ])
  })

  test('reasoning without an end is the text of a completed answer, and stays reasoning if the answer is cut', async () => {
    const whole = await ask(way, [{ kind: 'answer', words: ['<think>', 'hm'] }])
    expect(whole.outcome).toEqual({ ending: 'completed' })
    expect(whole.parts).toEqual([{ type: 'step-start' }, { type: 'text', text: '<think>hm', state: 'done' }])
    const cut = await ask(way, [{ kind: 'answer', words: ['<think>', 'hm'], ends: 'length' }])
    expect(cut.outcome).toMatchObject({ ending: 'failed', failure: { code: 'model_length' } })
    expect(cut.parts).toMatchObject([{ type: 'step-start' }, { type: 'reasoning', text: 'hm' }])
  })

  test('a tool call without tools is an unreadable response', async () => {
    const { outcome, parts } = await ask(way, [{ kind: 'tools', calls: [{ name: 'look', input: '{}' }] }])
    expect(outcome).toMatchObject({ ending: 'failed', failure: { code: 'model_nonsense' } })
    expect(textOf({ parts })).toBe('')
  })

  const documents: { name: string; behaviour: Behaviour; code: FailureCode }[] = [
    { name: 'a page', behaviour: { kind: 'no-stream', of: 'page' }, code: 'model_no_stream' },
    { name: 'an answer in one piece', behaviour: { kind: 'no-stream', of: 'whole', words }, code: 'model_no_stream' },
    {
      name: 'a refusal that calls itself a success',
      behaviour: { kind: 'no-stream', of: 'error', message: 'insufficient_quota' },
      code: 'model_out_of_funds',
    },
  ]
  test.each(documents)('$name in place of a stream is $code, and not retried', async ({ behaviour, code }) => {
    const { outcome, parts, peer } = await ask(way, [behaviour])
    expect(outcome).toMatchObject({ ending: 'failed', failure: { code } })
    expect(parts).toEqual([])
    expect(peer.requests).toHaveLength(1)
  })
})

describe('the last event of OpenAI’s protocol', () => {
  const server = answeringServer()
  const frame = (fields: object) => ({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', ...fields })
  const events = [
    frame({ choices: [{ index: 0, delta: { content: 'Hello' }, finish_reason: null }] }),
    frame({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }),
    frame({ choices: [], usage: { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 } }),
  ].map((event) => `data: ${JSON.stringify(event)}\n\n`)
  const [, compatible] = providerConnections

  async function partsOf(pieces: readonly string[]): Promise<readonly ProviderPart[]> {
    server.answer = async (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      for (const piece of pieces) {
        response.write(piece)
        await new Promise((resolve) => setTimeout(resolve, 5))
      }
    }
    const { model } = connect(compatible.connections(server.url), compatible.provider)
    const { stream } = await model.doStream({ prompt: [{ role: 'user', content: [{ type: 'text', text: 'Hello?' }] }] })
    const parts: ProviderPart[] = []
    for await (const part of stream) parts.push(part)
    return parts
  }

  test.each([
    ['at once', ['data: [DONE]\n\n']],
    ['in pieces', ['da', 'ta: [DO', 'NE]', '\n\n']],
    ['without a space', ['data:[DONE]\n\n']],
  ])('%s ends it, and the cost of the answer is recorded', async (_name, mark) => {
    const parts = await partsOf([...events, ...mark])
    expect(parts.at(-1)).toMatchObject({ type: 'finish', finishReason: { unified: 'stop' }, usage: { outputTokens: { total: 4 } } })
  })

  test('cannot be produced by a model’s text', async () => {
    const contentFrame = frame({ choices: [{ index: 0, delta: { content: '\ndata: [DONE]\n' }, finish_reason: null }] })
    const parts = await partsOf([`data: ${JSON.stringify(contentFrame)}\n\n`, ...events, 'data: [DONE]\n\n'])
    expect(parts.map((part) => (part.type === 'text-delta' ? part.delta : '')).join('')).toBe('\ndata: [DONE]\nHello')
  })
})

// Gateway events that violate its protocol, with and without tools: optional content is dropped, and everything else is an unreadable
// response that is not retried.
import { describe, expect, test } from 'vitest'
import { textOf } from '../../../worker/contract/threads/messages.ts'
import { answerTo, searchTools } from '../../support/model-run.ts'
import type { Behaviour } from '../../support/peers/peer-server.ts'
import { peersOfTest } from '../../support/peers/peers-of-test.ts'
import { connect, providerConnections } from '../../support/peers/provider-connections.ts'

const peers = peersOfTest()

const [gateway] = providerConnections
const question = 'How do tides work?'
const stopped = { unified: 'stop', raw: 'stop' }

async function ask(isWithTools: boolean, script: readonly Behaviour[]) {
  const peer = await gateway.start(script)
  peers.push(peer)
  const { model } = connect(gateway.connections(peer.url), gateway.provider)
  const { outcome, parts } = await answerTo(question, { model, tools: isWithTools ? searchTools(question) : null })
  return { outcome, parts, text: textOf({ parts }), asked: peer.requests.length }
}

const saying = (...parts: readonly unknown[]): Behaviour => ({ kind: 'answer', words: [], parts })
const begun = { type: 'text-start', id: 't' }
const usages = [
  ['absent', {}],
  ['null', { usage: null }],
  ['empty', { usage: {} }],
  ['of nothing', { usage: { inputTokens: null, outputTokens: null } }],
] as const

describe.each([
  ['a plain call', false],
  ['a call with tools', true],
])('%s', (_call, isWithTools) => {
  test('an answer without a cost is complete', async () => {
    const left = await ask(isWithTools, [{ kind: 'answer', words: ['Hello'], usage: 'missing' }])
    expect([left.outcome, left.text]).toEqual([{ ending: 'completed' }, 'Hello'])
  })

  test.each(usages)('an answer whose cost is %s is complete', async (_usage, usage) => {
    const parts = [begun, { type: 'text-delta', id: 't', delta: 'Hello' }, { type: 'finish', finishReason: stopped, ...usage }]
    const { outcome, text } = await ask(isWithTools, [saying(...parts)])
    expect([outcome, text]).toEqual([{ ending: 'completed' }, 'Hello'])
  })

  test.each<[what: string, part: unknown]>([
    ['words without words', { type: 'text-delta', id: 't' }],
    ['words that are a number', { type: 'text-delta', id: 't', delta: 7 }],
    ['words of no block', { type: 'text-delta', delta: 'Hello' }],
    ['thoughts without words', { type: 'reasoning-delta', id: 'r', delta: null }],
    ['a call without what is asked', { type: 'tool-call', toolCallId: 'c', toolName: 'search' }],
    ['a call of no tool', { type: 'tool-call', toolCallId: 'c', input: '{}' }],
    ['a call in pieces that are none', { type: 'tool-input-delta', id: 'c', delta: {} }],
    ['an end without a reason', { type: 'finish', usage: {} }],
    ['an end for no reason that is known', { type: 'finish', finishReason: 'stop', usage: {} }],
    ['no part', { typ: 'text-delta' }],
    ['a list', [{ type: 'text-delta', id: 't', delta: 'Hello' }]],
    ['a number', 5],
    ['a text', '"Hello"'],
    ['no list of anything', []],
  ])('%s is an unreadable response, and not retried', async (_what, part) => {
    const early = await ask(isWithTools, [saying(part)])
    expect(early).toMatchObject({ outcome: { ending: 'failed', failure: { code: 'model_nonsense' } }, parts: [], asked: 1 })
    const late = await ask(isWithTools, [{ kind: 'answer', words: ['Hello'], parts: [part] }])
    expect(late).toMatchObject({ outcome: { ending: 'failed', failure: { code: 'model_nonsense' } }, text: 'Hello', asked: 1 })
  })

  test('a source without an address is dropped, and an invalid title is ignored', async () => {
    const source = { type: 'source', sourceType: 'url', id: 'source-1' }
    const url = 'https://example.com/'
    const { outcome, parts } = await ask(isWithTools, [
      { kind: 'answer', words: ['Hello'], parts: [source, { ...source, url: 7 }, { ...source, id: 'source-2', url, title: null }] },
    ])
    expect(outcome).toEqual({ ending: 'completed' })
    expect(parts.filter(({ type }) => type === 'source-url')).toEqual([{ type: 'source-url', sourceId: 'source-2', url }])
  })

  test('an error outside of a part is reported as this error', async () => {
    const errorPart = { error: { message: 'No.', code: 402 } }
    const { outcome, text, asked } = await ask(isWithTools, [{ kind: 'answer', words: ['Hello'], parts: [errorPart] }])
    expect([outcome, text, asked]).toMatchObject([{ ending: 'failed', failure: { code: 'model_out_of_funds' } }, 'Hello', 1])
  })

  test('a part of unknown kind does not affect the answer', async () => {
    const { outcome, text, asked } = await ask(isWithTools, [
      { kind: 'answer', words: ['Hello'], parts: [{ type: 'text-mood', mood: 'good' }] },
    ])
    expect([outcome, text, asked]).toEqual([{ ending: 'completed' }, 'Hello', 1])
  })

  test('an answer with unknown parts only is an unreadable response, and not retried', async () => {
    const anthropic = [
      { type: 'message_start', message: { id: 'm', role: 'assistant', content: [] } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hello' } },
      { type: 'message_stop' },
    ]
    const { outcome, asked } = await ask(isWithTools, [{ kind: 'unfinished', words: [], parts: anthropic }])
    expect([outcome, asked]).toMatchObject([{ ending: 'failed', failure: { code: 'model_nonsense' } }, 1])
  })

  test('a start without warnings is accepted', async () => {
    const { outcome, text } = await ask(isWithTools, [
      saying({ type: 'stream-start' }, begun, { type: 'text-delta', id: 't', delta: 'Hello' }, { type: 'finish', finishReason: stopped }),
    ])
    expect([outcome, text]).toEqual([{ ending: 'completed' }, 'Hello'])
  })
})

test.each(usages)('a search whose step has a cost that is %s runs, and is answered', async (_usage, usage) => {
  const call = { type: 'tool-call', toolCallId: 'c', toolName: 'search', input: JSON.stringify({ query: 'tides' }) }
  const step = saying(call, { type: 'finish', finishReason: { unified: 'tool-calls', raw: 'tool_calls' }, ...usage })
  const { outcome, parts, text, asked } = await ask(true, [step, { kind: 'answer', words: ['The moon.'], usage: 'missing' }])
  expect(outcome).toEqual({ ending: 'completed' })
  expect(parts).toContainEqual(expect.objectContaining({ type: 'tool-search', state: 'output-available' }))
  expect([text, asked]).toEqual(['The moon.', 2])
})

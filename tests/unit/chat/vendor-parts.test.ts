// What the gateway sends that is not what its protocol promises, as a plain call and by way of the SDK.
import { afterEach, describe, expect, test } from 'vitest'
import { textOf } from '../../../worker/contract/messages.ts'
import { answerTo, searchTools } from '../../support/model-run.ts'
import type { Behaviour, Peer } from '../../support/peers/peer-server.ts'
import { connect, vendors } from '../../support/peers/vendor-ways.ts'

const peers: Peer[] = []
afterEach(async () => {
  await Promise.all(peers.splice(0).map((peer) => peer.stop()))
})

const [gateway] = vendors
const question = 'How do tides work?'
const stopped = { unified: 'stop', raw: 'stop' }

async function ask(isWithTools: boolean, script: readonly Behaviour[]) {
  const peer = await gateway.start(script)
  peers.push(peer)
  const { model } = connect(gateway.connections(peer.url), gateway.vendor)
  const { outcome, parts } = await answerTo(question, { model, tools: isWithTools ? searchTools(question) : null })
  return { outcome, parts, text: textOf({ parts }), asked: peer.requests.length }
}

const saying = (...parts: readonly object[]): Behaviour => ({ kind: 'answer', words: [], parts })
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
  test('an answer whose cost its vendor leaves out is whole', async () => {
    const left = await ask(isWithTools, [{ kind: 'answer', words: ['Hello'], usage: 'missing' }])
    expect([left.outcome, left.text]).toEqual([{ ending: 'completed' }, 'Hello'])
  })

  test.each(usages)('an answer whose cost is %s is whole', async (_usage, usage) => {
    const parts = [begun, { type: 'text-delta', id: 't', delta: 'Hello' }, { type: 'finish', finishReason: stopped, ...usage }]
    const { outcome, text } = await ask(isWithTools, [saying(...parts)])
    expect([outcome, text]).toEqual([{ ending: 'completed' }, 'Hello'])
  })

  test('an opening without warnings is one', async () => {
    const { outcome, text } = await ask(isWithTools, [
      saying({ type: 'stream-start' }, begun, { type: 'text-delta', id: 't', delta: 'Hello' }, { type: 'finish', finishReason: stopped }),
    ])
    expect([outcome, text]).toEqual([{ ending: 'completed' }, 'Hello'])
  })
})

test.each(usages)('a search whose step has a cost that is %s is made, and answered', async (_usage, usage) => {
  const call = { type: 'tool-call', toolCallId: 'c', toolName: 'search', input: JSON.stringify({ query: 'tides' }) }
  const step = saying(call, { type: 'finish', finishReason: { unified: 'tool-calls', raw: 'tool_calls' }, ...usage })
  const { outcome, parts, text, asked } = await ask(true, [step, { kind: 'answer', words: ['The moon.'], usage: 'missing' }])
  expect(outcome).toEqual({ ending: 'completed' })
  expect(parts).toContainEqual(expect.objectContaining({ type: 'tool-search', state: 'output-available' }))
  expect([text, asked]).toEqual(['The moon.', 2])
})

// Invalid tool calls, through the SDK over a real connection: the outcome of the answer, and that only executed calls are shown.
import { describe, expect, test } from 'vitest'
import { isToolPart, searchOutputOf } from '../../../worker/contract/models/tools.ts'
import { textOf } from '../../../worker/contract/threads/messages.ts'
import { answerTo, searchTools } from '../../support/model-run.ts'
import type { Behaviour } from '../../support/peers/peer-server.ts'
import { peersOfTest } from '../../support/peers/peers-of-test.ts'
import { connect, providerConnections } from '../../support/peers/provider-connections.ts'

const peers = peersOfTest()

const [gateway] = providerConnections
const question = 'How do tides work?'

async function ask(...script: readonly Behaviour[]) {
  const peer = await gateway.start(script)
  peers.push(peer)
  const { model } = connect(gateway.connections(peer.url), gateway.provider)
  const { outcome, parts } = await answerTo(question, { model, tools: searchTools(question) })
  return { outcome, calls: parts.filter(isToolPart), text: textOf({ parts }), asked: peer.requests.map(({ body }) => body) }
}

const saying = (...parts: readonly unknown[]): Behaviour => ({ kind: 'unfinished', words: [], parts })
const call = (query: string, fields: object = {}) => ({
  type: 'tool-call',
  toolCallId: 'c',
  toolName: 'search',
  input: JSON.stringify({ query }),
  ...fields,
})
const finish = (unified: string) => ({ type: 'finish', finishReason: { unified, raw: unified }, usage: {} })
const answerParts = [
  { type: 'text-start', id: 't' },
  { type: 'text-delta', id: 't', delta: 'Hello' },
  { type: 'text-end', id: 't' },
  finish('stop'),
]
const answer: Behaviour = { kind: 'answer', words: ['The moon.'] }

const begun = { type: 'tool-input-start', id: 'c', toolName: 'search' }
const ended = { type: 'tool-input-end', id: 'c' }
test.each([
  ['whole', [call('tides'), call('bread')]],
  ['in pieces', [begun, ended, call('tides'), begun, ended, call('bread')]],
])('two calls with one id, %s, stay separate with their results', async (_how, calls) => {
  const one = await ask(saying(call('tides'), finish('tool-calls')), answer)
  const other = await ask(saying(call('bread'), finish('tool-calls')), answer)
  const both = await ask(saying(...calls, finish('tool-calls')), answer)
  const addresses = ({ calls }: Awaited<ReturnType<typeof ask>>) =>
    calls.map((part) => [part.input, searchOutputOf(part)?.results.map(({ url }) => url)])
  expect(addresses(both)).toEqual([...addresses(one), ...addresses(other)])
  expect(addresses(one)[0]?.[1]).not.toEqual(addresses(other)[0]?.[1])
  // Providers reject a conversation with duplicate ids.
  const callIds = JSON.stringify(both.asked[1]).match(/"toolCallId":"[\w-]+"/g) ?? []
  expect([callIds.length, new Set(callIds).size]).toEqual([4, 2])
})

const results = { results: [{ number: 1, title: 'Mine', url: 'https://provider.example/', site: 'provider.example', snippet: '' }] }
describe('tools executed by the provider are not shown as calls', () => {
  test.each([
    [
      'a search',
      [call('tides', { providerExecuted: true }), { type: 'tool-result', toolCallId: 'c', toolName: 'search', result: results }],
    ],
    ['in pieces', [{ ...begun, providerExecuted: true }, { type: 'tool-input-delta', id: 'c', delta: '{}' }, ended]],
    [
      'a search without a result',
      [call('tides', { providerExecuted: true }), { type: 'tool-result', toolCallId: 'c', toolName: 'search' }],
    ],
    ['a result of no call', [{ type: 'tool-result', toolCallId: 'none', toolName: 'search', result: results }]],
    ['an unknown approval request', [{ type: 'tool-approval-request', approvalId: 'a', toolCallId: 'none' }]],
    ['reasoning parts of an unknown type', [{ type: 'reasoning-file' }, { type: 'custom' }]],
  ])('%s', async (_what, parts) => {
    const { outcome, calls, text, asked } = await ask(saying(...parts, ...answerParts))
    expect([outcome, calls, text, asked.length]).toEqual([{ ending: 'completed' }, [], 'Hello', 1])
  })
})

const nested = (levels: number) => `{"query":${'['.repeat(levels)}${']'.repeat(levels)}}`
test.each([
  ['of a megabyte', call('x'.repeat(1024 * 1024))],
  ['of many levels', call('', { input: nested(5000) })],
])('a call %s is an unreadable response, and not retried', async (_what, part) => {
  const { outcome, asked } = await ask(saying(part, finish('tool-calls')), answer)
  expect([outcome, asked.length]).toMatchObject([{ ending: 'failed', failure: { code: 'model_nonsense' } }, 1])
})

test('brackets in strings do not count as nesting', async () => {
  const { outcome, asked } = await ask(saying(call(`"${'['.repeat(200)}\\`), finish('tool-calls')), answer)
  expect([outcome, asked.length]).toEqual([{ ending: 'completed' }, 2])
})

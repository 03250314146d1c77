// What servers of OpenAI's protocol send beside it, as a plain call and by way of the SDK: errors told in a way of their own, events that are no
// words, and ends.
import { afterEach, describe, expect, test } from 'vitest'
import { completionJudge } from '../../../worker/chat/models/completion-events.ts'
import { judgedLines } from '../../../worker/chat/models/event-lines.ts'
import { type FailureCode, textOf } from '../../../worker/contract/messages.ts'
import { answerTo, searchTools } from '../../support/model-run.ts'
import type { Behaviour, Peer } from '../../support/peers/peer-server.ts'
import { connect, vendors } from '../../support/peers/vendor-ways.ts'

const peers: Peer[] = []
afterEach(async () => {
  await Promise.all(peers.splice(0).map((peer) => peer.stop()))
})

const [, compatible] = vendors
const question = 'How do tides work?'

async function ask(isWithTools: boolean, behaviour: Behaviour) {
  const peer = await compatible.start([behaviour])
  peers.push(peer)
  const { model } = connect(compatible.connections(peer.url), compatible.vendor)
  const { outcome, parts } = await answerTo(question, { model, tools: isWithTools ? searchTools(question) : null })
  return { outcome, text: textOf({ parts }), asked: peer.requests.length }
}

const saying = (...parts: readonly unknown[]): Behaviour => ({ kind: 'answer', words: ['Hello'], parts })

describe.each([
  ['a plain call', false],
  ['a call with tools', true],
])('%s', (_call, isWithTools) => {
  test.each<[what: string, event: unknown]>([
    ['what the answer cost, and nothing else', { usage: { prompt_tokens: 1 } }],
    [
      'what it cost, less than nothing and in pieces',
      { choices: [], usage: { prompt_tokens: -1, completion_tokens: 1.5, total_tokens: 1e300 } },
    ],
    ['no choice', { choices: [] }],
    ['no error', { choices: [], error: null }],
  ])('%s leaves an answer as whole as it was', async (_what, event) => {
    expect(await ask(isWithTools, saying(event))).toEqual({ outcome: { ending: 'completed' }, text: 'Hello', asked: 1 })
    const last = JSON.stringify(event)
    const behind: Behaviour = {
      kind: 'unfinished',
      words: ['Hello'],
      parts: [{ choices: [{ delta: {}, finish_reason: 'stop' }] }, last, '[DONE]'],
    }
    expect(await ask(isWithTools, behind)).toEqual({ outcome: { ending: 'completed' }, text: 'Hello', asked: 1 })
  })

  test('words beside an error that is none are said', async () => {
    const { outcome, text } = await ask(isWithTools, saying({ choices: [{ delta: { content: ' world' } }], error: null }))
    expect([outcome, text]).toEqual([{ ending: 'completed' }, 'Hello world'])
  })

  test.each<[told: unknown, code: FailureCode]>([
    [{ error: 'out of memory' }, 'model_error'],
    [{ error: 'prompt is too long' }, 'conversation_too_long'],
    [{ error: { message: 'No.', code: 'context_length_exceeded' } }, 'conversation_too_long'],
    [{ error: { code: 402 } }, 'model_out_of_funds'],
    [{ error: { status: 429, message: null } }, 'model_busy'],
    [{ error: { type: 'overloaded_error' }, choices: [] }, 'model_busy'],
    [{ object: 'error', message: 'prompt is too long', type: 'BadRequestError', code: 400 }, 'conversation_too_long'],
    [null, 'model_nonsense'],
    [5, 'model_nonsense'],
    ['"x"', 'model_nonsense'],
    [[], 'model_nonsense'],
    [{}, 'model_nonsense'],
    [{ choices: null }, 'model_nonsense'],
  ])('%j is %s, with the text before it kept', async (told, code) => {
    expect(await ask(isWithTools, saying(told))).toMatchObject({
      outcome: { ending: 'failed', failure: { code } },
      text: 'Hello',
      asked: 1,
    })
  })
})

test('nothing is asked for that is not in every server’s protocol', async () => {
  const peer = await compatible.start([{ kind: 'answer', words: ['Hello'] }])
  peers.push(peer)
  const { model } = connect(compatible.connections(peer.url), compatible.vendor)
  await answerTo(question, { model, tools: null })
  expect(Object.keys(peer.requests[0]?.body ?? {}).sort()).toEqual(['messages', 'model', 'stream'])
})

test.each<[word: string, code: FailureCode]>([
  ['error', 'model_error'],
  ['abort', 'model_unreachable'],
  ['network_error', 'model_unreachable'],
  ['insufficient_system_resource', 'model_busy'],
  ['model_length', 'model_length'],
  ['max_tokens', 'model_length'],
  ['sensitive', 'model_filtered'],
  ['SAFETY', 'model_filtered'],
])('an answer that ends by “%s” is %s, with its text kept', async (word, code) => {
  const end = [{ choices: [{ delta: {}, finish_reason: word }] }, '[DONE]']
  for (const isWithTools of [false, true])
    expect(await ask(isWithTools, { kind: 'unfinished', words: ['Hello'], parts: end })).toMatchObject({
      outcome: { ending: 'failed', failure: { code } },
      text: 'Hello',
      asked: 1,
    })
})

test('an answer that its server gave up before the first word is asked for again', async () => {
  const end = [{ choices: [{ delta: {}, finish_reason: 'abort' }] }, '[DONE]']
  expect((await ask(false, { kind: 'unfinished', words: [], parts: end })).asked).toBe(3)
})

test.each(['', 'null'])('an answer of whose pieces each ends by “%s” has not ended when its connection does', async (word) => {
  const pieces = ['Hello', ' world'].map((content) => ({ choices: [{ delta: { content }, finish_reason: word }] }))
  const cut = await ask(false, { kind: 'unfinished', words: [], parts: pieces })
  expect(cut).toMatchObject({ outcome: { failure: { code: 'model_unreachable' } }, text: 'Hello world' })
  const end = { choices: [{ delta: {}, finish_reason: 'stop' }] }
  expect((await ask(false, { kind: 'unfinished', words: [], parts: [...pieces, end] })).outcome).toEqual({ ending: 'completed' })
})

test('an answer that ends by a word that nobody knows is whole', async () => {
  const end = [{ choices: [{ delta: {}, finish_reason: 'eos_token' }] }, '[DONE]']
  expect((await ask(false, { kind: 'unfinished', words: ['Hello'], parts: end })).outcome).toEqual({ ending: 'completed' })
})

test('behind an event that cannot be read none is looked at', () => {
  const judge = completionJudge()
  const usage = '{"usage":{}}'
  expect([usage, '{"choices":[]}', 'x', usage].map(judge)).toEqual([null, '{"choices":[]}', 'x', usage])
})

describe('lines that are looked at', () => {
  const utf8 = new TextEncoder()
  const passedOf = async (text: string, size: number, judge = (data: string): string | null => data) => {
    const bytes = utf8.encode(text)
    const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) => bytes.slice(at * size, (at + 1) * size))
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        const piece = pieces.shift()
        if (piece) controller.enqueue(piece)
        else controller.close()
      },
    })
    return new Response(judgedLines(body, judge)).text()
  }

  test.each([1, 3, 1000])('in pieces of %i are passed on whole, changed, dropped, or end all', async (size) => {
    const sent = ': hello\r\nevent: message\r\ndata: {"a":"Grüße"}\r\n\r\ndata:2\n\ndata: 3\n\ndata: 4\n\n'
    expect(await passedOf(sent, size)).toBe(': hello\nevent: message\ndata: {"a":"Grüße"}\n\ndata: 2\n\ndata: 3\n\ndata: 4\n\n')
    const judge = (data: string) => {
      if (data === '4') throw new Error('no')
      return data === '2' ? null : data === '3' ? 'three' : data
    }
    expect(await passedOf(sent, size, judge)).toBe(': hello\nevent: message\ndata: {"a":"Grüße"}\n\n\ndata: three\n\n')
  })

  test.each([1, 1000])('in pieces of %i: nothing follows the last mark, and what was cut off is not passed on', async (size) => {
    expect(await passedOf('data: 1\n\ndata: [DONE]\n\ndata: 2\n\n', size)).toBe('data: 1\n\ndata: [DONE]\n')
    expect(await passedOf('data: 1\n\ndata: [DONE]', size)).toBe('data: 1\n\ndata: [DONE]\n')
    expect(await passedOf('data: 1\n\ndata: {"a":', size)).toBe('data: 1\n\n')
    expect(await passedOf('data: 1\n\ndata: {"a":2}', size)).toBe('data: 1\n\ndata: {"a":2}\n')
  })
})

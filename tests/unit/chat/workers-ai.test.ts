// Failures of Cloudflare's models behind their binding, through the real provider: the same outcomes as of other providers.
import { describe, expect, test } from 'vitest'
import { type Outcome, runModel } from '../../../worker/chat/model/call.ts'
import { connectModel } from '../../../worker/chat/model/providers.ts'
import { ChunkWriter } from '../../../worker/chat/turn/chunk-writer.ts'
import { askForTitle } from '../../../worker/chat/turn/title.ts'
import { smallModels } from '../../../worker/contract/models/small-models.ts'
import { applyChunk } from '../../../worker/contract/threads/message-stream.ts'
import { type FailureCode, type MessagePart, textOf } from '../../../worker/contract/threads/messages.ts'
import { none } from '../../support/peers/provider-connections.ts'
import { workersAiBinding } from '../../support/peers/workers-ai.ts'

const utf8 = new TextEncoder()

const event = (value: unknown): string => `data: ${typeof value === 'string' ? value : JSON.stringify(value)}\n\n`
const words = ['Hello ', 'big ', 'world']
const helloEvents = words.map((response) => event({ response })).join('')

/** Sends this, and then ends, breaks, or stalls. */
const streamOf = (text: string, then: 'end' | 'break' | 'stall'): ReadableStream<Uint8Array> => {
  const chunks = text === '' ? [] : [utf8.encode(text)]
  return new ReadableStream({
    pull(controller) {
      const chunk = chunks.shift()
      if (chunk) return controller.enqueue(chunk)
      if (then === 'end') return controller.close()
      if (then === 'break') return controller.error(new TypeError('Network connection lost.'))
      return new Promise<void>(() => {})
    },
  })
}

async function ask(run: () => Promise<unknown>): Promise<{ readonly outcome: Outcome; readonly text: string; readonly calls: number }> {
  let calls = 0
  const binding = {
    run: () => {
      calls += 1
      return run()
    },
  } as unknown as Ai
  const connected = connectModel(
    { ...none, modelSilenceMs: 400, workersAi: binding },
    { provider: 'workers-ai', model: '@cf/meta/llama', name: 'Llama' },
  )
  if (!connected) throw new Error('a bound model is connected')
  let parts: readonly MessagePart[] = []
  const writer = new ChunkWriter((chunk) => {
    parts = applyChunk(parts, chunk)
  }, Date.now)
  const outcome = await runModel(
    { model: connected.model, instructions: '', messages: [{ role: 'user', content: 'Hello?' }], tools: null },
    {
      writer,
      signal: new AbortController().signal,
      nowMs: Date.now,
      maxRetries: 0,
    },
  )
  writer.finishStep()
  return { outcome, text: textOf({ parts }), calls }
}

test('an answer arrives completely', async () => {
  expect(await ask(async () => streamOf(`${helloEvents}${event('[DONE]')}`, 'end'))).toEqual({
    outcome: { ending: 'completed' },
    text: 'Hello big world',
    calls: 1,
  })
})

describe('the stream of newer models', () => {
  const delta = (fields: object, usage?: object) =>
    event({
      id: 'c',
      object: 'chat.completion.chunk',
      choices: [{ index: 0, delta: fields, finish_reason: null }],
      ...(usage && { usage }),
    })
  const last = event({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })
  /** Workers AI adds the counts of the whole request to a chunk of the older format. */
  const counts = event({ response: '', usage: { prompt_tokens: 23, completion_tokens: 4, total_tokens: 27 } })

  test('has reasoning, text and counts in chunks, and ends with the counts of the request', async () => {
    const chunk = { prompt_tokens: 0, completion_tokens: 1, total_tokens: 1 }
    const events = `${delta({ role: 'assistant', reasoning_content: 'Hm. ' }, chunk)}${words.map((content) => delta({ content }, chunk)).join('')}${last}${counts}${event('[DONE]')}`
    expect(await ask(async () => streamOf(events, 'end'))).toEqual({
      outcome: { ending: 'completed' },
      text: 'Hello big world',
      calls: 1,
    })
  })

  test.each<[string, object, FailureCode]>([
    ['an error of the model', { error: { message: 'The engine failed.', code: 500 } }, 'model_error'],
    ['no capacity', { error: { message: 'Capacity temporarily exceeded, please try again.', code: 429 } }, 'model_busy'],
    ['an error without a code', { error: 'The engine failed.' }, 'model_error'],
  ])('that ends with %s keeps its text', async (_name, error, code) => {
    const events = `${words.map((content) => delta({ content })).join('')}${event(error)}${event('[DONE]')}`
    expect(await ask(async () => streamOf(events, 'end'))).toMatchObject({
      outcome: { ending: 'failed', failure: { code } },
      text: 'Hello big world',
    })
  })
})

test.each<[string, FailureCode]>([
  ['3040: Capacity temporarily exceeded, please try again.', 'model_busy'],
  ['3036: You have used up your daily free allocation of 10,000 neurons', 'model_busy'],
  ['3007: Request timeout', 'model_unreachable'],
])('the binding rejects a request with %s', async (message, code) => {
  expect(await ask(() => Promise.reject(new Error(message)))).toMatchObject({ outcome: { ending: 'failed', failure: { code } }, text: '' })
})

test('a small model of Workers AI writes the titles of its threads', async () => {
  const { binding, asked } = workersAiBinding(['"Autumn', ': a poem"'])
  const connected = connectModel({ ...none, workersAi: binding }, { provider: 'workers-ai', model: '@cf/large', name: 'Large' })
  if (!connected) throw new Error('a bound model is connected')
  expect(await askForTitle(connected.small().model, 'Write a poem', new AbortController().signal)).toBe('Autumn a poem')
  expect(asked).toMatchObject([{ name: smallModels['workers-ai'].model, inputs: { max_tokens: 1000 } }])
  expect(connected.small().requested).toMatchObject({ provider: 'workers-ai', outputMicroDollarsPerMillionTokens: 112_000 })
})

const nothingKept = /^$/
const allKept = /^Hello big world$/
type ProviderFault = readonly [name: string, run: () => Promise<unknown>, code: FailureCode, kept: RegExp]
const faults: readonly ProviderFault[] = [
  ['a binding that throws', () => Promise.reject(new Error('5007: No such model')), 'model_error', nothingKept],
  ['an end without a word', async () => streamOf(event('[DONE]'), 'end'), 'model_empty', nothingKept],
  // Text in transit is lost with the connection; earlier text is kept.
  ['a connection that breaks', async () => streamOf(helloEvents, 'break'), 'model_unreachable', /^Hello (big (world)?)?$/],
  ['an end without an end event', async () => streamOf(helloEvents, 'end'), 'model_unreachable', allKept],
  ['an end in the middle of an event', async () => streamOf(`${helloEvents}data: {"respon`, 'end'), 'model_unreachable', allKept],
  [
    'its filter',
    async () => streamOf(`${helloEvents}${event({ choices: [{ delta: {}, finish_reason: 'content_filter' }] })}`, 'end'),
    'model_filtered',
    allKept,
  ],
  ['silence from the start', async () => streamOf('', 'stall'), 'model_silent', nothingKept],
  ['silence in the middle', async () => streamOf(helloEvents, 'stall'), 'model_silent', allKept],
]

test.each(['null', '5', '{not JSON'])('an event %s is unreadable, and the text before it is kept', async (data) => {
  expect(await ask(async () => streamOf(`${helloEvents}${event(data)}${event('[DONE]')}`, 'end'))).toMatchObject({
    outcome: { ending: 'failed', failure: { code: 'model_nonsense' } },
    text: 'Hello big world',
  })
})

test('an event without text is skipped, and an error is reported', async () => {
  const answered = (data: object) => ask(async () => streamOf(`${helloEvents}${event(data)}${event('[DONE]')}`, 'end'))
  expect(await answered({ response: {} })).toMatchObject({ outcome: { ending: 'completed' }, text: 'Hello big world' })
  expect(await answered({ error: { message: 'No.', code: 402 } })).toMatchObject({
    outcome: { ending: 'failed', failure: { code: 'model_out_of_funds' } },
    text: 'Hello big world',
  })
})

test('a number as text, and an answer in one piece, are text', async () => {
  expect(await ask(async () => streamOf(`${event({ response: 4 })}${event({ response: 2 })}${event('[DONE]')}`, 'end'))).toMatchObject({
    outcome: { ending: 'completed' },
    text: '42',
  })
  expect(await ask(async () => ({ response: 'Hello' }))).toMatchObject({ outcome: { ending: 'completed' }, text: 'Hello' })
})

describe('failures are reported, and received text is kept', () => {
  test.each(faults)('%s', async (_name, run, code, kept) => {
    expect(await ask(run)).toEqual({
      outcome: { ending: 'failed', failure: expect.objectContaining({ code }), error: expect.anything() },
      text: expect.stringMatching(kept),
      calls: 1,
    })
  })
})

test('an event without an end is read up to the size limit', async () => {
  let pulled = 0
  const left = Promise.withResolvers<void>()
  const piece = utf8.encode('x'.repeat(1024 * 1024))
  const endless = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(utf8.encode(helloEvents)),
    pull(controller) {
      pulled += 1
      controller.enqueue(piece)
      if (pulled === 64) controller.close()
    },
    cancel: () => left.resolve(),
  })
  expect(await ask(async () => endless)).toMatchObject({
    outcome: { ending: 'failed', failure: { code: 'model_nonsense' } },
    text: 'Hello big world',
    calls: 1,
  })
  await left.promise
  expect(pulled).toBeLessThan(16)
})

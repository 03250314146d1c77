// Limits on what a model server sends: a document, a refusal, an event, a stream, a tool call.
import { afterEach, expect, test, vi } from 'vitest'
import { boundedEvents, maxEventBytes } from '../../../worker/chat/model/bounded-connection.ts'
import { runModelForText } from '../../../worker/chat/model/call.ts'
import { SilentModelError } from '../../../worker/chat/model/errors.ts'
import { failureOf } from '../../../worker/chat/model/failures.ts'
import { askForTitle } from '../../../worker/chat/turn/title.ts'
import { answerTo } from '../../support/model-run.ts'
import { answeringServer } from '../../support/peers/answering-server.ts'
import { flood } from '../../support/peers/flood.ts'
import { connect, providerConnections } from '../../support/peers/provider-connections.ts'
import { streamingModel } from '../../support/scripted-model.ts'

const server = answeringServer()
afterEach(() => vi.useRealTimers())

const codeOf = (asked: Promise<unknown>): Promise<unknown> => asked.then(JSON.stringify, (error: unknown) => failureOf(error).code)
const signal = new AbortController().signal
const silenceMs = 60_000

test.each(providerConnections)('$provider: reads an endless title up to its limit', async ({ provider, connections }) => {
  for (const of of ['line', 'packed'] as const) {
    server.answer = (response) => void flood(response, of, '{"choices":[{"message":{"content":"')
    const { model } = connect(connections(server.url), provider)
    expect([of, await codeOf(askForTitle(model, 'hello', signal))]).toEqual([of, 'model_nonsense'])
  }
})

test.each(providerConnections)('$provider: an endless refusal keeps its status', async ({ provider, connections }) => {
  for (const [status, code] of [
    [401, 'model_refused_key'],
    [503, 'model_busy'],
  ] as const) {
    server.answer = (response) => void flood(response, 'packed', '{"error":{"message":"no', status)
    const { model } = connect(connections(server.url), provider)
    expect((await answerTo('hello', { model, tools: null })).outcome).toMatchObject({ failure: { code } })
  }
})

test('reads an endless tool call up to its limit', async () => {
  const delta = (fields: object) => `data: ${JSON.stringify({ choices: [{ index: 0, delta: { tool_calls: [fields] } }] })}\n\n`
  server.answer = (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(delta({ index: 0, id: 'call', type: 'function', function: { name: 'search', arguments: '{"query":"' } }))
    const more = delta({ index: 0, function: { arguments: 'x'.repeat(10_000) } })
    const goOn = (): void => {
      while (!response.destroyed && response.write(more));
      response.once('drain', goOn)
    }
    goOn()
  }
  const [, compatible] = providerConnections
  const { model } = connect(compatible.connections(server.url), compatible.provider)
  expect((await answerTo('hello', { model, tools: null })).outcome).toMatchObject({ failure: { code: 'model_nonsense' } })
})

test('ends text that is not shown at the size limit of an answer', async () => {
  const words = Array.from({ length: 20 }, () => ({ type: 'text-delta' as const, id: 't', delta: 'x'.repeat(100_000) }))
  const model = streamingModel(() => [{ type: 'text-start', id: 't' }, ...words])
  const host = { writer: undefined as never, signal, nowMs: Date.now }
  const result = await runModelForText({ model, instructions: '', messages: [{ role: 'user', content: 'x' }] }, host)
  expect(result).toMatchObject({ outcome: { ending: 'failed', failure: { code: 'model_nonsense' } } })
})

/** The forwarded text, and the errors that ended it. */
async function passed(pieces: Iterable<Uint8Array>) {
  const errors: Error[] = []
  const source = pieces[Symbol.iterator]()
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const { done, value } = source.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
  })
  const bounded = boundedEvents(body, { silenceMs, onViolation: (error) => errors.push(error) })
  let bytes = 0
  for await (const piece of bounded) bytes += piece.byteLength
  return { bytes, errors: errors.length }
}

const utf8 = new TextEncoder()

test.each(['\n', '\r\n', '\r'])('an event ends with an empty line, however its bytes are split (line ends %j)', async (end) => {
  const event = utf8.encode(`: hello${end}${end}data: a${end}data: ${'b'.repeat(maxEventBytes / 2)}${end}${end}`)
  const pieces = function* () {
    for (let count = 0; count < 3; count++) for (let at = 0; at < event.length; at += 65_537) yield event.slice(at, at + 65_537)
  }
  expect(await passed(pieces())).toEqual({ bytes: 3 * event.length, errors: 0 })
})

test('ends the stream at an event, and at a total size, above the limit', async () => {
  const endless = function* (piece: string) {
    const bytes = utf8.encode(piece)
    for (;;) yield bytes
  }
  const oneEvent = await passed(endless('x'.repeat(1024 * 1024)))
  expect(oneEvent).toEqual({ bytes: expect.any(Number), errors: 1 })
  expect(oneEvent.bytes).toBeLessThanOrEqual(maxEventBytes)
  expect(await passed(endless('\n'.repeat(1024 * 1024)))).toEqual({ bytes: 256 * 1024 * 1024, errors: 1 })
})

test('ends the stream at the end mark of the OpenAI protocol, however it is split', async () => {
  const text = 'data: {"said":"data: [DONE]"}\n\ndata: [DONE]\n\n'
  for (let size = 1; size <= text.length; size++) {
    const pieces = text.match(new RegExp(`.{1,${size}}`, 'gs')) ?? []
    const after = utf8.encode('data: more\n\n'.repeat(100))
    const { bytes, errors } = await passed([...pieces.map((piece) => utf8.encode(piece)), after])
    expect([size, bytes <= text.length, errors]).toEqual([size, true, 0])
  }
})

test('ends a stream that sends no byte for the limit; a comment is enough, and only the wait of a reader counts', async () => {
  vi.useFakeTimers()
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
  const server = writable.getWriter()
  const errors: Error[] = []
  const reader = boundedEvents(readable, { silenceMs, onViolation: (error) => errors.push(error) }).getReader()
  for (let comments = 0; comments < 3; comments++) {
    await vi.advanceTimersByTimeAsync(2 * silenceMs)
    const read = reader.read()
    await vi.advanceTimersByTimeAsync(silenceMs - 1)
    void server.write(utf8.encode(': keep-alive\n\n'))
    expect((await read).done).toBe(false)
  }
  expect(errors).toEqual([])
  const last = reader.read()
  await vi.advanceTimersByTimeAsync(silenceMs)
  expect((await last).done).toBe(true)
  expect(errors).toEqual([expect.any(SilentModelError)])
  await expect(server.closed).rejects.toBeUndefined()
})

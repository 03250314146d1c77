// What a server of models may send, by whatever package it is asked: an answer in one piece, a refusal, an event, a stream, a tool's call.
import { expect, test } from 'vitest'
import { failureOf } from '../../../worker/chat/failures.ts'
import { boundedModel, createEventCounter } from '../../../worker/chat/models/bounded-answers.ts'
import type { VendorModel } from '../../../worker/chat/models/vendor-model.ts'
import { callPlainly } from '../../../worker/chat/plain-call.ts'
import { quietCall } from '../../../worker/chat/research/quiet-call.ts'
import { later } from '../../../worker/chat/storage.ts'
import { askForTitle } from '../../../worker/chat/title.ts'
import { answeringServer } from '../../support/peers/answering-server.ts'
import { flood } from '../../support/peers/flood.ts'
import { connect, vendors } from '../../support/peers/vendor-ways.ts'
import { scriptedModel, streamingModel } from '../../support/scripted-model.ts'

const server = answeringServer()

const codeOf = (asked: Promise<unknown>): Promise<unknown> => asked.then(JSON.stringify, (error: unknown) => failureOf(error).code)
const signal = new AbortController().signal
const unheard = { began: () => {}, heard: () => {}, prose: () => {}, source: () => {}, file: async () => {} }
const prompt = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'hello' }] }]

test.each(vendors)('$vendor: a title without an end is read no further than one may be long', async ({ vendor, connections }) => {
  for (const of of ['line', 'packed'] as const) {
    server.answer = (response) => void flood(response, of, '{"choices":[{"message":{"content":"')
    const { model } = connect(connections(server.url), vendor)
    expect([of, await codeOf(askForTitle(model, 'hello', signal))]).toEqual([of, 'model_nonsense'])
  }
})

test.each(vendors)('$vendor: a refusal without an end is still that refusal', async ({ vendor, connections }) => {
  for (const [status, code] of [
    [401, 'model_refused_key'],
    [503, 'model_busy'],
  ] as const) {
    server.answer = (response) => void flood(response, 'packed', '{"error":{"message":"no', status)
    const { model } = connect(connections(server.url), vendor)
    expect([status, await codeOf(callPlainly(model, { prompt }, unheard))]).toEqual([status, code])
  }
})

test('a call of a tool without an end is read no further than one may be long', async () => {
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
  const [, compatible] = vendors
  const { model } = connect(compatible.connections(server.url), compatible.vendor)
  expect(await codeOf(callPlainly(model, { prompt }, unheard))).toBe('model_nonsense')
})

test('a text that nobody is shown ends where an answer would', async () => {
  const words = Array.from({ length: 20 }, () => ({ type: 'text-delta' as const, id: 't', delta: 'x'.repeat(100_000) }))
  const model = streamingModel(() => [{ type: 'text-start', id: 't' }, ...words])
  const host = { writer: undefined as never, signal, later, nowMs: Date.now }
  const said = await quietCall({ model, instructions: '', messages: [{ role: 'user', content: 'x' }] }, host)
  expect(said).toMatchObject({ outcome: { ending: 'failed', failure: { code: 'model_nonsense' } } })
})

test('events that end are read on until they are more than any answer takes, and an answer in one piece not half as far', async () => {
  const piece = new Uint8Array(1024 * 1024).fill(10)
  const bodies = () => new ReadableStream<Uint8Array>({ pull: (controller) => controller.enqueue(piece) })
  const handed: (typeof fetch)[] = []
  const keep = (by: typeof fetch): VendorModel => {
    handed.push(by)
    return scriptedModel({})
  }
  const model = boundedModel(keep, async () => new Response(bodies()))
  // What is asked in one piece is handed its way to the server when it is asked.
  await expect(model.doGenerate({ prompt })).rejects.toThrow('only streams')
  const read: number[] = []
  for (const by of handed) {
    const reader = (await by('http://peer')).body?.getReader()
    let pieces = 0
    const readOn = async (): Promise<void> => {
      for (; !(await reader?.read())?.done; pieces++);
    }
    expect(await codeOf(readOn())).toBe('model_nonsense')
    read.push(pieces)
  }
  expect(read.toSorted((a, b) => a - b)).toEqual([3, 256])
})

test.each(['\n', '\r\n', '\r'])('an event ends with an empty line, however its bytes are cut (line ends %j)', (end) => {
  const bytes = new TextEncoder().encode(`: hello${end}${end}data: a${end}data: b${end}${end}data: half`)
  for (let size = 1; size <= bytes.length; size++) {
    const { count, start } = createEventCounter()
    let open = 0
    for (let at = 0; at < bytes.length; at += size) open = count(bytes.slice(at, at + size))
    expect([size, open, start()]).toEqual([size, 'data: half'.length, 'data: half'])
  }
})

// Words from the gateway's connection without the SDK's streams: the same events however the bytes fall, the same failures.
import { expect, test } from 'vitest'
import { failureOf } from '../../../worker/chat/failures.ts'
import { readEventData } from '../../../worker/chat/models/event-data.ts'
import { gatewayModel } from '../../../worker/chat/models/gateway-model.ts'
import type { VendorPart } from '../../../worker/chat/models/vendor-model.ts'
import { answeringServer } from '../../support/peers/answering-server.ts'

const server = answeringServer()

const said = [
  { type: 'stream-start', warnings: [] },
  { type: 'text-start', id: 't' },
  { type: 'text-delta', id: 't', delta: 'Grüße, 世界\n' },
  { type: 'text-end', id: 't' },
  { type: 'finish', finishReason: { unified: 'stop', raw: 'stop' }, usage: {} },
]
const wire = (newline: string) =>
  `: hello${newline}${said.map((part) => `event: message${newline}data: ${JSON.stringify(part)}${newline}${newline}`).join('')}data:[DONE]${newline}${newline}`

async function eventsOf(pieces: readonly Uint8Array[]): Promise<string[]> {
  const events: string[] = []
  await readEventData(streamOf(pieces), (data) => events.push(data) > 0)
  return events
}

const streamOf = (pieces: readonly Uint8Array[]) =>
  new ReadableStream({
    type: 'bytes',
    start(controller) {
      for (const piece of pieces) controller.enqueue(piece)
      controller.close()
    },
  })

async function heardOf(stopsAt = Number.POSITIVE_INFINITY) {
  const heard: VendorPart[] = []
  let began = 0
  const model = gatewayModel({ apiKey: 'key', url: server.url }, 'a/model', fetch)
  const prompt = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'hello' }] }]
  await model.listen?.(
    { prompt },
    () => {
      began++
    },
    (part) => heard.push(part) < stopsAt,
  )
  return { heard, began }
}
const failing = (): Promise<unknown> =>
  heardOf().then(
    () => null,
    (error: unknown) => failureOf(error).code,
  )

test.each(['\n', '\r\n'])('an event is the same wherever its bytes are cut (line ends %j)', async (newline) => {
  const bytes = new TextEncoder().encode(wire(newline))
  for (const size of [1, 2, 3, 7, bytes.length]) {
    const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) => bytes.slice(at * size, (at + 1) * size))
    expect([size, await eventsOf(pieces)]).toEqual([size, [...said.map((part) => JSON.stringify(part)), '[DONE]']])
  }
})

test('data of several lines is one event, and an event that was cut off is none', async () => {
  expect(await eventsOf([new TextEncoder().encode('data: a\ndata: b\n\nid: 7\n\ndata: half')])).toEqual(['a\nb'])
})

test.each(['x', 'data: x\n'])('an event that goes on with %j and has no end is read no further than one may be long', async (piece) => {
  const sent = new TextEncoder().encode(piece.repeat(10_000))
  const endless = new ReadableStream({ type: 'bytes', pull: (controller) => controller.enqueue(sent.slice()) })
  const refused = await readEventData(endless, () => true).catch((error: unknown) => error)
  expect(failureOf(refused).code).toBe('model_nonsense')
})

test('what the vendor says is heard part by part, until nobody wants to hear more', async () => {
  server.answer = (response) => response.writeHead(200, { 'content-type': 'text/event-stream' }).end(wire('\n'))
  expect(await heardOf()).toEqual({ heard: said, began: 1 })
  expect((await heardOf(2)).heard).toHaveLength(2)
})

test('a refusal, nonsense and a connection that breaks are told apart, as by the SDK', async () => {
  server.answer = (response) =>
    response.writeHead(401, { 'content-type': 'application/json' }).end('{"error":{"message":"no","type":"authentication_error"}}')
  expect(await failing()).toBe('model_refused_key')
  server.answer = (response) =>
    response.writeHead(429, { 'content-type': 'application/json' }).end('{"error":{"message":"slow","type":"rate_limit_exceeded"}}')
  expect(await failing()).toBe('model_busy')
  server.answer = (response) => response.writeHead(200, { 'content-type': 'text/event-stream' }).end('data: {"type":\n\n')
  expect(await failing()).toBe('model_nonsense')
  server.answer = (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: {"type":"text-start","id":"t"}\n\n')
    setTimeout(() => response.destroy(), 20)
  }
  expect(await failing()).toBe('model_unreachable')
})

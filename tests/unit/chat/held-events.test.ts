// Pictures in one event each, from the connection of a vendor: as large as one that is kept, a few at a time, and what is said of a larger one.
import { expect, onTestFinished, test, vi } from 'vitest'
import { ChunkWriter } from '../../../worker/chat/chunk-writer.ts'
import { failureOf } from '../../../worker/chat/failures.ts'
import { boundedEvents } from '../../../worker/chat/models/bounded-answers.ts'
import { readEventData } from '../../../worker/chat/models/event-data.ts'
import { HeldEvent, maxEventChars, maxPictureEventChars } from '../../../worker/chat/models/held-events.ts'
import { runModel } from '../../../worker/chat/run.ts'
import { later } from '../../../worker/chat/storage.ts'
import { modelSilenceMs } from '../../../worker/contract/limits.ts'
import { maxMadeFileBytes } from '../../../worker/contract/made-files.ts'
import type { StreamChunk } from '../../../worker/contract/message-stream.ts'
import { connect, vendors } from '../../support/peers/vendor-ways.ts'

const letters = Math.ceil(maxMadeFileBytes / 3) * 4
const starts = [
  '{"type":"file","mediaType":"image/png","data":{"type":"data","data":"',
  '{"data":"iVBORw0KGgo',
  '{"choices":[{"delta":{"images":[{"image_url":{"url":"data:image/png;base64,',
]
const pieceBytes = 64 * 1024
/** Only what never comes is wrong, and a busy machine takes its time. */
const patience = { timeout: 45_000 }

/** `start`, and then letters to the number of `chars` or for ever; `pulled` tells how many are asked for. */
function bodyOf(start: string, chars: number, end = '"}\n\n', pulled: (chars: number) => void = () => undefined) {
  const utf8 = new TextEncoder()
  let sent = -1
  return new ReadableStream({
    type: 'bytes',
    pull(controller) {
      if (sent === -1) controller.enqueue(utf8.encode(`data: ${start}`))
      else if (sent < chars) controller.enqueue(utf8.encode('A'.repeat(Math.min(pieceBytes, chars - sent))))
      else {
        controller.enqueue(utf8.encode(end))
        controller.close()
      }
      sent = Math.max(0, sent + (sent === -1 ? 1 : pieceBytes))
      pulled(sent)
    },
  })
}

const byUs = (body: ReadableStream<Uint8Array>, heard: (data: string) => boolean | Promise<boolean> = () => true) =>
  readEventData(body, heard)
const bySdk = async (body: ReadableStream<Uint8Array>) => void (await new Response(boundedEvents(body)).arrayBuffer())

test('the largest picture is read whole, in each way that a vendor writes one', async () => {
  for (const start of starts) {
    const sizes: number[] = []
    await byUs(bodyOf(start, letters), (data) => sizes.push(data.length) > 0)
    expect(sizes).toEqual([start.length + letters + 2])
    await bySdk(bodyOf(start, letters))
  }
})

test.each([
  ['a picture', starts[0] ?? '', 'made_file_too_large', maxPictureEventChars],
  ['anything else', '{"type":"text-delta","delta":"', 'model_nonsense', maxEventChars],
])('%s without an end is read no further than one may be long, and what is said of it names it', async (_what, start, code, max) => {
  for (const read of [byUs, bySdk]) {
    let asked = 0
    const endless = bodyOf(start, Number.POSITIVE_INFINITY, '', (chars) => (asked = chars))
    const error = await read(endless).catch((caught: unknown) => caught)
    expect(failureOf(error).code).toBe(code)
    expect(asked).toBeGreaterThan(max - pieceBytes)
    expect(asked).toBeLessThan(max + 4 * pieceBytes)
  }
})

test('two large pictures are read at a time, others wait at their connections, and words wait for nobody', async () => {
  const release: (() => void)[] = []
  const progress = [0, 0, 0]
  const read = progress.map((_, at) =>
    byUs(
      bodyOf(starts[0] ?? '', letters, '"}\n\n', (chars) => (progress[at] = chars)),
      () => new Promise((resolve) => release.push(() => resolve(true))),
    ),
  )
  await vi.waitFor(() => expect(release).toHaveLength(2), patience)
  const waiting = progress.filter((chars) => chars < letters)
  expect(waiting).toHaveLength(1)
  expect(Math.max(...waiting)).toBeLessThan(1024 * 1024)
  const words: string[] = []
  await byUs(bodyOf('{"type":"text-delta","delta":"', 3), (data) => words.push(data) > 0)
  expect(words).toHaveLength(1)
  release[0]?.()
  await vi.waitFor(() => expect(release).toHaveLength(3), patience)
  for (const go of release) go()
  await Promise.all(read)
})

test('whoever leaves in the middle of a picture, or is told that it is too large, gives its place back', async () => {
  for (let times = 0; times < 3; times++) {
    const reader = boundedEvents(bodyOf(starts[0] ?? '', Number.POSITIVE_INFINITY)).getReader()
    for (let at = 0; at < 20; at++) await reader.read()
    await reader.cancel()
    await byUs(bodyOf(starts[0] ?? '', Number.POSITIVE_INFINITY)).catch(() => undefined)
  }
  await byUs(bodyOf(starts[0] ?? '', letters))
})

test('the place of a stream that was forgotten is taken by another', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
  const forgotten = [new HeldEvent(), new HeldEvent()]
  for (const event of forgotten) await event.goOn(1024 * 1024, () => '')
  const next = new HeldEvent()
  let hasPlace = false
  const waiting = next.goOn(1024 * 1024, () => '').then(() => (hasPlace = true))
  vi.setSystemTime(Date.now() + modelSilenceMs)
  expect(hasPlace).toBe(false)
  vi.setSystemTime(Date.now() + 1)
  await waiting
  for (const event of [...forgotten, next]) event.release()
})

test.each(vendors)('an event that waits for its place is no silence of its model: $vendor', async ({ vendor, start, connections }) => {
  const silenceMs = 500
  const letter = 'a'.repeat(600 * 1024)
  const peer = await start([{ kind: 'answer', words: [letter] }])
  onTestFinished(() => peer.stop())
  const { model } = connect(connections(peer.url), vendor)
  const others = [new HeldEvent(), new HeldEvent()]
  for (const event of others) await event.goOn(1024 * 1024, () => '')
  const letGo = () => others.forEach((event) => void event.release())
  onTestFinished(letGo)
  let chars = 0
  const emit = (chunk: StreamChunk) => {
    if (chunk.type === 'text-delta') chars += chunk.delta.length
  }
  const answer = runModel(
    { model, instructions: '', messages: [{ role: 'user', content: 'A' }], tools: null },
    { writer: new ChunkWriter(emit, Date.now), signal: new AbortController().signal, later, nowMs: Date.now, silenceMs },
  )
  later(3 * silenceMs, letGo)
  expect(await answer).toEqual({ ending: 'completed' })
  expect(chars).toBe(letter.length)
})

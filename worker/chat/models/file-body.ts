/**
 * Puts files into a request while it is sent. The SDK writes a body with placeholders in its strings; here each becomes what it stands
 * for, in base64 or as the text of a JSON string, straight from the store and never whole in memory.
 */
import { base64Of } from '../../lib/base64.ts'

export type FileSlot = {
  readonly encoding: 'base64' | 'text'
  readonly sizeBytes: number
  readonly open: () => Promise<ReadableStream<Uint8Array>>
}

/** By placeholder. */
export type FileSlots = ReadonlyMap<string, FileSlot>

type Piece = { readonly text: string } | { readonly slot: FileSlot }

export const withFiles =
  (slots: FileSlots, send: typeof fetch): typeof fetch =>
  async (input, init) => {
    if (slots.size === 0 || typeof init?.body !== 'string') return send(input, init)
    const pieces = piecesOf(init.body, slots)
    if (pieces.length === 1) return send(input, init)
    // Opened before the request: what is missing is our fault and not the vendor's.
    const [first] = pieces.flatMap((piece) => ('slot' in piece ? [piece.slot] : []))
    const opened = new Map(first ? [[first, await first.open()]] : [])
    const { body, whole } = measured(pieces, opened)
    // Sent to its end, or abandoned with the request, whose own error says why.
    whole.catch(() => undefined)
    // Node wants to be told that the answer comes after the body; Workers know no other way.
    const streamed = { ...init, body, duplex: 'half' }
    return send(input, streamed)
  }

/** For a binding, which takes values and not bytes: only what is small enough to be held may come this way. */
export async function fillIn(value: unknown, slots: FileSlots): Promise<unknown> {
  if (typeof value === 'string') {
    const parts = piecesOf(value, slots).map(async (piece) => ('text' in piece ? piece.text : heldText(piece.slot)))
    return (await Promise.all(parts)).join('')
  }
  if (Array.isArray(value)) return Promise.all(value.map((item) => fillIn(item, slots)))
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value
  const entries = Object.entries(value).map(async ([key, item]) => [key, await fillIn(item, slots)] as const)
  return Object.fromEntries(await Promise.all(entries))
}

async function heldText({ encoding, open }: FileSlot): Promise<string> {
  const bytes = await new Response(await open()).arrayBuffer()
  return encoding === 'text' ? new TextDecoder().decode(bytes) : base64Of(new Uint8Array(bytes))
}

function piecesOf(body: string, slots: FileSlots): Piece[] {
  if (slots.size === 0) return [{ text: body }]
  const pattern = new RegExp(`(${[...slots.keys()].map(escaped).join('|')})`)
  return body.split(pattern).flatMap((text): Piece[] => {
    const slot = slots.get(text)
    return slot ? [{ slot }] : text === '' ? [] : [{ text }]
  })
}

/** Of base64's letters, what means something in a pattern. */
const escaped = (text: string): string => text.replace(/[+/=]/g, '\\$&')

type Opened = Map<FileSlot, ReadableStream<Uint8Array>>

/** With its length where that is known before: some servers take no body without one. Text is longer in JSON than in its file. */
function measured(pieces: readonly Piece[], opened: Opened): { readonly body: ReadableStream<Uint8Array>; readonly whole: Promise<void> } {
  const stream = streamOf(bytesOf(pieces, opened))
  const isKnown = pieces.every((piece) => 'text' in piece || piece.slot.encoding === 'base64')
  if (!isKnown || typeof FixedLengthStream === 'undefined') return { body: stream, whole: Promise.resolve() }
  const { readable, writable } = new FixedLengthStream(pieces.reduce((sum, piece) => sum + lengthOf(piece), 0))
  return { body: readable, whole: stream.pipeTo(writable) }
}

const lengthOf = (piece: Piece): number => ('text' in piece ? utf8.encode(piece.text).length : 4 * Math.ceil(piece.slot.sizeBytes / 3))

async function* bytesOf(pieces: readonly Piece[], opened: Opened): AsyncGenerator<Uint8Array> {
  for (const piece of pieces) {
    if ('text' in piece) yield utf8.encode(piece.text)
    else {
      const stream = opened.get(piece.slot) ?? (await piece.slot.open())
      opened.delete(piece.slot)
      yield* piece.slot.encoding === 'text' ? jsonText(stream) : base64(stream)
    }
  }
}

/** Three bytes are four letters: what is over waits for the next chunk. */
async function* base64(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  let over: Uint8Array = new Uint8Array()
  for await (const chunk of stream) {
    const bytes = new Uint8Array(over.length + chunk.length)
    bytes.set(over)
    bytes.set(chunk, over.length)
    const whole = bytes.length - (bytes.length % 3)
    over = bytes.subarray(whole)
    if (whole > 0) yield utf8.encode(base64Of(bytes.subarray(0, whole)))
  }
  if (over.length > 0) yield utf8.encode(base64Of(over))
}

async function* jsonText(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const decoder = new TextDecoder()
  const quoted = (text: string) => utf8.encode(JSON.stringify(text).slice(1, -1))
  for await (const chunk of stream) yield quoted(decoder.decode(chunk, { stream: true }))
  yield quoted(decoder.decode())
}

function streamOf(chunks: AsyncGenerator<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await chunks.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
    async cancel() {
      await chunks.return(undefined)
    },
  })
}

const utf8 = new TextEncoder()

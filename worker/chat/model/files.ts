/**
 * The user's files in requests to a model. Messages carry a short placeholder for each file. The bytes replace it while the request is sent, straight
 * from the store, so a document of 32 MB is never whole in memory. For a file that the model cannot read, the message names it.
 */

import type { UserContent } from 'ai'
import { type AttachedFile, canRead, type FileKind, fileKindOf, filesOf, fileTypes } from '../../contract/files/files.ts'
import { maxModelImageBytes } from '../../contract/limits.ts'
import type { RowOf } from '../../contract/schema.ts'
import type { FilePart, RefusedFile } from '../../contract/threads/messages.ts'
import { readFiles } from '../../db/attachments.ts'
import { withOwner } from '../../db/current-owner.ts'
import { type FileBindings, openFile } from '../../db/file-store.ts'
import { base64Of, bytesOfBase64 } from '../../lib/base64.ts'
import { plainName, quotedName, quoteUntrusted } from '../tools/untrusted.ts'

type FileSlot = {
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
    // Opened before the request, so that a missing file is not reported as the provider's failure.
    const [first] = pieces.flatMap((piece) => ('slot' in piece ? [piece.slot] : []))
    const opened = new Map(first ? [[first, await first.open()]] : [])
    const { body, whole } = measured(pieces, opened)
    // A failure of the body also fails the request, which reports it.
    whole.catch(() => undefined)
    // Node requires `half`; Workers ignore it.
    const streamed = { ...init, body, duplex: 'half' }
    return send(input, streamed)
  }

/** For a binding, which takes values instead of bytes. Only for files that fit into memory. */
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

/** Characters of a placeholder that have a meaning in a regular expression. */
const escaped = (text: string): string => text.replace(/[+/=]/g, '\\$&')

type Opened = Map<FileSlot, ReadableStream<Uint8Array>>

/** The length of the body if it is known, because some servers reject a body without one. Text in JSON is longer than its file. */
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

/** Base64 encodes three bytes at a time; the rest waits for the next chunk. */
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

type Part = Exclude<UserContent, string>[number]

export type AttachedFiles = {
  readonly slots: FileSlots
  readonly partsOf: (file: AttachedFile) => readonly Part[]
  /** The parts for a file that a model made. Empty if this model cannot read it; the text of the message names the file anyway. */
  readonly madePartsOf: (file: FilePart) => readonly Part[]
  /** The ids of the stored images and PDFs that the requests contain. */
  readonly sentIds: ReadonlySet<string>
}

export class MissingFileError extends Error {
  override readonly name = 'MissingFileError'
}

/** `open` returns the bytes of one file of this user. `omittedFiles`: files that this model refused before. */
export function attachFiles(
  { model, omittedFiles = [] }: { readonly model: Pick<RowOf<'model'>, 'capabilities'>; readonly omittedFiles?: readonly RefusedFile[] },
  open: (id: string) => FileSlot['open'],
): AttachedFiles {
  const omittedIds = new Set(omittedFiles.map(({ id }) => id))
  const sentIds = new Set<string>()
  const slots = new Map<string, FileSlot>()
  const mark = `file-${crypto.randomUUID()}`
  const partsOf = ({ id, name, mediaType, sizeBytes }: AttachedFile): readonly Part[] => {
    const kind = fileKindOf(mediaType)
    if (!canRead(model, kind) || isTooLarge(kind, sizeBytes))
      return [{ type: 'text', text: `[The user attached ${kinds[kind]} here, ${quotedName(name)}, which you cannot see.]` }]
    if (omittedIds.has(id))
      return [{ type: 'text', text: `[The user attached ${kinds[kind]} here, ${quotedName(name)}. It could not be read and is left out.]` }]
    const placeholder = newPlaceholder()
    if (kind !== 'text') sentIds.add(id)
    slots.set(placeholder, { encoding: kind === 'text' ? 'text' : 'base64', sizeBytes, open: open(id) })
    if (kind === 'text') return [{ type: 'text', text: quoteUntrusted(mark, `the attached file ${quotedName(name)}`, placeholder) }]
    return [{ type: 'file', mediaType, filename: plainName(name), data: placeholder }]
  }
  const madePartsOf = (made: FilePart): readonly Part[] => {
    const { mediaType } = made
    if (fileKindOf(mediaType) !== 'image' || !fileTypes.some((type) => type === mediaType) || !canRead(model, 'image')) return []
    const [stored] = filesOf({ parts: [made] })
    if (stored && omittedIds.has(stored.id)) return []
    const slot = stored ? { sizeBytes: stored.sizeBytes, open: open(stored.id) } : inlineSlot(made.url)
    if (slot === null || isTooLarge('image', slot.sizeBytes)) return []
    if (stored) sentIds.add(stored.id)
    const placeholder = newPlaceholder()
    slots.set(placeholder, { encoding: 'base64', ...slot })
    return [
      { type: 'text', text: '[The picture that was made in the answer before this message:]' },
      { type: 'file', mediaType, data: placeholder },
    ]
  }
  return { slots, partsOf, madePartsOf, sentIds }
}

/** One such image would make every request of the thread fail. Images that models make are scaled only with the binding of Images. */
const isTooLarge = (kind: FileKind, sizeBytes: number): boolean => kind === 'image' && sizeBytes > maxModelImageBytes

/** A file that is stored inside its message as a data URL. Null if the provider's data cannot be decoded. */
function inlineSlot(url: string): Omit<FileSlot, 'encoding'> | null {
  const base64 = /^data:[^,]*;base64,(.+)$/s.exec(url)?.[1]
  if (base64 === undefined) return null
  try {
    const bytes = bytesOfBase64(base64)
    return { sizeBytes: bytes.length, open: async () => new Blob([bytes]).stream() }
  } catch {
    return null
  }
}

const kinds = { image: 'an image', document: 'a PDF', text: 'a text' } as const

/** Opens the stored files of one user. A missing row is a `MissingFileError`, which is not retried. */
export const filesOfUser =
  (env: FileBindings, userId: string) =>
  (id: string): FileSlot['open'] =>
  async () => {
    const file = await withOwner(env, userId, async (db, owner) => (await readFiles(db, owner, [id]))[0] ?? null)
    if (!file) throw new MissingFileError('a file of the conversation is no longer stored')
    return openFile(env, file)
  }

const placeholderBytes = 24

/** Valid base64, because some of the SDK's packages decode it. No image begins with these characters, and the rest is unguessable. */
const newPlaceholder = (): string => btoa(`parley${String.fromCharCode(...crypto.getRandomValues(new Uint8Array(placeholderBytes)))}`)

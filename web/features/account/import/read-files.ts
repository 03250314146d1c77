/** Reads the chosen files: a ZIP archive or JSON. Yields conversations one by one, and problems instead of exceptions. */
import { BlobReader, BlobWriter, configure, type FileEntry, type Entry as ZipEntry, ZipReader } from '@zip.js/zip.js/lib/zip-core-native.js'
import { isRecord } from '../../../../worker/contract/is-record.ts'
import { maxImageBytes } from '../../../../worker/contract/limits.ts'
import type { Problem } from './formats/problem.ts'
import { type Entry, readEntry } from './formats/read-entry.ts'
import { JsonStreamError, jsonValues } from './json-values.ts'
import { isParleyFile, readParleyFile } from './read-parley-file.ts'

// This module already runs in a worker.
configure({ useWebWorkers: false })

/** Opens a file of the archive by the id in its name. Null if the archive does not have it, and `large` for one that cannot be stored. */
export type OpenImage = (id: string) => Promise<{ readonly name: string; readonly blob: Blob } | 'too_large' | null>
type FileEntryRead = Entry & { readonly openImage: OpenImage }

/** A JSON document. It can be read several times. */
export type JsonDocument = { readonly name: string; readonly sizeBytes: number; readonly open: () => ReadableStream<Uint8Array> }

type Reading = {
  /** The user who imports. */
  readonly userId: string
  /** Called with the size of each chunk that has been read. */
  readonly onBytes: (bytes: number) => void
}

const noImages: OpenImage = async () => null

export async function* readFiles(files: readonly File[], reading: Reading): AsyncGenerator<FileEntryRead> {
  for (const file of files) {
    if (await isZip(file)) yield* readZip(file, reading)
    else yield* readDocument({ name: file.name, sizeBytes: file.size, open: () => file.stream() }, noImages, reading)
  }
}

const isZip = async (file: Blob): Promise<boolean> => (await file.slice(0, 4).text()) === 'PK\x03\x04'

const conversations = /(^|\/)conversations[^/]*\.json$/
const jsonFile = /\.json$/
/** Documents of the known archives that have no text of a conversation. */
const accountFiles = /(^|\/)(users?|message_feedback|shared_conversations|export_manifest|user_settings)\.json$/

async function* readZip(file: File, reading: Reading): AsyncGenerator<FileEntryRead> {
  const zip = new ZipReader(new BlobReader(file))
  try {
    const entries = (await zip.getEntries()).filter((entry): entry is FileEntry => !entry.directory)
    const named = entries.filter(({ filename }) => conversations.test(filename))
    const documents = named.length > 0 ? named : entries.filter(({ filename }) => jsonFile.test(filename))
    if (documents.length === 0) yield problemOf({ title: file.name, reason: 'unknown_format' })
    const names = entries.map(({ filename }) => filename).filter((name) => jsonFile.test(name) && !accountFiles.test(name))
    const leftOut = names.filter((name) => documents.every(({ filename }) => filename !== name))
    if (leftOut.length > 0) yield problemOf({ title: file.name, reason: 'documents_left_out', names: leftOut })
    const openImage = imagesOf(entries)
    for (const entry of documents)
      yield* readDocument(
        { name: entry.filename, sizeBytes: entry.uncompressedSize, open: () => unpacked(entry) },
        openImage,
        // The progress counts the bytes of the archive.
        { ...reading, onBytes: (bytes) => reading.onBytes((bytes * entry.compressedSize) / Math.max(1, entry.uncompressedSize)) },
      )
  } catch {
    yield problemOf({ title: file.name, reason: 'file_damaged' })
  } finally {
    await zip.close()
  }
}

function unpacked(entry: FileEntry): ReadableStream<Uint8Array> {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
  const writer = writable.getWriter()
  // The package does not pass an error of the archive to the stream.
  entry
    .getData(new WritableStream<Uint8Array>({ write: (chunk) => writer.write(chunk) }))
    .then(
      () => writer.close(),
      (error: unknown) => writer.abort(error),
    )
    // The reader has stopped before the end.
    .catch(() => undefined)
  return readable
}

function imagesOf(entries: readonly ZipEntry[]): OpenImage {
  const byId = new Map<string, FileEntry>()
  for (const entry of entries) {
    const name = entry.filename.split('/').at(-1) ?? ''
    const id = /^(file[-_][A-Za-z0-9]+)/.exec(name)?.[1]
    if (id && !entry.directory) byId.set(id, entry)
  }
  return async (id) => {
    const entry = byId.get(id)
    if (!entry) return null
    if (entry.uncompressedSize > maxImageBytes) return 'too_large'
    try {
      return { name: entry.filename.split('/').at(-1) ?? id, blob: await entry.getData(new BlobWriter()) }
    } catch {
      return null
    }
  }
}

/** Chosen: a document that is one conversation is read at once. */
const maxObjectBytes = 64 * 1024 * 1024

async function* readDocument(document: JsonDocument, openImage: OpenImage, { userId, onBytes }: Reading): AsyncGenerator<FileEntryRead> {
  const counted: JsonDocument = { ...document, open: () => document.open().pipeThrough(counting(onBytes)) }
  try {
    const head = await headOf(document)
    if (head === '') throw new JsonStreamError('file_damaged')
    const entries = head.startsWith('[') ? listed(counted) : isParleyFile(head) ? readParleyFile(counted, userId) : single(counted)
    let unknown = 0
    for await (const entry of entries)
      if ('problem' in entry && entry.problem.reason === 'unknown_format') unknown += 1
      else yield { ...entry, openImage }
    if (unknown > 0) yield problemOf({ title: document.name, reason: 'unknown_format', ...(unknown > 1 ? { count: unknown } : {}) })
  } catch (error) {
    yield problemOf({ title: document.name, reason: error instanceof JsonStreamError ? error.reason : 'file_damaged' })
  }
}

const problemOf = (problem: Problem): FileEntryRead => ({ problem, openImage: noImages })

const counting = (onBytes: (bytes: number) => void) =>
  new TransformStream<Uint8Array, Uint8Array>({
    transform: (chunk, controller) => {
      onBytes(chunk.length)
      controller.enqueue(chunk)
    },
  })

const headBytes = 1000

/** The beginning of the document without a byte order mark and spaces. */
async function headOf({ open }: JsonDocument): Promise<string> {
  const decoder = new TextDecoder()
  let head = ''
  for await (const chunk of open()) {
    head = (head + decoder.decode(chunk.subarray(0, headBytes), { stream: true })).trimStart()
    if (head.length > 0) break
  }
  return head
}

async function* listed({ name, open }: JsonDocument): AsyncGenerator<Entry> {
  let index = 0
  for await (const { value } of jsonValues(open(), ['$.*'])) yield readEntry(value, `${name}-${index++}`)
}

async function* single({ name, sizeBytes, open }: JsonDocument): AsyncGenerator<Entry> {
  if (sizeBytes > maxObjectBytes) yield { problem: { title: name, reason: 'too_large' } }
  else
    for await (const { value } of jsonValues(open(), ['$'])) {
      // Some tools wrap the list of an export.
      const list = isRecord(value) && Array.isArray(value.conversations) ? value.conversations : [value]
      for (const [index, entry] of list.entries()) yield readEntry(entry, index === 0 ? name : `${name}-${index}`)
    }
}

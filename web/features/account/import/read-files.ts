/** Reads the chosen files: a ZIP archive or JSON. Yields conversations one by one, and problems instead of exceptions. */
import { JSONParser } from '@streamparser/json'
import { BlobReader, BlobWriter, configure, type FileEntry, type Entry as ZipEntry, ZipReader } from '@zip.js/zip.js/lib/zip-core-native.js'
import type * as z from 'zod/mini'
import { isRecord } from '../../../../worker/contract/is-record.ts'
import { maxImageBytes } from '../../../../worker/contract/limits.ts'
import { chatGptSchema, fromChatGpt } from './formats/chatgpt.ts'
import { claudeSchema, fromClaude } from './formats/claude.ts'
import { deepSeekSchema, fromDeepSeek } from './formats/deepseek.ts'
import { fromLibreChat, libreChatSchema } from './formats/librechat.ts'
import { fromOpenWebUi, openWebUiSchema } from './formats/open-webui.ts'
import { fromParley, type MessageRow, messageRowSchema, type ThreadRow, threadRowSchema } from './formats/parley.ts'
import type { Problem, SourceThread } from './formats/source-thread.ts'

// This module already runs in a worker.
configure({ useWebWorkers: false })

/** Opens a file of the archive by the id in its name. Null if the archive does not have it, and `large` for one that cannot be stored. */
export type OpenImage = (id: string) => Promise<{ readonly name: string; readonly blob: Blob } | 'too_large' | null>
type FileEntryRead = Entry & { readonly openImage: OpenImage }

/** A JSON document. It can be read several times. */
type JsonDocument = { readonly name: string; readonly sizeBytes: number; readonly open: () => ReadableStream<Uint8Array> }

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

/** Chosen: most exports are one group. */
const maxGroupChars = 64 * 1024 * 1024

const isParleyFile = (head: string): boolean => /^\{\s*"product"\s*:\s*"Parley"/.test(head)

/**
 * Reads the file of "Download my data". Its messages are ordered by id, so those of one thread are everywhere in the file. It is read once for
 * the sizes of the threads, and once for each group of threads that fits into memory.
 */
async function* readParleyFile(document: JsonDocument, userId: string): AsyncGenerator<Entry> {
  const threads = new Map<string, ThreadRow>()
  const sizes = new Map<string, number>()
  let isOwn = false
  for await (const { list, value } of jsonValues(document.open(), ['$.user.*', '$.threads.*', '$.messages.*'])) {
    if (list === 'user') isOwn = idOf(value) === userId
    else if (list === 'threads') {
      const read = threadRowSchema.safeParse(value)
      if (!read.success) yield { problem: { title: null, reason: 'damaged' } }
      else if (read.data.deletedAt === null) threads.set(read.data.id, read.data)
    } else {
      const threadId = threadIdOf(value)
      if (threadId !== null) sizes.set(threadId, (sizes.get(threadId) ?? 0) + JSON.stringify(value).length)
    }
  }
  for (const group of groupsOf([...threads.values()], sizes)) {
    const rows = new Map<string, MessageRow[]>(group.map(({ id }) => [id, []]))
    const damaged = new Set<string>()
    for await (const { value } of jsonValues(document.open(), ['$.messages.*'])) {
      const wanted = rows.get(threadIdOf(value) ?? '')
      if (!wanted) continue
      const read = messageRowSchema.safeParse(value)
      if (read.success) wanted.push(read.data)
      else damaged.add(threadIdOf(value) ?? '')
    }
    for (const thread of group) {
      if (damaged.has(thread.id)) yield { problem: { title: thread.title ?? null, reason: 'damaged' } }
      yield { thread: fromParley(thread, rows.get(thread.id) ?? [], isOwn) }
    }
  }
}

const fieldOf = (value: unknown, field: string): string | null => {
  const found = typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[field] : null
  return typeof found === 'string' ? found : null
}
const idOf = (value: unknown): string | null => fieldOf(value, 'id')
const threadIdOf = (value: unknown): string | null => fieldOf(value, 'threadId')

function groupsOf(threads: readonly ThreadRow[], sizes: ReadonlyMap<string, number>): readonly ThreadRow[][] {
  const groups: ThreadRow[][] = []
  let chars = Number.POSITIVE_INFINITY
  for (const thread of threads) {
    const size = sizes.get(thread.id) ?? 0
    if (chars + size > maxGroupChars) {
      groups.push([])
      chars = 0
    }
    groups.at(-1)?.push(thread)
    chars += size
  }
  return groups
}

/** Chosen: a conversation of this size is not written by hand, and would fill the memory of a phone. */
const maxValueBytes = 64 * 1024 * 1024

class JsonStreamError extends Error {
  override readonly name = 'JsonStreamError'
  readonly reason: 'file_damaged' | 'too_large'
  constructor(reason: 'file_damaged' | 'too_large') {
    super(reason)
    this.reason = reason
  }
}

/** `list`: the field of the document that holds the value, if the document is an object. */
type JsonValue = { readonly list: string | undefined; readonly value: unknown }

/**
 * Reads the values at some paths of a JSON document as a stream, so that the document is never in memory as a whole. Yields the values before the
 * first syntax error, then throws.
 */
async function* jsonValues(bytes: ReadableStream<Uint8Array>, paths: string[]): AsyncGenerator<JsonValue> {
  const parser = new JSONParser({ paths, keepStack: false })
  const found: JsonValue[] = []
  let bytesSinceValue = 0
  let error: Error | null = null
  parser.onValue = ({ value, stack }) => {
    const list = stack[1]?.key
    found.push({ list: typeof list === 'string' ? list : undefined, value })
    bytesSinceValue = 0
  }
  parser.onError = (reason) => {
    error ??= reason
  }
  for await (const chunk of bytes) {
    bytesSinceValue += chunk.length
    parser.write(chunk)
    yield* found.splice(0)
    if (error) throw new JsonStreamError('file_damaged')
    if (bytesSinceValue > maxValueBytes) throw new JsonStreamError('too_large')
    // What follows the document is not read.
    if (parser.isEnded) return
  }
  parser.end()
  // The parser reports a number that is the whole document only at the end.
  yield* found.splice(0)
  if (error) throw new JsonStreamError('file_damaged')
}

type Entry = { readonly thread: SourceThread } | { readonly problem: Problem }

const read =
  <Schema extends z.ZodMiniType>(schema: Schema, threadOf: (value: z.output<Schema>, fallbackId: string) => SourceThread) =>
  (entry: unknown, fallbackId: string): SourceThread | null => {
    const parsed = schema.safeParse(entry)
    return parsed.success ? threadOf(parsed.data, fallbackId) : null
  }

const chatGpt = read(chatGptSchema, fromChatGpt)
const deepSeek = read(deepSeekSchema, fromDeepSeek)
const openWebUi = read(openWebUiSchema, fromOpenWebUi)

const formats = {
  inserted_at: deepSeek,
  mapping: chatGpt,
  chat_messages: read(claudeSchema, fromClaude),
  chat: openWebUi,
  /** A chat of Open WebUI without its row. */
  history: (entry: unknown, fallbackId: string) => openWebUi({ chat: entry }, fallbackId),
  messages: read(libreChatSchema, fromLibreChat),
}

/**
 * The format is chosen by its fields, and a conversation that does not have its form is a problem. `fallbackId`: used for a conversation without an
 * id.
 */
function readEntry(entry: unknown, fallbackId: string): Entry {
  const [, from] = Object.entries(formats).find(([field]) => isRecord(entry) && field in entry) ?? []
  if (!from) return { problem: { title: titleIn(entry), reason: 'unknown_format' } }
  const thread = from(entry, fallbackId)
  return thread ? { thread } : { problem: { title: titleIn(entry), reason: 'damaged' } }
}

function titleIn(entry: unknown): string | null {
  const title = isRecord(entry) ? (entry.title ?? entry.name) : null
  return typeof title === 'string' && title.trim() !== '' ? title.slice(0, 100) : null
}

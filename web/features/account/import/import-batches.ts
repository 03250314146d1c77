/** The batches of an import: each is one mutation, with the images that it needs and the problems found on the way. */
import { signatureBytes, typeOf } from '../../../../worker/contract/files/file-signature.ts'
import { type AttachedFile, type FileType, fileKindOf } from '../../../../worker/contract/files/files.ts'
import { maxFilesPerMessage, maxImageBytes, maxImportMessages, maxImportThreads } from '../../../../worker/contract/limits.ts'
import type { ImportedThread } from '../../../../worker/contract/threads/import-args.ts'
import type { Problem, ProblemReason, SourceFile } from './formats/source-thread.ts'
import { derivedId, importRows, maxPartBytes, type ThreadPart, withNames } from './import-rows.ts'
import { type OpenImage, readFiles } from './read-files.ts'

/** A file of a message: to be uploaded, or to be looked up on the server. `turn`: position of the message in its branch. */
export type BatchFile = { readonly messageId: string; readonly title: string | null; readonly turn: number } & (
  | { readonly upload: { readonly uploadId: string; readonly name: string; readonly mediaType: FileType; readonly blob: Blob } }
  | { readonly stored: AttachedFile }
)

export type ImportBatch = {
  readonly threads: readonly ImportedThread[]
  readonly files: readonly BatchFile[]
  readonly problems: readonly Problem[]
  readonly bytesRead: number
}

/** Chosen: the images of a batch are in memory while they are uploaded. */
const maxBatchFiles = 20

type ImportRequest = {
  readonly files: readonly File[]
  readonly userId: string
  readonly nowMs: () => number
}

export async function* importBatches({ files, userId, nowMs }: ImportRequest): AsyncGenerator<ImportBatch> {
  let bytesRead = 0
  let waiting = emptyBatch()
  const taken = (): ImportBatch => {
    const { threads, files: ofBatch, problems } = waiting
    waiting = emptyBatch()
    return { threads, files: ofBatch, problems, bytesRead }
  }
  const reading = {
    userId,
    onBytes: (bytes: number) => {
      bytesRead += bytes
    },
  }
  for await (const entry of readFiles(files, reading)) {
    if ('problem' in entry) waiting.problems.push(entry.problem)
    else {
      const { title } = entry.thread
      const { parts, problems } = await importRows(entry.thread, userId, nowMs())
      for (const problem of problems) waiting.problems.push({ title, ...problem })
      for (const part of parts) {
        if (!fits(waiting, part)) yield taken()
        await add(waiting, part, title, entry.openImage)
      }
    }
    // Shows progress in files that contain little to import.
    if (waiting.problems.length >= maxImportMessages) yield taken()
  }
  yield taken()
}

type WaitingBatch = {
  readonly threads: ImportedThread[]
  readonly files: BatchFile[]
  readonly problems: Problem[]
  messages: number
  bytes: number
}

const emptyBatch = (): WaitingBatch => ({ threads: [], files: [], problems: [], messages: 0, bytes: 0 })

const fits = ({ threads, files, messages, bytes }: WaitingBatch, part: ThreadPart): boolean =>
  threads.length === 0 ||
  (threads.length < maxImportThreads &&
    messages + part.thread.messages.length <= maxImportMessages &&
    bytes + part.bytes <= maxPartBytes &&
    files.length < maxBatchFiles &&
    threads.every(({ id }) => id !== part.thread.id))

async function add(batch: WaitingBatch, part: ThreadPart, title: string | null, openImage: OpenImage): Promise<void> {
  /** Names of images that are not attached, by message. */
  const missing = new Map<string, string[]>()
  for (const [messageId, { sources, turn }] of part.files) {
    const at = { title, turns: [turn] }
    if (sources.length > maxFilesPerMessage)
      batch.problems.push({ ...at, reason: 'too_many_images', ...namesOf(sources.slice(maxFilesPerMessage)) })
    missing.set(messageId, [...(namesOf(sources.slice(maxFilesPerMessage)).names ?? [])])
    for (const [index, source] of sources.slice(0, maxFilesPerMessage).entries()) {
      const file = await batchFile(source, await derivedId(messageId, String(index)), openImage)
      if (typeof file === 'string') {
        batch.problems.push({ ...at, reason: file, ...namesOf([source]) })
        for (const name of namesOf([source]).names ?? []) missing.get(messageId)?.push(name)
      } else batch.files.push({ messageId, title, turn, ...file })
    }
  }
  const messages = part.thread.messages.map((message) => withNames(message, missing.get(message.id) ?? []))
  batch.threads.push({ ...part.thread, messages })
  batch.messages += messages.length
  batch.bytes += part.bytes
}

/** The names that the file gives to its images. */
function namesOf(sources: readonly SourceFile[]): { readonly names?: readonly string[] } {
  const names = sources.flatMap((source) => (source.kind === 'stored' ? source.file.name : (source.name ?? [])))
  return names.length > 0 ? { names } : {}
}

type OpenedFile = Pick<Extract<BatchFile, { upload: unknown }>, 'upload'> | Pick<Extract<BatchFile, { stored: unknown }>, 'stored'>

async function batchFile(source: SourceFile, uploadId: string, openImage: OpenImage): Promise<OpenedFile | ProblemReason> {
  if (source.kind === 'stored') return { stored: source.file }
  const image = source.kind === 'archived' ? await openImage(source.id) : inlineImage(source)
  if (image === null) return 'image_missing'
  if (image === 'too_large' || image.blob.size > maxImageBytes) return 'image_too_large'
  const mediaType = typeOf(new Uint8Array(await image.blob.slice(0, signatureBytes).arrayBuffer()))
  if (mediaType === null || fileKindOf(mediaType) !== 'image') return 'image_missing'
  return { upload: { uploadId, name: source.name ?? image.name, mediaType, blob: image.blob } }
}

function inlineImage({
  url,
  name,
}: Extract<SourceFile, { kind: 'inline' }>): { readonly name: string; readonly blob: Blob } | 'too_large' | null {
  const base64 = /^data:image\/[a-z+.-]+;base64,/.exec(url)
  if (!base64) return null
  if (url.length > 2 * maxImageBytes) return 'too_large'
  try {
    return { name, blob: new Blob([Uint8Array.from(atob(url.slice(base64[0].length)), (character) => character.charCodeAt(0))]) }
  } catch {
    return null
  }
}

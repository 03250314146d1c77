/**
 * Runs an import: a worker reads the files, and each batch is one mutation. A refusal that can pass pauses the import, and nothing of the batch
 * is lost. The state is outside of the components, so that the import continues on other pages.
 */
import { type AttachedFile, fileAddress } from '../../../../worker/contract/files/files.ts'
import type { ImportedThread } from '../../../../worker/contract/threads/import-args.ts'
import { upload } from '../../../lib/files/send-upload.ts'
import { onLocalDataDeletion } from '../../../lib/local-user-data.ts'
import { publicUrls } from '../../../lib/public-urls.ts'
import type { AnyRefusal } from '../../../lib/refusals/sending-sentence.ts'
import { serverNowMs } from '../../../lib/server-clock.ts'
import type { ThreadImporter } from '../../../sync/move-threads.ts'
import type { Problem } from './formats/source-thread.ts'
import type { BatchFile, ImportBatch } from './import-batches.ts'
import { withNames } from './import-rows.ts'
import { addProblems, foundNothing, importState, updateImport } from './import-state.ts'
import type { WorkerAnswer, WorkerRequest } from './import-worker.ts'
import { t } from './texts/en.ts'

/** Chosen: links to look at, not a list. */
const maxLinks = 5

type Choice = 'retry' | 'without-images'
type Run = {
  readonly worker: Worker
  readonly abort: AbortController
  /** Threads that were written, and threads that an earlier import has written. A long thread is in several batches. */
  readonly imported: Set<string>
  readonly known: Set<string>
  /** The server has refused a part of these threads. Their other parts are skipped. */
  readonly refused: Set<string>
  resume: ((choice: Choice) => void) | null
  withoutImages: boolean
}
let running: Run | null = null

export function cancelImport(): void {
  running?.abort.abort()
  running?.worker.terminate()
  running = null
  updateImport({ phase: 'canceled', refusal: null })
}

onLocalDataDeletion(() => {
  cancelImport()
  importState.set(null)
})

export function continueImport(choice: Choice): void {
  updateImport({ phase: 'running', refusal: null })
  running?.resume?.(choice)
}

export async function runImport(files: readonly File[], userId: string, importer: ThreadImporter): Promise<void> {
  const [first] = files
  if (!first || running) return
  const worker = new Worker(new URL('./import-worker.ts', import.meta.url), { type: 'module' })
  const abort = new AbortController()
  const run: Run = { worker, abort, imported: new Set(), known: new Set(), refused: new Set(), resume: null, withoutImages: false }
  running = run
  importState.set({
    phase: 'running',
    fileName: first.name,
    share: 0,
    imported: 0,
    known: 0,
    problems: [],
    moreProblems: 0,
    newest: [],
    refusal: null,
    isAboutImages: false,
  })
  try {
    await writeBatches(run, files, userId, importer)
  } catch (error) {
    if (running !== run) return
    // For example the sync client was closed, because the session has ended.
    reportError(error)
    finish(run, 'failed')
  }
}

async function writeBatches(run: Run, files: readonly File[], userId: string, importer: ThreadImporter): Promise<void> {
  const { worker } = run
  const next = answersOf(worker)
  send(worker, { type: 'start', files, userId, clockOffsetMs: serverNowMs() - Date.now() })
  const totalBytes = files.reduce((sum, { size }) => sum + size, 0)
  let answer = next()
  for (;;) {
    const current = await answer
    if (running !== run) return
    if (current.type !== 'batch') {
      finish(run, current.type)
      return
    }
    // The worker reads the next batch meanwhile.
    answer = next()
    await writeBatch(run, current.batch, importer)
    if (running !== run) return
    updateImport({ share: Math.min(1, current.batch.bytesRead / Math.max(1, totalBytes)) })
  }
}

function finish(run: Run, type: 'done' | 'failed'): void {
  run.worker.terminate()
  running = null
  const state = importState.get()
  if (type === 'done') updateImport({ phase: state && foundNothing(state) ? 'nothing_found' : 'done', share: 1 })
  else updateImport({ phase: 'failed' })
}

const send = (worker: Worker, request: WorkerRequest): void => worker.postMessage(request)

/** Asks for one answer at a time. */
function answersOf(worker: Worker): () => Promise<WorkerAnswer> {
  let settle: ((answer: WorkerAnswer) => void) | null = null
  worker.onmessage = ({ data }: MessageEvent<WorkerAnswer>) => settle?.(data)
  // The module could not be loaded, or the worker has no memory left.
  worker.onerror = () => settle?.({ type: 'failed' })
  return () => {
    const { promise, resolve } = Promise.withResolvers<WorkerAnswer>()
    settle = resolve
    send(worker, { type: 'next' })
    return promise
  }
}

async function writeBatch(run: Run, batch: ImportBatch, importer: ThreadImporter): Promise<void> {
  addProblems(batch.problems)
  const accepted = batch.threads.filter(({ id }) => !run.refused.has(id))
  const known = await knownThreads(run, accepted, importer)
  const threads = accepted.filter((thread) => !known.has(thread))
  const written = new Map(threads.map(({ id, title, updatedAt }) => [id, { id, title: title ?? '', updatedAt }]))
  const problems: Problem[] = []
  const files = await attachedFiles(run, batch.files, threads, problems)
  const complete = threads.map((thread) => withFiles(thread, files))
  const write = async (part: readonly ImportedThread[]): Promise<void> => {
    const [first, ...others] = part
    if (running !== run || !first) return
    const outcome = await importer.write(part)
    if (outcome.ok) return
    if (!refusedForContent.has(outcome.refusal.code)) {
      await pause(run, outcome.refusal, false)
      await write(part)
    } else if (others.length > 0) {
      // The server refuses one of the threads. Others of the batch may be fine.
      for (const thread of part) await write([thread])
    } else {
      written.delete(first.id)
      run.refused.add(first.id)
      problems.push({ title: first.title, reason: 'refused' })
    }
  }
  await write(complete)
  if (running !== run) return
  addProblems(problems)
  const state = importState.get()
  if (!state) return
  for (const id of written.keys()) run.imported.add(id)
  for (const { id } of known) run.known.add(id)
  updateImport({
    imported: run.imported.size,
    known: [...run.known].filter((id) => !run.imported.has(id)).length,
    newest: [...state.newest.filter(({ id }) => !written.has(id)), ...written.values()]
      .toSorted((a, b) => b.updatedAt - a.updatedAt)
      .slice(0, maxLinks),
  })
}

/** The threads, and parts of threads, that an earlier import has written. After the first part, the user may have changed the thread. */
async function knownThreads(run: Run, threads: readonly ImportedThread[], importer: ThreadImporter): Promise<ReadonlySet<ImportedThread>> {
  const known = new Set<ImportedThread>()
  if (threads.length === 0) return known
  const stored = await importer.stored(threads.map(({ id }) => id))
  for (const thread of threads) {
    const { id, updatedAt, messages } = thread
    const storedAt = stored.get(id) ?? -1
    if (run.imported.has(id) || storedAt < updatedAt) continue
    const [first, last] = [messages[0], messages.at(-1)]
    const isFirstPart = first?.parentId == null || !last
    // A deleted thread stays deleted.
    if (isFirstPart || storedAt === Number.POSITIVE_INFINITY || (await importer.hasMessage(last.id))) known.add(thread)
  }
  return known
}

/** Permanent refusals: a retry gets the same code. */
const refusedForContent: ReadonlySet<string> = new Set(['invalid_request', 'row_too_large', 'file_missing'])

/** Waits until the user continues. Never resolves after a cancellation. */
function pause(run: Run, refusal: AnyRefusal, isAboutImages: boolean): Promise<Choice> {
  updateImport({ phase: 'paused', refusal, isAboutImages })
  const { promise, resolve } = Promise.withResolvers<Choice>()
  run.resume = resolve
  return promise
}

/** Refusals of an upload that a later attempt may not get. */
const transientRefusals: ReadonlySet<string> = new Set([
  'uploads_too_often',
  'storage_full',
  'storage_held',
  'session_required',
  'upload_failed',
  'files_unavailable',
  'internal',
])

type MessageFiles = { readonly attached: AttachedFile[]; readonly missingNames: string[] }

/** The stored files by message. An image that cannot be stored is a problem, and its thread is imported without it. */
async function attachedFiles(
  run: Run,
  files: readonly BatchFile[],
  threads: readonly ImportedThread[],
  problems: Problem[],
): Promise<ReadonlyMap<string, MessageFiles>> {
  const wanted = new Set(threads.flatMap(({ messages }) => messages.map(({ id }) => id)))
  const byMessage = new Map<string, MessageFiles>()
  for (const file of files) {
    if (!wanted.has(file.messageId) || running !== run) continue
    const ofMessage = byMessage.get(file.messageId) ?? { attached: [], missingNames: [] }
    byMessage.set(file.messageId, ofMessage)
    const stored = await storedFile(run, file)
    if (stored) ofMessage.attached.push(stored)
    else {
      const { name } = 'stored' in file ? file.stored : file.upload
      ofMessage.missingNames.push(name)
      problems.push({ title: file.title, reason: 'image_missing', turns: [file.turn], names: [name] })
    }
  }
  return byMessage
}

async function storedFile(run: Run, file: BatchFile): Promise<AttachedFile | null> {
  if ('stored' in file) return (await isStored(file.stored.id)) ? file.stored : null
  const { blob, ...head } = file.upload
  while (!run.withoutImages && running === run) {
    const outcome = await upload(blob, head, () => undefined, run.abort.signal)
    if (outcome.ok) return outcome.file
    if (!transientRefusals.has(outcome.refusal.code)) return null
    if (running === run) run.withoutImages = (await pause(run, outcome.refusal, true)) === 'without-images'
  }
  return null
}

const isStored = async (id: string): Promise<boolean> => {
  const answer = await fetch(publicUrls().apiUrl + fileAddress(id), { method: 'HEAD', credentials: 'include' }).catch(() => null)
  return answer?.ok ?? false
}

/** A message that has lost its images and has no text would be empty. */
const withFiles = (thread: ImportedThread, files: ReadonlyMap<string, MessageFiles>): ImportedThread => ({
  ...thread,
  messages: thread.messages.map((message) => {
    const { attached = [], missingNames = [] } = files.get(message.id) ?? {}
    const named = withNames(message, missingNames)
    if (attached.length > 0) return { ...named, files: [...attached] }
    return named.text === '' && !named.reasoning ? { ...named, text: t('withoutImage') } : named
  }),
})

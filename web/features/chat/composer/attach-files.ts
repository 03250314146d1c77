/** Attaches files: validates and uploads them, and retries, cancels and deletes uploads. Loaded with the first file. */
import { type Refusal, refusal } from '../../../../worker/contract/errors.ts'
import { type AttachedFile, fileAddress, fileKindOf, hasThumbnail } from '../../../../worker/contract/files/files.ts'
import { maxFilesPerMessage } from '../../../../worker/contract/limits.ts'
import { createId } from '../../../lib/create-id.ts'
import { addThumbnail, discardFile, prepareFile } from '../../../lib/files/chosen-files.ts'
import type { UploadOutcome } from '../../../lib/files/send-upload.ts'
import { formatList } from '../../../lib/i18n/format-dates.ts'
import { onLocalDataDeletion } from '../../../lib/local-user-data.ts'
import { publicUrls } from '../../../lib/public-urls.ts'
import { refusalSentence } from '../../../lib/refusals/sentence.ts'
import { choose, draftOf, setDraft } from './drafts.ts'
import { insertText, namedFile, pastedName, readText } from './pasted-text.ts'
import { t } from './texts/en.ts'
import { allUploads, missingFiles, type Upload, uploadsFor, uploadsOf } from './uploads.ts'

/** The order in which files were attached, by upload id and file id: small files finish first but keep their position. */
const attachOrder = new Map<string, number>()
const running = new Map<string, AbortController>()
/** Preview URLs of images attached in this page, by file id, so that no thumbnail is fetched. */
const previews = new Map<string, string>()

/** The encodings of texts that this page converted, by file id. */
const conversions = new Map<string, string>()

type RefusedFile = { readonly name: string; readonly refusal: Refusal }

/** Returns the files that cannot be attached; the others start uploading. */
export async function attach(key: string, files: readonly File[]): Promise<readonly RefusedFile[]> {
  const refused: RefusedFile[] = []
  for (const unnamed of files) {
    const chosen = await namedFile(key, unnamed, remainingIn(key) > 0)
    if (!chosen) continue
    const prepared = await prepareFile(chosen)
    const editedId = draftOf(key).get().editing?.messageId ?? null
    const remaining = remainingIn(key)
    const problem = remaining < 1 ? refusal('too_many_files') : 'code' in prepared ? prepared : null
    if (problem || 'code' in prepared) refused.push({ name: chosen.name, refusal: problem ?? refusal('file_type') })
    else begin(key, { uploadId: createId(), ...prepared, progress: 0, failure: null, editedId })
  }
  return refused
}

/** How many files can still be attached. */
function remainingIn(key: string): number {
  const { files, editing } = draftOf(key).get()
  return maxFilesPerMessage - files.length - uploadsFor(uploadsOf(key).get(), editing?.messageId ?? null).length
}

/** Each reason once, with its files. */
export const refusedText = (refused: readonly RefusedFile[]): string =>
  [...Map.groupBy(refused, ({ refusal }) => refusal.code).values()].map(sentenceFor).join(' ')

function sentenceFor(alike: readonly RefusedFile[]): string {
  const [first, ...others] = alike
  if (!first) return ''
  const sentence = refusalSentence(first.refusal)
  if (first.refusal.code === 'too_many_files') return `${sentence} ${omittedText(alike)}`
  const named = t('ofFile', { name: first.name, sentence })
  return others.length === 0 ? named : t('alsoOthers', { sentence: named, count: others.length })
}

const mostNamed = 3

const omittedText = (files: readonly RefusedFile[]): string =>
  files.length <= mostNamed
    ? t('leftOut', { names: formatList(files.map(({ name }) => name)) })
    : t('leftOutCount', { count: files.length })

export function retryUpload(key: string, uploadId: string): void {
  const upload = uploadsOf(key)
    .get()
    .find((one) => one.uploadId === uploadId)
  if (upload?.failure) send(key, upload)
}

export function cancelUpload(key: string, uploadId: string): void {
  const own = running.get(uploadId)
  drop(key, uploadId)
  own?.abort()
}

/** Takes a stored file out of the draft. The server keeps it if a message shows it. */
export function detach(key: string, id: string): void {
  setDraft(key, {
    files: draftOf(key)
      .get()
      .files.filter((file) => file.id !== id),
  })
  const preview = previews.get(id)
  if (preview) URL.revokeObjectURL(preview)
  previews.delete(id)
  texts.delete(id)
  discardFile(id)
}

/** The texts of this page, by file id, so that turning one back needs no request. */
const texts = new Map<string, Blob>()

/** The pasted texts that are being read. */
const inserting = new Set<string>()

/** Turns a pasted text back, once for a double click. False if its file cannot be read now; it then stays attached. */
export async function insertPasted(key: string, id: string): Promise<boolean> {
  if (inserting.has(id)) return true
  inserting.add(id)
  try {
    return await insertRead(key, id)
  } finally {
    inserting.delete(id)
  }
}

async function insertRead(key: string, id: string): Promise<boolean> {
  const upload = uploadsOf(key)
    .get()
    .find((one) => one.uploadId === id)
  const text = upload ? await upload.body.text() : ((await texts.get(id)?.text()) ?? (await readText(id)))
  if (text === null) return false
  if (upload) cancelUpload(key, id)
  else detach(key, id)
  insertText(key, text)
  return true
}

/** For signing out, with the drafts. */
function deleteUploads(): void {
  for (const store of allUploads()) store.set([])
  for (const aborter of running.values()) aborter.abort()
  for (const url of previews.values()) URL.revokeObjectURL(url)
  previews.clear()
  texts.clear()
  conversions.clear()
}

export const previewOf = (id: string): string | undefined => previews.get(id)

export const conversionOf = (id: string): string | undefined => conversions.get(id)

function begin(key: string, upload: Upload): void {
  attachOrder.set(upload.uploadId, attachOrder.size + 1)
  // After the last file was removed, a model that was kept for it may be switched again.
  if (remainingIn(key) === maxFilesPerMessage) choose(key, { keepsModel: false })
  setDraft(key, {
    interrupted: draftOf(key)
      .get()
      .interrupted.filter((name) => name !== upload.body.name),
  })
  setUploads(key, [...uploadsOf(key).get(), upload])
  send(key, upload)
}

function send(key: string, own: Upload): void {
  const { uploadId, body, mediaType } = own
  change(key, uploadId, { failure: null, progress: 0 })
  const aborter = new AbortController()
  running.set(uploadId, aborter)
  const head = { uploadId, name: body.name, mediaType }
  const uploaded: Promise<UploadOutcome> = import('../../../lib/files/send-upload.ts').then(
    ({ upload }) => upload(body, head, (progress) => change(key, uploadId, { progress }), aborter.signal),
    () => ({ ok: false, refusal: refusal('upload_failed') }),
  )
  void uploaded.then((outcome) => {
    running.delete(uploadId)
    const isWanted = uploadsOf(key)
      .get()
      .some((one) => one.uploadId === uploadId)
    if (!outcome.ok) change(key, uploadId, { failure: outcome.refusal })
    else if (isWanted) attachUploaded(key, own, outcome.file)
    else discardFile(outcome.file.id)
  })
}

function attachUploaded(key: string, { uploadId, editedId, body, convertedFrom }: Upload, file: AttachedFile): void {
  drop(key, uploadId)
  const draft = draftOf(key).get()
  const isHere = (draft.editing?.messageId ?? null) === editedId
  // Its edit was cancelled.
  if (!isHere && editedId !== null) {
    discardFile(file.id)
    return
  }
  if (convertedFrom !== null) conversions.set(file.id, convertedFrom)
  if (pastedName(file.name) !== null) texts.set(file.id, body)
  if (fileKindOf(file.mediaType) === 'image') previews.set(file.id, URL.createObjectURL(body))
  if (hasThumbnail(file)) void addThumbnail(file.id, body).catch(() => undefined)
  const order = attachOrder.get(uploadId) ?? 0
  attachOrder.set(file.id, order)
  const { files } = isHere ? draft : draft.beforeEditing
  const behind = files.findIndex(({ id }) => (attachOrder.get(id) ?? 0) > order)
  const next = files.toSpliced(behind === -1 ? files.length : behind, 0, file)
  setDraft(key, isHere ? { files: next } : { beforeEditing: { ...draft.beforeEditing, files: next } })
}

const change = (key: string, uploadId: string, changes: Partial<Upload>): void => {
  const store = uploadsOf(key)
  store.set(store.get().map((upload) => (upload.uploadId === uploadId ? { ...upload, ...changes } : upload)))
}

const drop = (key: string, uploadId: string): void => {
  const uploads = uploadsOf(key).get()
  setUploads(
    key,
    uploads.filter((upload) => upload.uploadId !== uploadId),
  )
}

function setUploads(key: string, next: readonly Upload[]): void {
  uploadsOf(key).set(next)
  setDraft(key, { uploading: next.map(({ body }) => body.name) })
}

onLocalDataDeletion(deleteUploads)

const checked = new Set<string>()

/** Checks each file once per page. If the check fails, sending reports a missing file. */
export function checkFiles(files: readonly Pick<AttachedFile, 'id'>[]): void {
  for (const { id } of files) {
    if (checked.has(id)) continue
    checked.add(id)
    fetch(publicUrls().apiUrl + fileAddress(id), { method: 'HEAD', credentials: 'include' }).then(
      ({ status }) => status === 404 && missingFiles.set(new Set(missingFiles.get()).add(id)),
      () => checked.delete(id),
    )
  }
}

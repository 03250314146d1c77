/** Uploads one file. `XMLHttpRequest`, because only it reports the progress of an upload. Loads with the first upload. */
import { type Refusal, refusal } from '../../../worker/contract/errors.ts'
import { type AttachedFile, type FileType, fileKindOf } from '../../../worker/contract/files/files.ts'
import { originalAddress } from '../../../worker/contract/files/image-addresses.ts'
import type { ErrorBody, FileBody } from '../../../worker/contract/http.ts'
import { maxModelImageBytes } from '../../../worker/contract/limits.ts'
import { publicUrls } from '../public-urls.ts'
import { discardFile } from './chosen-files.ts'

type Refused = { readonly ok: false; readonly refusal: Refusal }
export type UploadOutcome = { readonly ok: true; readonly file: AttachedFile } | Refused

type UploadHead = { readonly uploadId: string; readonly name: string; readonly mediaType: FileType }

/**
 * The same `uploadId` is the same file, however often it is sent. `onProgress` counts from 0 to 1. A large image is uploaded twice: first
 * the copy for models, which becomes the file, then its original.
 */
export async function upload(
  body: Blob,
  { uploadId, name, mediaType }: UploadHead,
  onProgress: (share: number) => void,
  signal: AbortSignal,
): Promise<UploadOutcome> {
  const isImage = fileKindOf(mediaType) === 'image'
  const copy = isImage ? await modelCopy(body, mediaType) : null
  const file = copy ?? body
  if (isImage && file.size > maxModelImageBytes) return { ok: false, refusal: refusal('image_too_large') }
  const totalBytes = file.size + (copy ? body.size : 0)
  const headers = { 'x-upload-id': uploadId, 'x-file-name': encodeURIComponent(name.toWellFormed()) }
  const stored = await post('/api/files', file, headers, (sentBytes) => onProgress(sentBytes / totalBytes), signal)
  if (!stored.ok) return stored
  if (!stored.body?.file) return uploadFailed()
  if (!copy) return { ok: true, file: stored.body.file }
  const original = await post(
    originalAddress(stored.body.file),
    body,
    {},
    (sentBytes) => onProgress((copy.size + sentBytes) / totalBytes),
    signal,
  )
  if (original.ok) return { ok: true, file: stored.body.file }
  if (signal.aborted) discardFile(stored.body.file.id)
  return original
}

/** The code loads with the first image. Null if a deploy has removed it: the image is uploaded as it is, if its size permits. */
const modelCopy = (body: Blob, type: FileType): Promise<Blob | null> =>
  import('./image-copies.ts').then(
    ({ modelCopyOf }) => modelCopyOf(body, type),
    () => null,
  )

const uploadFailed = (): Refused => ({ ok: false, refusal: refusal('upload_failed') })

type Posted = { readonly ok: true; readonly body: Partial<FileBody> | null } | Refused

function post(
  path: string,
  body: Blob,
  headers: Readonly<Record<string, string>>,
  onProgress: (sentBytes: number) => void,
  signal: AbortSignal,
): Promise<Posted> {
  const request = new XMLHttpRequest()
  const { promise, resolve } = Promise.withResolvers<Posted>()
  const failed = () => resolve(uploadFailed())
  request.open('POST', publicUrls().apiUrl + path)
  request.withCredentials = true
  request.responseType = 'json'
  for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value)
  request.upload.onprogress = ({ loaded }) => onProgress(loaded)
  request.onload = () => {
    const answer = request.response as Partial<FileBody & ErrorBody> | null
    if (request.status >= 200 && request.status < 300) resolve({ ok: true, body: answer })
    else if (answer?.error) resolve({ ok: false, refusal: answer.error })
    else failed()
  }
  request.onerror = failed
  request.onabort = failed
  if (signal.aborted) failed()
  else request.send(body)
  signal.addEventListener('abort', () => request.abort())
  return promise
}

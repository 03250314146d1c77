/** One file on its way to the server. The older kind of request, because only it tells how far it has come. */
import { type Refusal, refusal } from '../../worker/contract/errors.ts'
import type { AttachedFile } from '../../worker/contract/files.ts'
import type { ErrorBody, FileBody } from '../../worker/contract/http.ts'
import { publicUrls } from './public-urls.ts'

export type UploadOutcome = { readonly ok: true; readonly file: AttachedFile } | { readonly ok: false; readonly refusal: Refusal }

export type RunningUpload = { readonly outcome: Promise<UploadOutcome>; readonly cancel: () => void }

/** The same `uploadId` is the same file, however often it is sent. `onProgress` counts from 0 to 1. */
export function startUpload(body: Blob, { uploadId, name }: UploadHead, onProgress: (share: number) => void): RunningUpload {
  const request = new XMLHttpRequest()
  const { promise: outcome, resolve } = Promise.withResolvers<UploadOutcome>()
  const failed = () => resolve({ ok: false, refusal: refusal('upload_failed') })
  request.open('POST', `${publicUrls().apiUrl}/api/files`)
  request.withCredentials = true
  request.responseType = 'json'
  request.setRequestHeader('x-upload-id', uploadId)
  request.setRequestHeader('x-file-name', encodeURIComponent(name.toWellFormed()))
  request.upload.onprogress = ({ loaded, total }) => total > 0 && onProgress(loaded / total)
  request.onload = () => {
    const answer = request.response as Partial<FileBody & ErrorBody> | null
    if (answer?.file) resolve({ ok: true, file: answer.file })
    else if (answer?.error) resolve({ ok: false, refusal: answer.error })
    else failed()
  }
  request.onerror = failed
  request.onabort = failed
  request.send(body)
  return { outcome, cancel: () => request.abort() }
}

type UploadHead = { readonly uploadId: string; readonly name: string }

/** The small picture of one that is stored. Nothing is lost without it, so nobody hears of it when it does not arrive. */
export function sendThumbnail(id: string, picture: Blob): void {
  void fetch(`${publicUrls().apiUrl}/api/files/${id}/thumbnail`, { method: 'POST', credentials: 'include', body: picture }).catch(
    () => undefined,
  )
}

/** Gives back the room of a file that will not be sent. What is lost on the way is tidied up within a day. */
export function discardFile(id: string): void {
  void fetch(`${publicUrls().apiUrl}/api/files/${id}`, { method: 'DELETE', credentials: 'include', keepalive: true }).catch(() => undefined)
}

/** Checks files that the user has chosen, and sends requests about uploaded ones. */
import { type Refusal, refusal } from '../../../worker/contract/errors.ts'
import { signatureBytes, typeOf } from '../../../worker/contract/file-signature.ts'
import { type FileType, fileKindOf, maxBytesOf } from '../../../worker/contract/files.ts'
import { publicUrls } from '../public-urls.ts'

export async function typeOfFile(body: File): Promise<FileType | null> {
  try {
    return typeOf(new Uint8Array(await body.slice(0, signatureBytes).arrayBuffer()))
  } catch {
    // A directory, or a file that no longer exists.
    return null
  }
}

export function problemOf({ size }: File, type: FileType | null): Refusal | null {
  if (type === null) return refusal('file_type')
  if (size === 0) return refusal('file_empty')
  return size > maxBytesOf[fileKindOf(type)] ? refusal('file_too_large') : null
}

/** Loads the code that scales images with the first one. Without a thumbnail the file itself is shown. */
export async function addThumbnail(fileId: string, body: Blob): Promise<void> {
  const { thumbnailOf } = await import('./image-copies.ts')
  const picture = await thumbnailOf(body)
  if (picture) sendThumbnail(fileId, picture)
}

/** Without the thumbnail the file itself is shown. */
function sendThumbnail(id: string, picture: Blob): void {
  void fetch(`${publicUrls().apiUrl}/api/files/${id}/thumbnail`, { method: 'POST', credentials: 'include', body: picture }).catch(
    () => undefined,
  )
}

/** Deletes a file that will not be sent. The daily cleanup deletes the file if this request is lost. */
export function discardFile(id: string): void {
  void fetch(`${publicUrls().apiUrl}/api/files/${id}`, { method: 'DELETE', credentials: 'include', keepalive: true }).catch(() => undefined)
}

/** Requests about a stored file whose failure is not reported. */
import { publicUrls } from './public-urls.ts'

/** Without the thumbnail the file itself is shown. */
export function sendThumbnail(id: string, picture: Blob): void {
  void fetch(`${publicUrls().apiUrl}/api/files/${id}/thumbnail`, { method: 'POST', credentials: 'include', body: picture }).catch(
    () => undefined,
  )
}

/** Deletes a file that will not be sent. The daily cleanup deletes the file if this request is lost. */
export function discardFile(id: string): void {
  void fetch(`${publicUrls().apiUrl}/api/files/${id}`, { method: 'DELETE', credentials: 'include', keepalive: true }).catch(() => undefined)
}

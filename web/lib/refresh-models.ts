/** Asks the server to look what its own servers have by now. What it finds comes as rows; that it could not look is nobody's trouble. */
import { publicUrls } from './public-urls.ts'

export function refreshModels(): void {
  void fetch(`${publicUrls().apiUrl}/api/models/refresh`, { method: 'POST', credentials: 'include' }).catch(() => undefined)
}

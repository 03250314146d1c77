import { publicUrls } from './public-urls.ts'

/** Asks the server to list the models of the operator's model servers. New models arrive as rows; a failure is ignored. */
export function refreshModels(): void {
  void fetch(`${publicUrls().apiUrl}/api/models/refresh`, { method: 'POST', credentials: 'include' }).catch(() => undefined)
}

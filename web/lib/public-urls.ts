/** The addresses of the API and of the sync server. Both default to the page's own origin. An invalid value throws `SettingError`. */
type PublicUrls = { readonly apiUrl: string; readonly syncUrl: string }

export class SettingError extends Error {
  override readonly name = 'SettingError'
}

type PublicSettings = { readonly VITE_PUBLIC_API_URL?: string | undefined; readonly VITE_PUBLIC_SYNC_URL?: string | undefined }

/** Empty strings count as unset. The result never ends with a slash. */
export function parsePublicUrls(settings: PublicSettings, origin: string): PublicUrls {
  return {
    apiUrl: parseHttpUrl('VITE_PUBLIC_API_URL', settings.VITE_PUBLIC_API_URL || origin),
    syncUrl: parseSyncUrl('VITE_PUBLIC_SYNC_URL', settings.VITE_PUBLIC_SYNC_URL || origin),
  }
}

/** Begins every refusal, as in better-auth's client. */
const invalidBaseUrl = 'Invalid base URL: '

function parseHttpUrl(name: string, value: string): string {
  const url = URL.parse(value)
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw new SettingError(`${invalidBaseUrl}${name} must be a valid URL that begins with http:// or https://. It is "${value}".`)
  }
  if (url.search || url.hash) throw new SettingError(`${invalidBaseUrl}${name} must not contain "?" or "#". It is "${value}".`)
  return (url.origin + url.pathname).replace(/\/+$/, '')
}

/** The sync client appends its own path and accepts at most one path component before it. */
function parseSyncUrl(name: string, value: string): string {
  const url = parseHttpUrl(name, value)
  if (new URL(url).pathname.split('/').filter(Boolean).length > 1) {
    throw new SettingError(`${invalidBaseUrl}${name} may have at most one path component. It is "${value}".`)
  }
  return url
}

export const publicUrls = (): PublicUrls => parsePublicUrls(import.meta.env, location.origin)

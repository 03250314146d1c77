/** The identity of a page by its address. */

const maxUrlChars = 2000

/** Equal for two spellings of one page: the scheme, a leading `www.`, the fragment and a slash at the end do not matter. */
export function pageKey(text: string): string | null {
  const url = parse(text)
  return url && `${url.hostname.replace(/^www\./, '')}${url.pathname.replace(/\/+$/, '')}${url.search}`
}

export const siteOf = (text: string): string => parse(text)?.hostname.replace(/^www\./, '') ?? text

/** An address with a user name or a password: never sent to the search provider. */
export function hasCredentials(text: string): boolean {
  const url = parse(text)
  return url !== null && (url.username !== '' || url.password !== '')
}

function parse(text: string): URL | null {
  return text.length > maxUrlChars ? null : URL.parse(text.trim())
}

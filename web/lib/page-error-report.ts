/** Creates and sends the report of an error. A page reports each error once, and at most five errors. */
import { codeMessage, maxPlaces, type PageError } from '../../worker/contract/page-error.ts'
import { publicUrls } from './public-urls.ts'

const maxReports = 5

/** Chrome and Edge write `at name (url:1:2)`, Firefox and Safari `name@url:1:2`. */
const frame = /^(?:\s*at (?:async )?(?:(.*?) \()?|(.*?)@)(https?:\/\/[^\s)]+?\.js):(\d+):(\d+)\)?$/

/** Null if no place of the stack is in our files, for example for an error of an extension. */
export function reportOf(error: unknown, origin: string, build: string): PageError | null {
  if (!(error instanceof Error) || isExpected(error)) return null
  const places = (error.stack ?? '').split('\n').flatMap((line) => {
    const [, named, namedAt, url = '', row, column] = frame.exec(line) ?? []
    if (!url.startsWith(`${origin}/`)) return []
    const caller = (named ?? namedAt ?? '').replace(/[^\w$.<># ]/g, '').slice(0, 80)
    return [`${caller && `${caller}@`}${url.slice(origin.length + 1)}:${row}:${column}`]
  })
  if (places.length === 0) return null
  return { code: codeOf(error), message: codeMessage(error.message), places: places.slice(0, maxPlaces), build }
}

/** A library may give any name, such as `$ZodError`. */
const codeOf = ({ name }: Error): string => /[A-Za-z]\w{0,59}/.exec(name.replace(/\W/g, ''))?.[0] ?? 'Error'

/** An aborted request, a page that is older than the server, or a lost connection. */
const isExpected = ({ name, message }: Error): boolean =>
  name === 'AbortError' || name === 'OutdatedPageError' || /^(?:Failed to fetch|Load failed|NetworkError|network error)/i.test(message)

const reported = new Set<string>()

export function sendReport(error: unknown): void {
  const entry = document.querySelector<HTMLScriptElement>('script[type="module"][src]')
  const report = reportOf(error, location.origin, entry?.src.split('/').pop() ?? 'unknown')
  if (report === null) return
  const key = `${report.code} ${report.places[0]}`
  if (reported.has(key) || reported.size >= maxReports) return
  reported.add(key)
  const url = `${publicUrls().apiUrl}/api/page-errors`
  // `keepalive`: the page can be reloading. A report that does not arrive is not repeated.
  fetch(url, { method: 'POST', keepalive: true, body: JSON.stringify(report) }).catch(() => undefined)
}

/**
 * Replaces Vite's preload helper (`vite.config.ts`). Browsers cache a failed `import()` or `modulepreload` for the life of the page, but
 * `fetch` can be retried. Each file is fetched first, then imported from the HTTP cache.
 */
/** The server no longer has a file of this build: a newer version was deployed. */
export class OutdatedPageError extends Error {
  override readonly name = 'OutdatedPageError'
}

export type LoadResult = 'loaded' | 'removed' | 'retry'

/**
 * 404, 410, or a success with another content type (the HTML fallback): the file was removed by a deploy. All other failures are retried.
 */
export function loadResultOf({ ok, status, headers }: Pick<Response, 'ok' | 'status' | 'headers'>): LoadResult {
  if (status === 404 || status === 410) return 'removed'
  if (!ok) return 'retry'
  return /javascript|css/.test(headers.get('content-type') ?? '') ? 'loaded' : 'removed'
}

export type Network = {
  readonly load: (href: string) => Promise<LoadResult>
  /** Resolves when the next attempt is worthwhile. `failures`: how many attempts have failed. */
  readonly untilReachable: (failures: number) => Promise<void>
}

/** Retries until the file is loaded. Rejects only if the file was removed. */
export async function loadFile(href: string, { load, untilReachable }: Network): Promise<void> {
  for (let failures = 1; ; failures += 1) {
    const result = await load(href)
    if (result === 'loaded') return
    if (result === 'removed') throw new OutdatedPageError(`${href} was removed by a deploy`)
    await untilReachable(failures)
  }
}

/** By URL. Files in index.html are already loaded. */
const files = new Map<string, Promise<void>>()

function loadOnce(path: string): Promise<void> {
  const href = `/${path}`
  const known = files.get(href) ?? (isInHead(href) ? Promise.resolve() : loadFile(href, browserNetwork))
  files.set(href, known)
  known.catch(() => files.delete(href))
  return known
}

const isInHead = (href: string): boolean => document.head.querySelector(`[src="${href}"], [href="${href}"]`) !== null

/** The name is Vite's: the build writes this call around each dynamic `import()`, with the paths of all files that it needs. */
export async function __vitePreload<T>(load: () => Promise<T>, paths: readonly string[] = []): Promise<T> {
  await Promise.all(paths.map(loadOnce))
  return load()
}

async function load(href: string): Promise<LoadResult> {
  try {
    const response = await fetch(href)
    // The cache holds the file only after all of it was read.
    await response.arrayBuffer()
    const result = loadResultOf(response)
    if (result === 'loaded' && href.endsWith('.css')) await addStyles(href)
    return result
  } catch {
    return 'retry'
  }
}

function addStyles(href: string): Promise<void> {
  const link = document.createElement('link')
  link.rel = 'stylesheet'
  link.href = href
  document.head.append(link)
  return new Promise((resolve, reject) => {
    link.onload = () => resolve()
    link.onerror = () => {
      link.remove()
      reject(new Error(`could not load ${href}`))
    }
  })
}

/**
 * Chosen: pause before the first retry. Doubles with each failure of the file while the server is reachable; constant during an outage.
 */
const firstPauseMs = 1500
const maxPauseMs = 30_000

let reachable: Promise<void> | null = null

/** All files share one poll. */
function untilReachable(failures: number): Promise<void> {
  reachable ??= poll(Math.min(maxPauseMs, firstPauseMs * 2 ** (failures - 1))).finally(() => {
    reachable = null
  })
  return reachable
}

async function poll(pauseMs: number): Promise<void> {
  do await pause(pauseMs)
  while (!(await isServerReachable()))
}

/** Ends early when the browser reports a network. */
const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer)
      window.removeEventListener('online', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    window.addEventListener('online', end)
  })

const browserNetwork: Network = { load, untilReachable }

/** True if the server responds at all, with any status. */
export const isServerReachable = (): Promise<boolean> =>
  fetch('/favicon.svg', { method: 'HEAD', cache: 'no-store' }).then(
    () => true,
    () => false,
  )

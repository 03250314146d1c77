/** The data in the served HTML: theme classes, title, page settings and first page. Pure. */
import type { FirstPage, InlinedPage } from '../contract/first-page.ts'
import type { PageSettings } from '../contract/http.ts'
import { idSchema } from '../contract/ids.ts'
import { defaultMode, defaultTheme } from '../contract/themes.ts'

export const productName = 'Parley'

export const defaultPageSettings: PageSettings = {
  search: false,
  billing: false,
  files: false,
  signIn: [],
  outbox: false,
  turnstile: null,
  isShell: false,
  userId: null,
  mode: defaultMode,
  theme: defaultTheme,
  language: null,
  title: null,
  magicLink: null,
}

/** Features of the deployment, the same for every user. */
export type Features = Pick<PageSettings, 'search' | 'billing' | 'files' | 'signIn' | 'outbox' | 'turnstile'>

/** Paths of one segment that are pages. Every other segment is a thread id. */
const pagePaths = new Set(['login', 'magic-link', 'logged-out', 'account', 'team', 'shell', 'projects', 'archive', 'bookmarks'])

export function threadIdOf(pathname: string): string | null {
  const segment = /^\/([^/]+)\/?$/.exec(pathname)?.[1]
  if (segment === undefined || pagePaths.has(segment)) return null
  return idSchema.safeParse(segment).success ? segment : null
}

/** Theme and title of the page, from its first rows. */
export function pageSettingsOf(
  { session, settings, thread, threads }: FirstPage,
  threadId: string | null,
): Omit<PageSettings, keyof Features | 'language' | 'magicLink' | 'isShell'> {
  const shown = thread ?? threads.find(({ id }) => id === threadId)
  return {
    userId: session.userId,
    mode: settings?.mode ?? defaultMode,
    theme: settings?.theme ?? defaultTheme,
    title: shown?.title ?? null,
  }
}

/** Chosen: on a slow network the script starts only after all inlined bytes have arrived. */
const maxInlinedChars = 64 * 1024

/** The JSON to inline. Above the limit it omits the thread's messages, then the thread list; the socket delivers them later. */
export function inlinedText(inlined: InlinedPage): string {
  const { firstPage } = inlined
  const without = (omitted: Partial<FirstPage>): InlinedPage => ({ ...inlined, firstPage: { ...firstPage, ...omitted } })
  const candidates = [inlined, without({ thread: null }), without({ thread: null, threads: [] })].map(scriptJson)
  return candidates.find((text) => text.length <= maxInlinedChars) ?? scriptJson(null)
}

/** JSON escaped for a script element: it can neither close the element nor open a comment. */
export function scriptJson(value: unknown): string {
  return JSON.stringify(value).replace(/[<>&\u2028\u2029]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

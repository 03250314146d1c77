/** What a page is served with before any socket opens: classes for its look, its title, and the hint for the script. Pure. */
import type { FirstPage, InlinedPage } from '../contract/first-page.ts'
import type { PageHint } from '../contract/http.ts'
import { idSchema } from '../contract/ids.ts'
import { defaultMode, defaultTheme } from '../contract/themes.ts'

export const productName = 'Parley'
export const pageDescription = 'Chat with models from OpenAI, Anthropic, and more'

export const defaultHint: PageHint = {
  search: false,
  billing: false,
  files: false,
  signIn: [],
  outbox: false,
  turnstile: null,
  userId: null,
  mode: defaultMode,
  theme: defaultTheme,
  title: null,
  magicLink: null,
}

/** What an installation offers, whoever asks. */
export type Offers = Pick<PageHint, 'search' | 'billing' | 'files' | 'signIn' | 'outbox' | 'turnstile'>

/** Paths of one segment that are pages of their own; every other one is a thread's id. */
const pagePaths = new Set(['login', 'magic-link', 'logged-out', 'account', 'team'])

export function threadIdOf(pathname: string): string | null {
  const segment = /^\/([^/]+)\/?$/.exec(pathname)?.[1]
  if (segment === undefined || pagePaths.has(segment)) return null
  return idSchema.safeParse(segment).success ? segment : null
}

/** The look and the title of the page, from its first rows. */
export function hintOf(
  { session, settings, thread, threads }: FirstPage,
  threadId: string | null,
): Omit<PageHint, keyof Offers | 'magicLink'> {
  const shown = thread ?? threads.find(({ id }) => id === threadId)
  return {
    userId: session.userId,
    mode: settings?.mode ?? defaultMode,
    theme: settings?.theme ?? defaultTheme,
    title: shown?.title ?? null,
  }
}

/** Ours: what a page may carry besides itself. A phone on a slow network waits for every byte before the script starts. */
const maxInlinedChars = 64 * 1024

/** The text that stands in the page; what is too long is left out, the thread's messages first, and comes with the socket instead. */
export function inlinedText(inlined: InlinedPage): string {
  const { firstPage } = inlined
  const without = (left: Partial<FirstPage>): InlinedPage => ({ ...inlined, firstPage: { ...firstPage, ...left } })
  const candidates = [inlined, without({ thread: null }), without({ thread: null, threads: [] })].map(scriptJson)
  return candidates.find((text) => text.length <= maxInlinedChars) ?? scriptJson(null)
}

/** JSON that cannot end the script element it stands in, nor open a comment there. */
export function scriptJson(value: unknown): string {
  return JSON.stringify(value).replace(/[<>&\u2028\u2029]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** Facts about the request that the server inlined into the page; see `PageHint`. Absent on the development server. */

import type { InlinedPage } from '../../worker/contract/first-page.ts'
import type { PageHint } from '../../worker/contract/http.ts'
import { defaultMode, defaultTheme } from '../../worker/contract/themes.ts'

const nothingKnown: PageHint = {
  search: true,
  billing: true,
  files: true,
  signIn: ['mail'],
  outbox: true,
  turnstile: null,
  isShell: false,
  userId: null,
  mode: defaultMode,
  theme: defaultTheme,
  title: null,
  magicLink: null,
}

function readPageHint(): PageHint {
  const text = globalThis.document?.getElementById('page-hint')?.textContent
  if (!text) return nothingKnown
  try {
    return { ...nothingKnown, ...(JSON.parse(text) as Partial<PageHint>) }
  } catch {
    // The hint only saves time; an invalid one costs a round trip.
    return nothingKnown
  }
}

export const pageHint: PageHint = readPageHint()

/** Data that the server inlined into the page for a signed-in user; see `InlinedPage`. Null for visitors, and on the development server. */
export const inlinedPage: InlinedPage | null = parseInlined(globalThis.document?.getElementById('first-page')?.textContent)

/** Invalid data costs a round trip and nothing else. */
export function parseInlined(text: string | null | undefined): InlinedPage | null {
  if (!text) return null
  try {
    const value = JSON.parse(text) as InlinedPage | null
    const isWhole = Array.isArray(value?.firstPage?.threads) && typeof value.firstPage.session?.userId === 'string'
    return isWhole ? value : null
  } catch {
    return null
  }
}

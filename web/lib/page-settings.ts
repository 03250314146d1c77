/** Settings of the deployment and the user that the server inlined into the page; see `PageSettings`. Absent on the development server. */

import type { InlinedPage } from '../../worker/contract/first-page.ts'
import type { PageSettings } from '../../worker/contract/http.ts'
import { defaultMode, defaultTheme } from '../../worker/contract/themes.ts'

const emptySettings: PageSettings = {
  search: true,
  billing: true,
  files: true,
  creditMicroDollars: null,
  signIn: ['mail'],
  outbox: true,
  turnstile: null,
  legal: [],
  isShell: false,
  userId: null,
  mode: defaultMode,
  theme: defaultTheme,
  language: null,
  title: null,
  magicLink: null,
  invitation: null,
}

function readPageSettings(): PageSettings {
  const text = globalThis.document?.getElementById('page-settings')?.textContent
  if (!text) return emptySettings
  try {
    return { ...emptySettings, ...(JSON.parse(text) as Partial<PageSettings>) }
  } catch {
    // The settings only save time; without them the page makes another request.
    return emptySettings
  }
}

export const pageSettings: PageSettings = readPageSettings()

/** False if users can only be guests, because no way to log in is set up. */
export const canLogIn = pageSettings.signIn.length > 0

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

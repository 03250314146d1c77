/** Facts about the request that the server inlined into the page; see `PageHint`. Absent on the development server. */
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
  const text = document.getElementById('page-hint')?.textContent
  if (!text) return nothingKnown
  try {
    return { ...nothingKnown, ...(JSON.parse(text) as Partial<PageHint>) }
  } catch {
    // The hint only saves time; an invalid one costs a round trip.
    return nothingKnown
  }
}

export const pageHint: PageHint = readPageHint()

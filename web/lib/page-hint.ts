/** What the server knew when it wrote this page; see PageHint. Absent on the development server, where nothing is known. */
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
    // The hint only saves time; a broken one costs a round trip and nothing else.
    return nothingKnown
  }
}

export const pageHint: PageHint = readPageHint()

/** Data that the server inlined into the page for a signed-in user; see `InlinedPage`. Null for visitors, and on the development server. */
import type { InlinedPage } from '../../worker/contract/first-page.ts'

export const inlinedPage: InlinedPage | null = parseInlined(
  // Tests of other modules have no document.
  typeof document === 'undefined' ? undefined : document.getElementById('first-page')?.textContent,
)

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

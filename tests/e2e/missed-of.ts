/** Texts that a page shows for a moment, which a wait on a busy machine can miss. */
import type { UserPage } from './user-page.ts'

/** Returns which of these texts the first element of this selector has not shown since now, however briefly. */
export async function missedOf({ page }: UserPage, selector: string, texts: readonly string[]): Promise<() => Promise<readonly string[]>> {
  const missing = await page.evaluateHandle(
    ([where, wanted]) => {
      const left = new Set(wanted)
      const look = () => {
        const shown = document.querySelector(where)?.textContent ?? ''
        for (const text of left) if (shown.includes(text)) left.delete(text)
      }
      new MutationObserver(look).observe(document, { childList: true, subtree: true, characterData: true })
      return left
    },
    [selector, texts] as const,
  )
  return () => missing.evaluate((left) => [...left])
}

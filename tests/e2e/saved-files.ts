/** Files that the page saves, and documents that it prints. */
import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'

/** The text of the file that an action saves. */
export async function savedBy(page: Page, act: () => Promise<void>): Promise<string> {
  const download = page.waitForEvent('download')
  await act()
  return readFile(await (await download).path(), 'utf8')
}

/** Records what this page prints. The dialog of the browser cannot be driven. */
export const recordPrints = (page: Page): Promise<void> =>
  page.evaluate(() => {
    // As on a phone: `print()` returns before the document is read.
    window.print = () => {
      setTimeout(() => {
        document.documentElement.setAttribute('data-printed', document.querySelector('.print-document')?.textContent ?? '')
        window.dispatchEvent(new Event('afterprint'))
      })
    }
  })

export const printed = (page: Page): Promise<string | null> => page.locator('html').getAttribute('data-printed')

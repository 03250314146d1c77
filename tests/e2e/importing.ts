/** The import in the settings. */
import type { Page } from 'playwright-core'
import { enterAt } from './keys.ts'

export type Chosen = { readonly name: string; readonly mimeType: string; readonly buffer: Buffer }

export const json = (name: string, text: string): Chosen => ({ name, mimeType: 'application/json', buffer: Buffer.from(text) })

export const section = (page: Page) => page.getByRole('region', { name: 'Import' })
export const status = (page: Page) => section(page).getByRole('status')

/** With the keyboard. */
export async function importFile(page: Page, file: Chosen): Promise<void> {
  const chooser = page.waitForEvent('filechooser')
  await enterAt(page, section(page).getByRole('button', { name: 'Choose files…' }))
  await (await chooser).setFiles(file)
}

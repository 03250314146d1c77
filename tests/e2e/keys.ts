/** Presses keys and reads the active item, for the tables of keyboard tests. */
import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import type { Person } from './person.ts'

/** Keys, and the accessible name of the item that is active afterwards. */
type Row = readonly [keys: string, active: string]

async function pressKeys(page: Page, keys: string): Promise<void> {
  for (const key of keys.split(' ')) await page.keyboard.press(key)
}

export async function expectRows(page: Page, rows: readonly Row[], active: () => Promise<string>): Promise<void> {
  for (const [keys, name] of rows) {
    await pressKeys(page, keys)
    await expect.poll(active, { message: `after ${keys}` }).toBe(name)
  }
}

export const focused = (page: Page) => (): Promise<string> =>
  page.evaluate(() => document.activeElement?.ariaLabel ?? document.activeElement?.textContent?.trim() ?? '')

/** The option that the focused combobox points at. */
export const pointedAt = (page: Page) => (): Promise<string> =>
  page.evaluate(() => {
    const id = document.activeElement?.getAttribute('aria-activedescendant')
    return (id && document.getElementById(id)?.querySelector('span, p')?.textContent?.trim()) || ''
  })

export const isFocused = (element: Locator): Promise<boolean> => element.evaluate((node) => node === document.activeElement)

/** The menu button of an answer. */
export async function answered(person: Person): Promise<Locator> {
  await person.send('/demo chunks=2 delay=0 tides')
  await person.untilAnswered()
  return person.conversation.getByRole('button', { name: 'More for this message' }).last()
}

/** Opens the PRO dialog by its command. */
export async function openProDialog(page: Page): Promise<Locator> {
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Search threads and commands' }).fill('upgrade')
  await page.getByRole('option', { name: 'Upgrade to PRO' }).click()
  const dialog = page.getByRole('dialog', { name: 'Upgrade to PRO' })
  await dialog.waitFor()
  return dialog
}

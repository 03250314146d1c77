/** Presses keys and reads the active item, for the tables of keyboard tests. */
import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import type { UserPage } from './user-page.ts'

/** Keys, and the accessible name of the item that is active afterwards. */
type Row = readonly [keys: string, active: string]

export async function pressKeys(page: Page, keys: string): Promise<void> {
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

/** Chosen: more than the tab stops of any page in these tests. */
const maxTabs = 80

/** Moves the focus to an element by Tab, as a user without a pointer does. */
export async function tabTo(page: Page, target: Locator, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
  await target.waitFor()
  for (let presses = 0; presses < maxTabs && !(await isFocused(target)); presses += 1) await page.keyboard.press(key)
  expect(await isFocused(target), `${target} by ${key}`).toBe(true)
}

export async function enterAt(page: Page, target: Locator): Promise<void> {
  await tabTo(page, target)
  await page.keyboard.press('Enter')
}

/** Chooses an item of the open menu. */
export async function chooseItem(page: Page, name: string): Promise<void> {
  const item = page.getByRole('menuitem', { name, exact: true })
  await item.waitFor()
  // The menu moves the focus to one of its items when it has opened.
  await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('role'))).toMatch(/^menuitem/)
  for (let presses = 0; presses < maxTabs && !(await isFocused(item)); presses += 1) {
    const before = await focused(page)()
    await page.keyboard.press('ArrowDown')
    await expect.poll(focused(page)).not.toBe(before)
  }
  await page.keyboard.press('Enter')
}

/** The menu button of an answer. */
export async function answered(user: UserPage): Promise<Locator> {
  await user.send('/demo chunks=2 delay=0 tides')
  await user.untilAnswered()
  return user.conversation.getByRole('button', { name: 'More for this message' }).last()
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

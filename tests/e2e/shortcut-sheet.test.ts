/** The list of shortcuts, and every shortcut in it. */
import { expect, test } from 'vitest'
import { pageShortcuts, shortcutGroups } from '../../web/lib/shortcut-table.ts'
import { en as libTexts } from '../../web/lib/texts/en.ts'
import { ask, doByName, field } from './palette-keys.ts'
import type { Person } from './person.ts'
import { pathOf, setStage } from './stage.ts'

const { arrive } = setStage()

const sheet = ({ page }: Person) => page.getByRole('dialog', { name: 'Keyboard shortcuts' })

test('the shortcut sheet opens by its key, the menu and the palette, and every shortcut in it works', async () => {
  const guest = await arrive()
  // In the composer, this character is text.
  await guest.composer.press('?')
  await expect.poll(() => guest.composer.inputValue()).toBe('?')
  expect(await sheet(guest).count()).toBe(0)
  await guest.composer.fill('')
  await guest.composer.blur()
  await guest.page.keyboard.press('?')
  for (const { rows } of shortcutGroups(true))
    for (const { descriptionKey } of rows) await sheet(guest).getByText(libTexts[descriptionKey], { exact: true }).last().waitFor()
  await guest.page.keyboard.press('Escape')
  await guest.page.getByRole('button', { name: /credits left/ }).click()
  await guest.page.getByRole('menuitem', { name: libTexts[pageShortcuts.help.descriptionKey] }).click()
  await sheet(guest).waitFor()
  await guest.page.keyboard.press('Escape')
  await doByName(guest, 'keyboard', /shortcuts/)
  await sheet(guest).waitFor()
  await guest.page.keyboard.press('Escape')

  const first = await ask(guest, '/demo chunks=2 delay=0 one')
  const second = await ask(guest, '/demo chunks=2 delay=0 two')
  await guest.page.keyboard.press('Control+Shift+o')
  await expect.poll(() => pathOf(guest)).toBe('/')
  // The address changes before the page, and the next key depends on the page.
  await guest.conversation.waitFor({ state: 'detached' })
  await guest.page.keyboard.press('Alt+ArrowDown')
  await expect.poll(() => pathOf(guest)).toBe(second)
  await guest.conversation.getByText('/demo chunks=2 delay=0 two').waitFor()
  await guest.page.keyboard.press('Alt+ArrowUp')
  await expect.poll(() => pathOf(guest)).toBe(first)
  await guest.page.keyboard.press('Control+b')
  await guest.page.getByRole('button', { name: 'Open sidebar' }).waitFor()
  await guest.page.keyboard.press('Control+b')
  await guest.page.getByRole('button', { name: 'Close sidebar' }).waitFor()
  await guest.page.keyboard.press('Control+k')
  await field(guest).waitFor()
  await guest.page.keyboard.press('Control+k')
  await field(guest).waitFor({ state: 'detached' })
})

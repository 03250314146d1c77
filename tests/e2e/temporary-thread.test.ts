/** Temporary threads: started by button, key and palette, marked, in no list, and gone when they are left. */
import { expect, test } from 'vitest'
import { openRecord } from '../support/record-file.ts'
import { enterAt } from './keys.ts'
import { pathOf, setStage, show } from './stage.ts'
import { chooseMode, type UserPage, untilMode } from './user-page.ts'

const { openComposer, newDevice, product } = setStage()

const toggle = ({ page }: UserPage) => page.getByRole('button', { name: 'Temporary thread', exact: true })
const mark = ({ page }: UserPage) => page.getByRole('link', { name: 'Close temporary thread' })
const openSettings = async ({ page }: UserPage) => {
  await page.getByRole('button', { name: /credits left/ }).click()
  await page.getByRole('menuitem', { name: 'Settings' }).click()
  await page.getByRole('heading', { name: 'Settings' }).waitFor()
}
const column = (path: string, sql: string) => {
  const record = openRecord(product().stateDir)
  const row = record.prepare(`select ${sql} value from thread where id = ?`).get(path.slice(1))
  record.close()
  return row?.value
}
const storedDrafts = () => {
  const record = openRecord(product().stateDir)
  const rows = record.prepare('select text from draft').all()
  record.close()
  return rows.map(({ text }) => text)
}
const deletedAt = (path: string) => column(path, 'deletedAt')

test('a temporary thread is in no list on any device, and gone when it is closed', async () => {
  const desk = await openComposer()
  await desk.send('/demo chunks=2 delay=0 kept')
  await desk.untilAnswered()
  const kept = pathOf(desk)
  await expect.poll(() => column(kept, "status = 'ready' and unreadAt is null")).toBe(1)
  await desk.startThread()
  await toggle(desk).click()
  await desk.page.getByText("Doesn't appear in your threads or search.").waitFor()
  await show(desk, 'temporary-new')
  await desk.send('/demo chunks=2 delay=0 secret')
  await desk.untilAnswered()
  await mark(desk).waitFor()
  await show(desk, 'temporary-thread')
  const path = pathOf(desk)
  expect(await desk.page.title()).toBe('Parley')
  expect(await desk.conversation.getByRole('button', { name: 'Bookmark', exact: true }).count()).toBe(0)
  const phone = await newDevice(desk, { phone: true })
  await phone.open(kept)
  await phone.page.getByRole('button', { name: 'Open sidebar' }).click()
  for (const { threads } of [desk, phone]) {
    await threads.locator(`a[href="${kept}"]`).waitFor()
    expect(await threads.getByRole('listitem').count()).toBe(1)
    expect(await threads.getByRole('img', { name: 'New answer' }).count()).toBe(0)
  }
  // The user can return from Settings. Meanwhile the browser keeps the chat open, so that the server does not delete it.
  await phone.page.goto(path)
  const openElsewhere = phone.page.getByRole('status').filter({ hasText: /^Also open/ })
  await openElsewhere.waitFor({ state: 'attached' })
  await openSettings(desk)
  await phone.page.reload()
  await openElsewhere.waitFor({ state: 'attached' })
  await desk.page.getByRole('link', { name: 'Back' }).click()
  await enterAt(desk.page, mark(desk))
  await expect.poll(() => deletedAt(path)).toBe(1)
  await desk.page.goto(path)
  await desk.page.getByText('Not found').waitFor()
})

test('an unsent text stays in the composer while the thread is made temporary or regular, and is no draft of another thread', async () => {
  const desk = await openComposer()
  await desk.composer.fill('a plain draft')
  await desk.page.keyboard.press('Control+Shift+E')
  await expect.poll(() => desk.composer.inputValue()).toBe('')
  await desk.composer.fill('a secret')
  await desk.page.getByRole('button', { name: 'New thread', exact: true }).click()
  await expect.poll(() => desk.composer.inputValue()).toBe('a plain draft')
  await desk.composer.fill('')
  await desk.page.keyboard.press('Control+Shift+E')
  await expect.poll(() => desk.composer.inputValue()).toBe('a secret')
  expect(await desk.page.evaluate(() => JSON.stringify({ ...localStorage }))).not.toContain('a secret')
  await toggle(desk).click()
  await expect.poll(() => toggle(desk).getAttribute('aria-pressed')).toBe('false')
  expect(await desk.composer.inputValue()).toBe('a secret')
  await toggle(desk).click()
  await expect.poll(() => toggle(desk).getAttribute('aria-pressed')).toBe('true')
  expect(await desk.composer.inputValue()).toBe('a secret')
  await desk.page.reload()
  await expect.poll(() => toggle(desk).getAttribute('aria-pressed')).toBe('true')
  await toggle(desk).click()
  await expect.poll(() => toggle(desk).getAttribute('aria-pressed')).toBe('false')
  // While it was regular, the text was a synced draft, whose end may arrive after the reload.
  await expect.poll(() => desk.composer.inputValue()).toBe('')
  await expect.poll(storedDrafts).not.toContain('a secret')
})

test('a model and a mode that were chosen for a message that became temporary do not reach the next thread', async () => {
  const desk = await openComposer()
  const chip = desk.page.getByRole('group', { name: 'Only this message' })
  await chooseMode(desk, 'Search')
  await desk.composer.focus()
  await desk.page.keyboard.type('/demo chunks=2 delay=0 secret @')
  await desk.page.getByRole('option').last().click()
  await chip.waitFor()
  await toggle(desk).click()
  await expect.poll(() => toggle(desk).getAttribute('aria-pressed')).toBe('true')
  await chip.waitFor()
  await untilMode(desk, 'Search')
  await desk.page.getByRole('button', { name: 'Send message' }).click()
  await desk.untilAnswered()
  await desk.startThread()
  await untilMode(desk, null)
  expect(await chip.count()).toBe(0)
})

test('the shortcut and the palette start one, and opening another thread ends it', async () => {
  const desk = await openComposer()
  await desk.send('/demo chunks=2 delay=0 kept')
  await desk.untilAnswered()
  const kept = pathOf(desk)
  await desk.page.keyboard.press('Control+Shift+E')
  await expect.poll(() => toggle(desk).getAttribute('aria-pressed')).toBe('true')
  await toggle(desk).press('Enter')
  await expect.poll(() => toggle(desk).getAttribute('aria-pressed')).toBe('false')
  await desk.page.keyboard.press('Control+k')
  await desk.page.getByRole('combobox').fill('temporary')
  await desk.page.getByRole('option', { name: /^New temporary thread/ }).waitFor()
  await desk.page.keyboard.press('Enter')
  await expect.poll(() => toggle(desk).getAttribute('aria-pressed')).toBe('true')
  await desk.send('/demo chunks=2 delay=0 secret')
  await desk.untilAnswered()
  const path = pathOf(desk)
  // Also after a visit to Settings.
  await openSettings(desk)
  expect(deletedAt(path)).toBeNull()
  await desk.threads.locator(`a[href="${kept}"]`).click()
  await expect.poll(() => deletedAt(path)).toBe(1)
  await expect.poll(() => pathOf(desk)).toBe(kept)
  await desk.conversation.getByText('kept').first().waitFor()
})

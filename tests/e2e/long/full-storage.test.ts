/** The storage of threads and messages on screen: the use, a full storage, and an import that exceeds it. */
import { expect, test } from 'vitest'
import { dayOf } from '../../../worker/contract/access.ts'
import { mutationsPerDay, storedContentBytes, storedContentRows } from '../../../worker/contract/limits.ts'
import { manyConversations } from '../../support/import-files.ts'
import { openRecord } from '../../support/record-file.ts'
import { sentenceOf } from '../../support/refused-sentence.ts'
import { problemsInBothModes } from '../axe.ts'
import { importFile, json, section, status } from '../importing.ts'
import { enterAt } from '../keys.ts'
import { setStage, show } from '../stage.ts'
import type { UserPage } from '../user-page.ts'

const { openComposer, product } = setStage()

const sizes = { desk: { width: 1440, height: 900 }, phone: { width: 390, height: 844 } } as const

async function look(user: UserPage, name: string): Promise<void> {
  for (const [device, size] of Object.entries(sizes)) {
    await user.page.setViewportSize(size)
    const storage = user.page.getByRole('region', { name: 'Storage' })
    if (await storage.isVisible()) await storage.evaluate((section) => section.scrollIntoView({ block: 'center' }))
    expect(await problemsInBothModes(user, (mode) => show(user, `${name}.${device}.${mode}`)), `${name}, ${device}`).toEqual({})
    expect(await user.page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true)
  }
}

/** Sets the stored counts of the user. */
async function set(counts: string, ...values: number[]): Promise<void> {
  await product().kill9()
  const record = openRecord(product().stateDir)
  record.prepare(`update contentUse set ${counts}`).run(...values)
  record.close()
  await product().restart()
}
const fill = (bytes: number, rows: number) => set('bytes = ?, rows = ?', bytes, rows)

test('the account page shows the use, and a full storage refuses a message and keeps its text', async () => {
  const guest = await openComposer()
  await guest.send('/demo chunks=2 delay=0')
  await guest.untilAnswered()
  await guest.page.goto('/account/data')
  const storage = guest.page.getByRole('region', { name: 'Storage' })
  const meter = storage.getByRole('meter', { name: 'Storage used' })
  await storage.getByText('Less than 1% used').waitFor()
  await storage.getByText(`8 MB and ${storedContentRows.guest.toLocaleString('en-US')} threads and messages`).waitFor()
  await look(guest, 'storage-new')

  await fill(storedContentBytes.guest / 2, 100)
  await storage.getByText('100 of').waitFor()
  await expect.poll(() => meter.getAttribute('aria-valuenow')).toBe('50')
  await look(guest, 'storage-half')

  await fill(storedContentBytes.guest, 100)
  await storage.getByText(sentenceOf('content_full')).waitFor()
  await expect.poll(() => meter.getAttribute('aria-valuenow')).toBe('100')
  await look(guest, 'storage-full')

  await guest.page.setViewportSize(sizes.desk)
  await guest.open()
  await guest.composer.fill('Keep these words.')
  await guest.page.getByText(sentenceOf('content_full')).waitFor()
  await guest.composer.press('Enter')
  expect(await guest.composer.inputValue()).toBe('Keep these words.')
  await expect.poll(() => guest.page.getByText(sentenceOf('content_full')).count()).toBe(1)
  await look(guest, 'storage-full-composer')
})

test('the daily limit of changes refuses a message and returns its text, and a thread can be deleted', async () => {
  const guest = await openComposer()
  await guest.send('/demo chunks=2 delay=0')
  await guest.untilAnswered()
  await set('bytes = 0, rows = 0, mutations = ?, mutationDay = ?', mutationsPerDay.guest, dayOf(Date.now()))
  const refusal = guest.page.getByText(sentenceOf('mutation_limit_reached'))
  await guest.composer.fill('Keep these words.')
  await guest.composer.press('Enter')
  await refusal.waitFor()
  await expect.poll(() => guest.composer.inputValue()).toBe('Keep these words.')
  await look(guest, 'daily-changes')
  await guest.page.setViewportSize(sizes.desk)
  await guest.threads.getByRole('listitem').first().hover()
  await guest.threads.getByRole('button', { name: /^More for/ }).click()
  await guest.page.getByRole('menuitem', { name: 'Delete' }).click()
  await guest.threads.getByRole('link').first().waitFor({ state: 'detached' })
})

test('a full storage pauses the import; after a reload the same file continues', async () => {
  const { page } = await openComposer()
  await page.goto('/account/data')
  // More rows than a guest may store.
  const file = json('conversations.json', manyConversations(220, 5))
  await importFile(page, file)
  await status(page).filter({ hasText: 'The import is paused. Your storage for messages is full.' }).waitFor()
  await page.reload()
  // Past the imported threads in the sidebar.
  await enterAt(page, page.getByRole('link', { name: /^Skip to/ }))
  await importFile(page, file)
  await status(page).filter({ hasText: 'The import is paused.' }).waitFor()
  await section(page)
    .getByText(/No new threads · \d+ threads already exist/)
    .waitFor()
  await section(page).getByRole('button', { name: 'Cancel import' }).press('Enter')
  await status(page).filter({ hasText: 'Import canceled.' }).waitFor()
})

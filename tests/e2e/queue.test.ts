/** Messages that wait for an answer. The model is a peer whose answer ends when the test says so, however long everything else takes. */
import type { Locator } from 'playwright-core'
import { expect, test } from 'vitest'
import { pngOf } from '../support/sample-files.ts'
import { pathOf, show } from './stage.ts'
import { setWaitingStage } from './waiting-answers.ts'

const { arrive, meetAgain, opening, tell, asked } = setWaitingStage()

test('what is typed during an answer waits on the server, is changed from another device, and is sent with every tab closed', async () => {
  const guest = await arrive()
  await guest.send(opening())
  await guest.conversation.getByText('Hello world').waitFor()
  for (const text of ['what is kept', 'what is dropped']) {
    await guest.composer.fill(text)
    await guest.composer.press('Enter')
    await guest.conversation.getByRole('article', { name: 'Queued message' }).filter({ hasText: text }).waitFor()
  }
  await expect.poll(() => guest.composer.inputValue()).toBe('')
  const other = await meetAgain(guest)
  await other.open(pathOf(guest))
  const waiting = other.conversation.getByRole('article', { name: 'Queued message' })
  await waiting.filter({ hasText: 'dropped' }).getByRole('button', { name: 'Remove from queue' }).click()
  await waiting.filter({ hasText: 'kept' }).getByRole('button', { name: 'Edit queued message' }).click()
  await other.page.getByRole('textbox', { name: 'Queued message text' }).fill('what is changed')
  await other.page.getByRole('button', { name: 'Save' }).click()
  const pencil = waiting.getByRole('button', { name: 'Edit queued message' })
  await expect.poll(() => pencil.evaluate((element) => element === document.activeElement)).toBe(true)
  await guest.conversation.getByRole('article', { name: 'Queued message' }).filter({ hasText: 'changed' }).waitFor()
  await guest.conversation.getByRole('article', { name: 'Queued message' }).filter({ hasText: 'dropped' }).waitFor({ state: 'detached' })
  const path = pathOf(guest)
  const state = { storageState: { cookies: (await guest.context.storageState()).cookies, origins: [] } }
  await Promise.all([guest.leave(), other.leave()])

  tell()
  await expect.poll(() => asked().length).toBe(2)
  expect(asked().at(-1)).toContain('what is changed')
  const later = await arrive(state)
  await later.threads.getByRole('img', { name: 'Answering' }).or(later.threads.getByText('Answering')).waitFor({ state: 'detached' })
  await later.open(path)
  await later.conversation.getByRole('article', { name: 'Your message' }).filter({ hasText: 'what is changed' }).waitFor()
  await expect.poll(() => later.conversation.getByText('Hello world').count()).toBe(2)
  await later.untilAnswered()
  await expect.poll(() => later.answers()).toBe(2)
  await expect.poll(() => later.conversation.getByRole('article', { name: 'Queued message' }).count()).toBe(0)
  // All is said, and nothing was asked that was dropped.
  expect(asked().length).toBe(2)
})

test('whoever removes queued messages with the keyboard goes on to the next, and in the end to the composer', async () => {
  const guest = await arrive()
  await guest.send(opening())
  await guest.conversation.getByText('Hello world').waitFor()
  const queued = (text: string) => guest.conversation.getByRole('article', { name: 'Queued message' }).filter({ hasText: text })
  const texts = ['first', 'second', 'third']
  for (const text of texts) {
    await guest.composer.fill(text)
    await guest.composer.press('Enter')
    await queued(text).waitFor()
  }
  const remove = (text: string) => queued(text).getByRole('button', { name: 'Remove from queue' })
  const isFocused = (element: Locator) => element.evaluate((field) => field === document.activeElement)
  await remove('second').focus()
  for (const [text, next] of [
    ['second', remove('third')],
    ['third', remove('first')],
    ['first', guest.composer],
  ] as const) {
    await guest.page.keyboard.press('Enter')
    await queued(text).waitFor({ state: 'detached' })
    await expect.poll(() => isFocused(next)).toBe(true)
  }
  tell()
  await guest.untilAnswered()
})

test('a message that waits is given another model, on every device, and is answered by it', async () => {
  const guest = await arrive()
  await guest.send(opening())
  await guest.conversation.getByText('Hello world').waitFor()
  await guest.composer.fill('for another model')
  await guest.composer.press('Enter')
  const other = await meetAgain(guest)
  await other.open(pathOf(guest))
  const waiting = other.conversation.getByRole('article', { name: 'Queued message' })
  await waiting.getByRole('button', { name: 'Send with another model' }).click()
  await other.page.getByRole('combobox', { name: 'Find model' }).fill('GPT 4o Mini')
  await other.page.getByRole('option', { name: /^GPT 4o Mini / }).click()
  await waiting.getByText('GPT 4o Mini').waitFor()
  await guest.conversation.getByRole('article', { name: 'Queued message' }).getByText('GPT 4o Mini').waitFor()
  tell()
  await expect.poll(() => guest.answers()).toBe(2)
  await guest.untilAnswered()
  await guest.conversation.getByRole('article', { name: 'Answer' }).last().getByText('GPT 4o Mini').waitFor()
})

test('a message typed while an answer is written waits with its files', async () => {
  const guest = await arrive()
  await guest.page.getByRole('button', { name: 'Model', exact: true }).click()
  await guest.page.getByRole('combobox', { name: 'Find model' }).fill('GPT 4o Mini')
  await guest.page.getByRole('option', { name: /^GPT 4o Mini / }).click()
  await guest.send(opening())
  await guest.conversation.getByText('Hello world').waitFor()
  await guest.page.getByLabel('Files', { exact: true }).setInputFiles([
    { name: 'later.png', mimeType: 'image/png', buffer: Buffer.from(pngOf(360, 240, [200, 80, 60])) },
    { name: 'notes.md', mimeType: 'text/markdown', buffer: Buffer.from('# Tides\nTwice a day.') },
  ])
  const attachments = guest.page.getByRole('list', { name: 'Attachments' })
  await attachments.getByRole('button', { name: 'Open later.png' }).waitFor()
  await attachments.getByText('notes.md').waitFor()
  await guest.composer.fill('what is in them?')
  await guest.page.getByRole('button', { name: 'Queue message' }).click()
  const queued = guest.page.getByRole('article', { name: 'Queued message' })
  await queued.getByRole('button', { name: 'Open later.png' }).waitFor()
  await show(guest, 'queued')
  expect(asked().length).toBe(1)
  tell()
  await expect.poll(() => guest.answers()).toBe(2)
  await guest.untilAnswered()
  // The model was given both: the picture as it is, the notes as words.
  await expect.poll(() => asked().at(-1)).toMatch(/image\/png/)
  expect(asked().at(-1)).toContain('Twice a day.')
  await expect.poll(() => guest.conversation.getByRole('list', { name: 'Attached files' }).getByRole('listitem').count()).toBe(2)
})

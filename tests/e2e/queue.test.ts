/** Queued messages. The model is a peer whose answers end when the test says so. */
import { expect, test } from 'vitest'
import { pngOf } from '../support/sample-files.ts'
import { isFocused } from './keys.ts'
import { pathOf, show } from './stage.ts'
import { setWaitingStage } from './waiting-answers.ts'
import { withoutSocket } from './without-socket.ts'

const { newUser, openComposer, newDevice, firstMessage, endAnswers, requests } = setWaitingStage()

test('a message typed during an answer is queued on the server, edited on another device, and sent with every tab closed', async () => {
  const guest = await openComposer()
  await guest.send(firstMessage())
  await guest.conversation.getByText('Hello world').waitFor()
  for (const text of ['what is kept', 'what is dropped']) {
    await guest.composer.fill(text)
    await guest.composer.press('Enter')
    await guest.conversation.getByRole('article', { name: 'Queued message' }).filter({ hasText: text }).waitFor()
  }
  await expect.poll(() => guest.composer.inputValue()).toBe('')
  const other = await newDevice(guest)
  await other.open(pathOf(guest))
  const waiting = other.conversation.getByRole('article', { name: 'Queued message' })
  await waiting.filter({ hasText: 'dropped' }).getByRole('button', { name: 'Remove from queue' }).click()
  await waiting.filter({ hasText: 'kept' }).getByRole('button', { name: 'Edit queued message' }).click()
  await waiting.waitFor({ state: 'detached' })
  await expect.poll(() => isFocused(other.composer)).toBe(true)
  expect(await other.composer.inputValue()).toBe('what is kept')
  await other.composer.fill('what is changed')
  await other.composer.press('Enter')
  await guest.conversation.getByRole('article', { name: 'Queued message' }).filter({ hasText: 'changed' }).waitFor()
  await guest.conversation.getByRole('article', { name: 'Queued message' }).filter({ hasText: 'dropped' }).waitFor({ state: 'detached' })
  const path = pathOf(guest)
  const state = { storageState: { cookies: (await guest.context.storageState()).cookies, origins: [] } }
  await Promise.all([guest.leave(), other.leave()])

  endAnswers()
  await expect.poll(() => requests().length).toBe(2)
  expect(requests().at(-1)).toContain('what is changed')
  const later = await openComposer(state)
  await later.threads.getByRole('img', { name: 'Answering' }).or(later.threads.getByText('Answering')).waitFor({ state: 'detached' })
  await later.open(path)
  await later.conversation.getByRole('article', { name: 'Your message' }).filter({ hasText: 'what is changed' }).waitFor()
  await expect.poll(() => later.conversation.getByText('Hello world').count()).toBe(2)
  await later.untilAnswered()
  await expect.poll(() => later.answers()).toBe(2)
  await expect.poll(() => later.conversation.getByRole('article', { name: 'Queued message' }).count()).toBe(0)
  // All messages were sent, and the removed one was not.
  expect(requests().length).toBe(2)
})

test('removing queued messages by keyboard moves the focus to the next one, and finally to the composer', async () => {
  const guest = await openComposer()
  await guest.send(firstMessage())
  await guest.conversation.getByText('Hello world').waitFor()
  const queued = (text: string) => guest.conversation.getByRole('article', { name: 'Queued message' }).filter({ hasText: text })
  const texts = ['first', 'second', 'third']
  for (const text of texts) {
    await guest.composer.fill(text)
    await guest.composer.press('Enter')
    await queued(text).waitFor()
  }
  const remove = (text: string) => queued(text).getByRole('button', { name: 'Remove from queue' })
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
  endAnswers()
  await guest.untilAnswered()
})

test('Send keeps the focus as Stop and back, and a held Enter does not stop the answer', async () => {
  // On a desktop the field gets the focus after each press.
  const { page, composer, conversation } = await openComposer({ phone: true })
  const send = page.getByRole('button', { name: 'Send message' })
  const stop = page.getByRole('button', { name: 'Stop generating' })
  await composer.fill(firstMessage())
  await send.focus()
  await page.keyboard.down('Enter')
  await stop.waitFor()
  await page.keyboard.down('Enter')
  await page.keyboard.up('Enter')
  await conversation.getByText('Hello world').waitFor()
  expect(await isFocused(stop)).toBe(true)
  endAnswers()
  await send.waitFor()
  expect(await isFocused(send)).toBe(true)
})

test('Enter held on the Stop button does not send the text of the field', async () => {
  const { page, composer, conversation, answers, untilAnswered } = await openComposer()
  await composer.fill(firstMessage())
  await composer.press('Enter')
  await conversation.getByText('Hello world').waitFor()
  await composer.fill('unfinished')
  await page.getByRole('button', { name: 'Stop generating' }).focus()
  await page.keyboard.down('Enter')
  await expect.poll(() => isFocused(composer)).toBe(true)
  // A second `down` without `up` is a key repeat.
  await page.keyboard.down('Enter')
  await page.keyboard.up('Enter')
  expect(await composer.inputValue()).toBe('unfinished')
  await untilAnswered()
  expect(await answers()).toBe(1)
})

test('the model of a queued message can be changed on every device, and it is used', async () => {
  const guest = await openComposer()
  await guest.send(firstMessage())
  await guest.conversation.getByText('Hello world').waitFor()
  await guest.composer.fill('for another model')
  await guest.composer.press('Enter')
  const other = await newDevice(guest)
  await other.open(pathOf(guest))
  const waiting = other.conversation.getByRole('article', { name: 'Queued message' })
  await waiting.getByRole('button', { name: 'Send with another model' }).click()
  await other.page.getByRole('combobox', { name: 'Find model' }).fill('GPT 4o Mini')
  await other.page.getByRole('option', { name: /^GPT 4o Mini / }).click()
  await waiting.getByText('GPT 4o Mini').waitFor()
  await guest.conversation.getByRole('article', { name: 'Queued message' }).getByText('GPT 4o Mini').waitFor()
  endAnswers()
  await expect.poll(() => guest.answers()).toBe(2)
  await guest.untilAnswered()
  await guest.conversation.getByRole('article', { name: 'Answer' }).last().getByText('GPT 4o Mini').waitFor()
})

test('a queued message with files keeps them, also in the composer, where the text before is offered', async () => {
  const guest = await openComposer()
  await guest.page.getByRole('button', { name: 'Model', exact: true }).click()
  await guest.page.getByRole('combobox', { name: 'Find model' }).fill('GPT 4o Mini')
  await guest.page.getByRole('option', { name: /^GPT 4o Mini / }).click()
  await guest.send(firstMessage())
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
  await guest.composer.fill('half a thought')
  await queued.getByRole('button', { name: 'Edit queued message' }).click()
  await queued.waitFor({ state: 'detached' })
  await attachments.getByRole('button', { name: 'Open later.png' }).waitFor()
  await guest.page.getByText('half a thought').waitFor()
  await guest.composer.fill('what is in both?')
  await guest.page.getByRole('button', { name: 'Queue message' }).click()
  await queued.getByText('what is in both?').waitFor()
  await guest.page.getByRole('button', { name: 'Use', exact: true }).click()
  expect(await guest.composer.inputValue()).toBe('half a thought')
  expect(requests().length).toBe(1)
  endAnswers()
  await expect.poll(() => guest.answers()).toBe(2)
  await guest.untilAnswered()
  // The model received both: the picture unchanged, the notes as text.
  await expect.poll(() => requests().at(-1)).toMatch(/image\/png/)
  expect(requests().at(-1)).toContain('Twice a day.')
  await expect.poll(() => guest.conversation.getByRole('list', { name: 'Attached files' }).getByRole('listitem').count()).toBe(2)
})

test('a message that is edited in a tab that closes at once is in the composer of the next page, and is not sent', async () => {
  const guest = await openComposer()
  await guest.send(firstMessage())
  await guest.conversation.getByText('Hello world').waitFor()
  await guest.composer.fill('to be changed')
  await guest.composer.press('Enter')
  const queued = guest.conversation.getByRole('article', { name: 'Queued message' })
  await queued.getByRole('button', { name: 'Edit queued message' }).click()
  await queued.waitFor({ state: 'detached' })
  const path = pathOf(guest)
  await guest.page.close()
  const page = await guest.context.newPage()
  await page.goto(path)
  await expect.poll(() => page.getByRole('textbox', { name: 'Message', exact: true }).inputValue()).toBe('to be changed')
  endAnswers()
  await page.getByRole('button', { name: 'Stop generating' }).waitFor({ state: 'detached' })
  expect(await page.getByRole('article', { name: 'Queued message' }).count()).toBe(0)
  expect(requests().length).toBe(1)
})

test('a message that is sent before it leaves the queue stays in the composer, with the reason', async () => {
  const guest = await newUser()
  const wire = await withoutSocket(guest)
  await guest.open()
  await guest.send(firstMessage())
  await guest.conversation.getByText('Hello world').waitFor()
  await guest.composer.fill('sent as it is')
  await guest.composer.press('Enter')
  const queued = guest.conversation.getByRole('article', { name: 'Queued message' })
  await queued.waitFor()
  // The server has the message.
  await queued.getByRole('status').waitFor({ state: 'detached' })
  await wire.cut()
  await queued.getByRole('button', { name: 'Edit queued message' }).click()
  endAnswers()
  await expect.poll(() => requests().length).toBe(2)
  wire.mend()
  await guest.page.getByText('This message was sent or removed before you could edit it.').waitFor()
  expect(await guest.composer.inputValue()).toBe('sent as it is')
  await expect.poll(() => guest.answers()).toBe(2)
  await guest.untilAnswered()
})

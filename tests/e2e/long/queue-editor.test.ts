/** Queued messages that are edited while answers end and other devices act. No text is lost, and no outdated text is sent. */
import { expect, test } from 'vitest'
import { queueEditorMs } from '../../../worker/contract/limits.ts'
import { pathOf } from '../stage.ts'
import type { UserPage } from '../user-page.ts'
import { setWaitingStage } from '../waiting-answers.ts'
import { withoutSocket } from '../without-socket.ts'

const { newUser, openComposer, newDevice, firstMessage, endAnswers, requests } = setWaitingStage()
const queued = ({ conversation }: UserPage) => conversation.getByRole('article', { name: 'Queued message' })
const editor = ({ page }: UserPage) => page.getByRole('textbox', { name: 'Queued message text' })
const button = ({ page }: UserPage, name: string) => page.getByRole('button', { name, exact: true })

/** A user whose message is queued after a streaming answer and open in its editor. */
async function editing(arriving = openComposer()): Promise<UserPage> {
  const guest = await arriving
  await guest.send(firstMessage())
  await guest.conversation.getByText('Hello world').waitFor()
  await guest.composer.fill('the old words')
  await guest.composer.press('Enter')
  await queued(guest).getByRole('button', { name: 'Edit queued message' }).click()
  await editor(guest).waitFor()
  return guest
}

/** Ends the answers and waits until the queued message is answered too. */
async function finish(guest: UserPage): Promise<void> {
  endAnswers()
  await queued(guest).waitFor({ state: 'detached' })
  await expect.poll(() => guest.answers()).toBe(2)
  await guest.untilAnswered()
}

async function onAnotherDevice(guest: UserPage): Promise<UserPage> {
  const other = await newDevice(guest)
  await other.open(pathOf(guest))
  await queued(other).waitFor()
  return other
}

test('a message is not sent while it is edited, even after a reload, and then with its new text', async () => {
  const guest = await editing()
  await editor(guest).fill('the new words')
  const other = await onAnotherDevice(guest)
  await queued(other).getByText('Being edited on another device').waitFor()
  endAnswers()
  await queued(guest).waitFor()
  await guest.conversation.getByText('Sent when editing is done').waitFor()
  await guest.page.reload()
  await expect.poll(() => editor(guest).inputValue()).toBe('the new words')
  expect(requests().length).toBe(1)
  await button(guest, 'Save').click()
  await expect.poll(() => requests().length).toBe(2)
  expect(requests().at(-1)).toContain('the new words')
  await guest.untilAnswered()
  await expect.poll(() => queued(other).count()).toBe(0)
})

test('the text moves to the composer when another device sends the message meanwhile', async () => {
  const guest = await editing()
  await editor(guest).fill('what nobody has saved yet')
  const other = await onAnotherDevice(guest)
  endAnswers()
  await button(other, 'Send now').click()
  await expect.poll(() => guest.composer.inputValue()).toBe('what nobody has saved yet')
  await guest.page.getByText('A queued message was sent before your change was saved. Your text is in the message field.').waitFor()
  await expect.poll(() => guest.composer.evaluate((field) => field === document.activeElement)).toBe(true)
  await guest.untilAnswered()
  await expect.poll(() => requests().at(-1)).toContain('the old words')
  await editor(guest).waitFor({ state: 'detached' })
  await queued(guest).waitFor({ state: 'detached' })
})

test('the text is offered when the composer is in use', async () => {
  const guest = await editing()
  await editor(guest).fill('what nobody has saved yet')
  await guest.composer.fill('something else')
  const other = await onAnotherDevice(guest)
  await queued(other).getByRole('button', { name: 'Remove from queue' }).click()
  await guest.page.getByText('A queued message that you were editing was removed on another device.').waitFor()
  expect(await guest.composer.inputValue()).toBe('something else')
  await button(guest, 'Restore').click()
  await expect.poll(() => guest.composer.inputValue()).toBe('what nobody has saved yet')
  endAnswers()
  await guest.untilAnswered()
})

test('a change by another device appears in the editor, and the user selects one of the two', async () => {
  const guest = await editing()
  await editor(guest).fill('mine')
  const other = await onAnotherDevice(guest)
  await queued(other).getByRole('button', { name: 'Edit queued message' }).click()
  await editor(other).fill('theirs')
  await button(other, 'Save').click()
  await queued(guest).getByText('Edited on another device').waitFor()
  await queued(guest).getByText('theirs').waitFor()
  expect(await editor(guest).inputValue()).toBe('mine')
  await editor(guest).press('Enter')
  expect(await editor(guest).inputValue()).toBe('mine')
  await button(guest, 'Keep mine').click()
  await queued(guest).getByText('Edited on another device').waitFor({ state: 'detached' })
  await button(guest, 'Save').click()
  await queued(other).filter({ hasText: 'mine' }).waitFor()
  await finish(guest)
})

test('a save that a page close interrupted is repeated by the next page, and the lease of the editor ends', async () => {
  const guest = await newUser()
  const wire = await withoutSocket(guest)
  await guest.open()
  await editing(Promise.resolve(guest))
  await editor(guest).fill('the new words')
  await wire.cut()
  await button(guest, 'Save').click()
  await editor(guest).waitFor({ state: 'detached' })
  const path = pathOf(guest)
  await guest.page.close()
  wire.mend()
  const page = await guest.context.newPage()
  await page.goto(path)
  await page.getByRole('article', { name: 'Queued message' }).getByText('the new words').waitFor()
  endAnswers()
  await expect.poll(() => requests().at(-1)).toContain('the new words')
  expect(requests().join()).not.toContain('the old words')
  await page.getByRole('button', { name: 'Stop generating' }).waitFor({ state: 'detached' })
  expect(await page.getByRole('textbox', { name: 'Message', exact: true }).inputValue()).toBe('')
})

test('a save that is refused after the reload opens the editor again, with the current text of the message', async () => {
  const guest = await newUser()
  const wire = await withoutSocket(guest)
  await guest.open()
  await editing(Promise.resolve(guest))
  await editor(guest).fill('mine')
  const other = await onAnotherDevice(guest)
  await wire.cut()
  await button(guest, 'Save').click()
  await editor(guest).waitFor({ state: 'detached' })
  await guest.page.reload()
  await queued(other).getByRole('button', { name: 'Edit queued message' }).click()
  await editor(other).fill('theirs')
  await button(other, 'Save').click()
  await queued(other).getByText('theirs').waitFor()
  wire.mend()
  await queued(guest).getByText('Edited on another device').waitFor()
  await queued(guest).getByText('theirs').waitFor()
  expect(await editor(guest).inputValue()).toBe('mine')
  await button(guest, 'Cancel').click()
  await finish(guest)
})

test('a duplicated tab has no editor of the message and states where it is open', async () => {
  const guest = await editing()
  await editor(guest).fill('the new words')
  const opening = guest.context.waitForEvent('page')
  // It gets a copy of the session storage, like a duplicated tab.
  await guest.page.evaluate(() => void window.open(location.href))
  const page = await opening
  const copied = page.getByRole('article', { name: 'Queued message' })
  await copied.getByText('Being edited on another device').waitFor()
  await page.reload()
  await copied.getByText('Being edited on another device').waitFor()
  expect(await page.getByRole('textbox', { name: 'Queued message text' }).count()).toBe(0)
  endAnswers()
  await button(guest, 'Save').click()
  await expect.poll(() => requests().length).toBe(2)
  expect(requests().at(-1)).toContain('the new words')
  await finish(guest)
})

test('an editor whose device crashed is shown only until its lease expires', async () => {
  const other = await editing()
  const guest = await newDevice(other)
  await guest.page.clock.install()
  const wire = await withoutSocket(guest)
  await guest.open(pathOf(other))
  const editingNote = queued(guest).getByText('Being edited on another device')
  await editingNote.waitFor()
  await other.leave()
  // No row arrives that would cause another render.
  await wire.cut()
  await guest.page.clock.fastForward(queueEditorMs + 1000)
  await editingNote.waitFor({ state: 'detached' })
  wire.mend()
  endAnswers()
  await guest.untilAnswered()
})

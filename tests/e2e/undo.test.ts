/** Undo of deletions from a toast that every device of the user shows for the same time. */
import { expect, test } from 'vitest'
import { openRecord } from '../support/record-file.ts'
import { serverAway } from '../support/server-away.ts'
import { inMode, pathOf, setStage, show } from './stage.ts'
import { chooseForMessage, type UserPage } from './user-page.ts'

// Animated: toasts are replaced during their exit animation.
const { openComposer, newDevice, product } = setStage({ visits: { animated: true } })

const userMessage = ({ conversation }: UserPage, text: string) =>
  conversation.getByRole('article', { name: 'Your message' }).filter({ hasText: text })
const toasts = ({ page }: UserPage, text: string) => page.getByRole('listitem').filter({ hasText: text })
const undo = (user: UserPage, text: string) => toasts(user, text).getByRole('button', { name: 'Undo', exact: true })

/** The maximum number of these toasts at one time, from now on. */
async function mostToasts({ page }: UserPage, text: string): Promise<() => Promise<number>> {
  const most = await page.evaluateHandle((wanted) => {
    const seen = { count: 0 }
    const look = () => {
      const toasts = [...document.querySelectorAll('li')].filter(({ textContent }) => textContent?.includes(wanted))
      seen.count = Math.max(seen.count, toasts.length)
    }
    new MutationObserver(look).observe(document.body, { childList: true, subtree: true, characterData: true })
    return seen
  }, text)
  return () => most.evaluate(({ count }) => count)
}

/** A user with a thread of these questions, on desktop and phone. */
async function deskAndPhone(questions: readonly string[]): Promise<readonly [desk: UserPage, phone: UserPage]> {
  const desk = await openComposer()
  for (const [index, text] of questions.entries()) {
    await desk.send(`/demo chunks=2 delay=0 ${text}`)
    await expect.poll(() => desk.answers()).toBe(index + 1)
    await desk.untilAnswered()
  }
  const phone = await newDevice(desk, { phone: true })
  await phone.open(pathOf(desk))
  await userMessage(phone, questions.at(-1) ?? '').waitFor()
  return [desk, phone]
}

const deleteThread = async ({ threads, page }: UserPage) => {
  await threads.getByRole('listitem').first().hover()
  await threads
    .getByRole('button', { name: /^More for/ })
    .first()
    .click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
}

test('a deleted message, also with those below it, is restored on the other device, and both toasts close', async () => {
  const [desk, phone] = await deskAndPhone(['kept', 'middle', 'deleted'])
  const atDesk = await mostToasts(desk, 'Message deleted')
  await userMessage(desk, 'deleted').hover()
  await userMessage(desk, 'deleted').getByRole('button', { name: 'More for this message' }).click()
  await desk.page.getByRole('menuitem', { name: 'Delete', exact: true }).click()
  for (const user of [desk, phone]) {
    await toasts(user, 'Message deleted').getByText('/demo chunks=2 delay=0 deleted').waitFor()
    await userMessage(user, 'deleted').waitFor({ state: 'detached' })
  }
  await expect.poll(() => desk.composer.evaluate((field) => field === document.activeElement)).toBe(true)
  await show(desk, 'undo-desk')
  await show(phone, 'undo-phone')

  await undo(phone, 'Message deleted').click()
  for (const user of [desk, phone]) {
    await userMessage(user, 'deleted').waitFor()
    await toasts(user, 'Message deleted').waitFor({ state: 'detached' })
    await expect.poll(() => user.answers()).toBe(3)
  }
  // The desktop's own deletion and the synced one produced one toast; it has synced by now.
  expect(await atDesk()).toBe(1)

  // The other device deletes again: the first undo has no effect on it.
  await chooseForMessage(phone, userMessage(phone, 'middle'), 'Delete from here')
  const withThoseBelow = 'Message and what follows deleted'
  for (const user of [desk, phone]) {
    await toasts(user, withThoseBelow).getByText('/demo chunks=2 delay=0 middle').waitFor()
    await userMessage(user, 'deleted').waitFor({ state: 'detached' })
  }
  await undo(desk, withThoseBelow).click()
  for (const user of [desk, phone]) {
    await userMessage(user, 'deleted').waitFor()
    await toasts(user, withThoseBelow).waitFor({ state: 'detached' })
    await expect.poll(() => user.answers()).toBe(3)
  }
})

const deletionNotice = ({ page }: UserPage) => page.getByRole('heading', { name: 'This thread was deleted' })
const undoInPlace = ({ page }: UserPage) => page.getByRole('main').getByRole('button', { name: 'Undo', exact: true })

test('both devices offer to undo a deleted thread, also after a reload, and only within 30 seconds', async () => {
  const [desk, phone] = await deskAndPhone(['all of it'])
  const path = pathOf(desk)
  // Also on the device that started the thread.
  await chooseForMessage(phone, userMessage(phone, 'all of it'), 'Delete thread')
  await deletionNotice(desk).waitFor()
  expect(pathOf(desk)).toBe(path)
  await undoInPlace(desk).click()
  await userMessage(desk, 'all of it').waitFor()
  await toasts(phone, 'Thread deleted').waitFor({ state: 'detached' })
  await phone.page.goBack()
  await userMessage(phone, 'all of it').waitFor()

  await deleteThread(desk)
  await deletionNotice(phone).waitFor()
  await undo(phone, 'Thread deleted').waitFor()
  await show(phone, 'deleted-thread')
  await phone.page.reload()
  await undo(phone, 'Thread deleted').click()
  await userMessage(phone, 'all of it').waitFor()
  // Only the device that deleted it navigated away.
  await desk.threads.locator(`a[href="${path}"]`).waitFor()
  await toasts(desk, 'Thread deleted').waitFor({ state: 'detached' })
  expect(pathOf(desk)).toBe('/')

  // Opening the thread's address again shows the deletion with Undo.
  await desk.threads.locator(`a[href="${path}"]`).click()
  await userMessage(desk, 'all of it').waitFor()
  await deleteThread(desk)
  await expect.poll(() => pathOf(desk)).toBe('/')
  await desk.page.goBack()
  await deletionNotice(desk).waitFor()
  await show(desk, 'deleted-thread-desk')
  await undoInPlace(desk).click()
  for (const user of [desk, phone]) {
    await userMessage(user, 'all of it').waitFor()
    await toasts(user, 'Thread deleted').waitFor({ state: 'detached' })
  }

  await desk.startThread()
  await desk.send('/demo chunks=2 delay=0 another one')
  await desk.untilAnswered()
  await deleteThread(desk)
  await undo(phone, 'Thread deleted').waitFor()
  await product().kill9()
  const record = openRecord(product().stateDir)
  const { changes } = record.prepare('update thread set deletedAt = deletedAt - 60000 where deletedAt is not null').run()
  expect(changes).toBe(1)
  record.close()
  await product().restart()

  // With its local rows, the first phone would use the earlier time.
  const late = await newDevice(desk, { phone: true })
  await late.open(path)
  await userMessage(late, 'all of it').waitFor()
  await deleteThread(desk)
  await undo(late, 'Thread deleted').waitFor()
  await expect.poll(() => toasts(late, 'Thread deleted').allInnerTexts()).toEqual([expect.stringContaining('All')])
})

test('a thread deleted on another device while a device was offline disappears there after the reconnect, and Undo restores it', async () => {
  const [desk] = await deskAndPhone(['read on a train'])
  const path = pathOf(desk)
  const laptop = await newDevice(desk, { prefetches: true })
  await laptop.open(path)
  await userMessage(laptop, 'read on a train').waitFor()
  await laptop.context.setOffline(true)
  laptop.ignoreErrors(serverAway)
  await laptop.page.getByText('Offline. Your messages are sent when the connection is back.').waitFor()

  await deleteThread(desk)
  await expect.poll(() => deletedThreads()).toContain(path.slice(1))
  await userMessage(laptop, 'read on a train').waitFor()
  expect([await deletionNotice(laptop).count(), await laptop.threads.getByRole('link').count()]).toEqual([0, 1])

  await laptop.context.setOffline(false)
  await deletionNotice(laptop).waitFor()
  await userMessage(laptop, 'read on a train').waitFor({ state: 'detached' })
  await expect.poll(() => laptop.threads.getByRole('link').count()).toBe(0)
  await expect.poll(() => toasts(laptop, 'Thread deleted').count()).toBe(1)
  expect(pathOf(laptop)).toBe(path)
  await show(laptop, 'deleted-while-offline')
  await undoInPlace(laptop).click()
  await userMessage(laptop, 'read on a train').waitFor()
  await desk.threads.locator(`a[href="${path}"]`).waitFor()
})

/** Ids of the deleted threads in the database. */
function deletedThreads(): unknown[] {
  const record = openRecord(product().stateDir, true)
  const ids = record.prepare('select id from thread where deletedAt is not null').all()
  record.close()
  return ids.map(({ id }) => id)
}

test('the focus moves into an opened sidebar, and from an archived thread to its neighbour', async () => {
  const guest = await openComposer()
  for (const text of ['first', 'second']) {
    await guest.startThread()
    await guest.send(`/demo say=${text}`)
    await guest.untilAnswered()
  }
  const phone = await newDevice(guest, { phone: true })
  await phone.open(pathOf(guest))
  await phone.page.getByRole('button', { name: 'Open sidebar' }).tap()
  const sidebar = phone.page.getByRole('dialog', { name: 'Sidebar' })
  await expect.poll(() => sidebar.evaluate((dialog) => dialog.contains(document.activeElement))).toBe(true)

  const rows = guest.threads.getByRole('listitem')
  const [kept, archived] = [rows.first(), rows.last()]
  await archived.hover()
  await archived.getByRole('button', { name: /^More for/ }).click()
  await guest.page.getByRole('menuitem', { name: 'Archive' }).click()
  await expect.poll(() => rows.count()).toBe(1)
  await expect.poll(() => kept.getByRole('link').evaluate((link) => link === document.activeElement)).toBe(true)
})

test('on a phone, the toast of a deletion leaves the buttons of an open dialog uncovered', async () => {
  const desk = await openComposer()
  await desk.send('/demo chunks=2 delay=0 gone')
  await desk.untilAnswered()
  const phone = await newDevice(desk, { phone: true })
  await phone.page.goto('/projects')
  await phone.page.getByRole('main').getByRole('button', { name: 'New project' }).click()
  const create = phone.page.getByRole('dialog').getByRole('button', { name: 'Create' })
  await create.waitFor()
  await deleteThread(desk)
  const toast = toasts(phone, 'Thread deleted')
  await undo(phone, 'Thread deleted').waitFor()
  const bottomOf = async () => toast.boundingBox().then((box) => (box ? box.y + box.height : Number.POSITIVE_INFINITY))
  await expect.poll(bottomOf).toBeLessThan((await create.boundingBox())?.y ?? 0)
  for (const mode of ['light', 'dark'] as const) {
    await inMode(phone.page, mode)
    await show(phone, `toast-over-dialog-${mode}`)
  }
  await phone.page.getByRole('textbox', { name: 'Name' }).fill('Tea shop')
  await create.click()
  await toast.waitFor()
  await phone.page.getByRole('heading', { name: 'Tea shop' }).waitFor()
})

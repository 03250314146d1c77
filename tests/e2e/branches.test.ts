/** Versions, a paused queue and forks in one or two browsers. */
import { expect, test } from 'vitest'
import { restingPlace } from './resting-place.ts'
import { pathOf, setStage, show } from './stage.ts'
import type { UserPage } from './user-page.ts'

const { openComposer, newDevice, product } = setStage()

const button = ({ page }: UserPage, name: string) => page.getByRole('button', { name, exact: true })
const hasFocus = (of: ReturnType<typeof button>) => of.evaluate((element) => element === document.activeElement)
const userMessage = ({ conversation }: UserPage, text: string) =>
  conversation.getByRole('article', { name: 'Your message' }).filter({ hasText: text })
const messageMenu = async (user: UserPage, message: ReturnType<typeof userMessage>, item: string) => {
  await message.hover()
  await message.getByRole('button', { name: 'More for this message' }).click()
  await user.page.getByRole('menuitem', { name: item, exact: true }).click()
}

test('a version of a question or an answer is selected on one device, shown with its branch on every other, and stored', async () => {
  const guest = await openComposer()
  await guest.send('/demo chunks=3 delay=0 first')
  await guest.untilAnswered()
  const other = await newDevice(guest)
  await other.open(pathOf(guest))
  await button(guest, 'Regenerate').click()
  await guest.conversation.getByText('Version 2 of 2').waitFor()
  await expect.poll(() => hasFocus(guest.composer)).toBe(true)
  await guest.send('/demo chunks=2 delay=0 below the second answer')
  await expect.poll(() => guest.answers()).toBe(2)
  await guest.untilAnswered()

  await button(guest, 'Previous version').click()
  await guest.conversation.getByText('1 of 2').waitFor()
  await userMessage(guest, 'below the second').waitFor({ state: 'detached' })
  await userMessage(other, 'below the second').waitFor({ state: 'detached' })
  await guest.page.reload()
  await guest.conversation.getByText('1 of 2').waitFor()
  await button(other, 'Next version').click()
  await userMessage(guest, 'below the second').waitFor()

  await userMessage(guest, 'below the second').hover()
  await userMessage(guest, 'below the second').getByRole('button', { name: 'Edit' }).click()
  await guest.send('/demo chunks=2 delay=0 instead')
  await userMessage(guest, 'instead').getByText('2 of 2').waitFor()
  await userMessage(other, 'instead').waitFor()
})

test('versions can be browsed by keyboard: the focus stays on the arrow', async () => {
  const guest = await openComposer()
  await guest.send('/demo say=one')
  await guest.untilAnswered()
  for (const [text, version] of [
    ['two', '2 of 2'],
    ['three', '3 of 3'],
  ]) {
    await userMessage(guest, '/demo').hover()
    await userMessage(guest, '/demo').getByRole('button', { name: 'Edit' }).click()
    await guest.send(`/demo say=${text}`)
    await userMessage(guest, `${text}`).getByText(`${version}`).waitFor()
    await guest.untilAnswered()
  }
  const focused = (name: string) => expect.poll(() => button(guest, name).evaluate((arrow) => arrow === document.activeElement)).toBe(true)
  await button(guest, 'Previous version').focus()
  for (const [text, version] of [
    ['two', '2 of 3'],
    ['one', '1 of 3'],
  ]) {
    await guest.page.keyboard.press('Enter')
    await userMessage(guest, `${text}`).getByText(`${version}`).waitFor()
    await focused('Previous version')
  }
  // A user who has focused the composer meanwhile keeps the focus.
  await guest.composer.focus()
  await button(guest, 'Next version').evaluate((arrow) => {
    if (arrow instanceof HTMLElement) arrow.click()
  })
  await userMessage(guest, 'two').getByText('2 of 3').waitFor()
  await expect.poll(() => guest.composer.evaluate((field) => field === document.activeElement)).toBe(true)
})

test('switching to a longer version keeps the pressed arrow in view', async () => {
  const guest = await openComposer()
  await guest.send('/demo chunks=400 delay=0 long')
  await guest.untilAnswered()
  await userMessage(guest, 'long').scrollIntoViewIfNeeded()
  await userMessage(guest, 'long').hover()
  await userMessage(guest, 'long').getByRole('button', { name: 'Edit' }).click()
  await guest.send('/demo say=short')
  await userMessage(guest, 'short').getByText('2 of 2').waitFor()
  await guest.untilAnswered()

  await button(guest, 'Previous version').click()
  await userMessage(guest, 'long').getByText('1 of 2').waitFor()
  await restingPlace(guest)
  const topPx = await button(guest, 'Next version').evaluate((arrow) => arrow.getBoundingClientRect().top)
  expect(topPx).toBeGreaterThan(0)
})

test('another model regenerates the answer and shows its name', async () => {
  const guest = await openComposer()
  await guest.send('/demo chunks=3 delay=0')
  await guest.untilAnswered()
  await button(guest, 'Regenerate with another model').click()
  await guest.page.getByRole('combobox', { name: 'Find model' }).fill('DeepSeek')
  const choice = guest.page.locator('[role=option]:not([aria-disabled=true])').first()
  const chosen = await choice.locator('.font-medium').innerText()
  await choice.click()
  await guest.conversation.getByText('2 of 2').waitFor()
  await guest.untilAnswered()
  await guest.conversation.getByText(chosen, { exact: true }).first().waitFor()
})

test('stopping pauses the queue until the user resumes it', async () => {
  const guest = await openComposer()
  await guest.send('/demo chunks=5000 delay=25')
  await guest.conversation.getByText('word5 ').waitFor()
  await guest.composer.fill('/demo chunks=2 delay=0 held')
  await button(guest, 'Queue message').click()
  await guest.conversation.getByRole('article', { name: 'Queued message' }).waitFor()
  await button(guest, 'Stop generating').click()
  await guest.conversation.getByText('Queue paused. You stopped the previous answer.').waitFor()
  await button(guest, 'Send now').click()
  await userMessage(guest, 'held').waitFor()
  // The button disappeared with the pause.
  await expect.poll(() => hasFocus(guest.composer)).toBe(true)
  await expect.poll(() => guest.answers()).toBe(2)
  await guest.untilAnswered()
})

test('an interruption pauses the queue on every device, and the partial answer can be continued', async () => {
  const guest = await openComposer()
  await guest.send('/demo chunks=5000 delay=25')
  await guest.conversation.getByText('word5 ').waitFor()
  await guest.composer.fill('/demo chunks=2 delay=0 held')
  await button(guest, 'Queue message').click()
  const phone = await newDevice(guest, { phone: true })
  await phone.open(pathOf(guest))
  // Another device shows it only after the server has it.
  await phone.conversation.getByRole('article', { name: 'Queued message' }).waitFor()
  await product().kill9()
  await product().restart()
  for (const device of [guest, phone]) {
    await device.conversation.getByText('Queue paused. The previous answer was interrupted.').waitFor()
    await button(device, 'Retry').waitFor()
  }
  await show(phone, 'interrupted-queue')
  await button(phone, 'Continue').click()
  for (const device of [guest, phone]) await device.conversation.getByText('Sent when the answer is done').waitFor()
  await button(guest, 'Stop generating').click()
  await phone.conversation.getByText('Queue paused. You stopped the previous answer.').waitFor()
  expect(await guest.answers()).toBe(1)
})

test('the fork of a thread with a long title can be distinguished from it in the list', async () => {
  const guest = await openComposer()
  await guest.send('/demo say=Mediterranean thunderstorms repeatedly overwhelming sophisticated harbours')
  await guest.untilAnswered()
  await messageMenu(guest, guest.conversation.getByRole('article', { name: 'Answer' }), 'Fork from here')
  const fork = guest.threads.getByRole('link', { name: /\(fork\)$/ })
  await fork.waitFor()
  await show(guest, 'fork')
  const overPx = await fork.evaluate((link) => {
    const texts = document.createTreeWalker(link, NodeFilter.SHOW_TEXT)
    while (texts.nextNode()) {
      const { textContent } = texts.currentNode
      const mark = document.createRange()
      if (!textContent?.endsWith('(fork)')) continue
      mark.setStart(texts.currentNode, textContent.length - '(fork)'.length)
      mark.setEnd(texts.currentNode, textContent.length)
      return mark.getBoundingClientRect().right - link.getBoundingClientRect().right
    }
    throw new Error('no mark in it')
  })
  expect(overPx).toBeLessThan(0)
})

test('a fork is an independent thread and contains the messages up to it; the copied text, too', async () => {
  const guest = await openComposer()
  for (const [index, text] of ['one', 'two'].entries()) {
    await guest.send(`/demo chunks=2 delay=0 ${text}`)
    await expect.poll(() => guest.answers()).toBe(index + 1)
    await guest.untilAnswered()
  }
  const path = pathOf(guest)
  const other = await newDevice(guest)
  await other.open(path)
  await userMessage(other, 'two').waitFor()

  await guest.context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await messageMenu(guest, guest.conversation.getByRole('article', { name: 'Answer' }).first(), 'Copy thread up to here')
  // The menu's button shows the result, not a toast.
  await guest.conversation.getByRole('status').filter({ hasText: 'Copied' }).waitFor({ state: 'attached' })
  expect(await guest.page.getByRole('listitem').filter({ hasText: 'Copied' }).count()).toBe(0)
  const copied = () => guest.page.evaluate(() => navigator.clipboard.readText())
  await expect.poll(copied).toContain('/demo chunks=2 delay=0 one')
  expect(await copied()).not.toContain('two')
  await messageMenu(guest, guest.conversation.getByRole('article', { name: 'Answer' }).first(), 'Fork from here')
  await expect.poll(() => pathOf(guest)).not.toBe(path)
  await userMessage(guest, 'one').waitFor()
  await expect.poll(() => guest.answers()).toBe(1)
  await guest.send('/demo chunks=2 delay=0 only in the fork')
  await expect.poll(() => guest.answers()).toBe(2)
  await other.threads.getByRole('link', { name: /\(fork\)/ }).waitFor()
  expect(await userMessage(other, 'only in the fork').count()).toBe(0)
})

/** Versions, a paused queue, forks, and one question to three models side by side, in one or two browsers and on a phone. */
import { expect, test } from 'vitest'
import { problemsOf } from './axe.ts'
import { expectRows, focused, tabTo } from './keys.ts'
import { restingPlace } from './resting-place.ts'
import { inMode, pathOf, setStage, show } from './stage.ts'
import type { UserPage } from './user-page.ts'

const { newDevice, openComposer, product } = setStage()

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

const names = ['Kimi K2', 'GPT 4o Mini', 'GPT OSS 120B'] as const
const columnOf = ({ page }: UserPage, name: string) => page.getByRole('article', { name: `Answer of ${name}` })
const chosenNames = ({ page }: UserPage) => page.getByRole('list', { name: 'Compared models' }).getByRole('listitem').allInnerTexts()

/** Adds the other two models in the picker, by its search field. */
async function chooseModels(user: UserPage): Promise<void> {
  const { page } = user
  await page.getByRole('button', { name: 'Model', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: 'Choose a model' })
  await dialog.getByRole('button', { name: 'Compare' }).click()
  for (const name of names.slice(1)) {
    await dialog.getByRole('combobox', { name: 'Find model' }).fill(name)
    await dialog.getByRole('option', { name }).first().click()
  }
  await dialog.getByText('3 of 3 models').waitFor()
  await dialog.getByRole('button', { name: 'Done' }).click()
}

/** Asks three models and resolves when their columns are on screen. */
async function compare(user: UserPage, text: string): Promise<void> {
  await chooseModels(user)
  await expect.poll(() => chosenNames(user)).toEqual(names.slice(1))
  await user.composer.fill(text)
  await user.page.getByText('3 credits').first().waitFor()
  await user.page.getByRole('button', { name: 'Send message' }).click()
  for (const name of names) await columnOf(user, name).waitFor()
}

async function pictures(user: UserPage, name: string): Promise<void> {
  for (const mode of ['light', 'dark'] as const) {
    await inMode(user.page, mode)
    await show(user, `${name}-${mode}`)
  }
}

const slow = '/demo chunks=2400 delay=25'

test('three answers stream together on two devices; a reload continues; the chosen one continues the thread', async () => {
  const desk = await openComposer()
  await compare(desk, slow)
  for (const name of names) await columnOf(desk, name).getByText('word3 ').first().waitFor()
  await pictures(desk, 'comparison-1440-streaming')
  const laptop = await newDevice(desk)
  await laptop.open(pathOf(desk))
  for (const name of names) await columnOf(laptop, name).getByText('word3 ').first().waitFor()
  await desk.page.reload()
  for (const name of names) await columnOf(desk, name).getByText('word3 ').first().waitFor()
  // Side by side. Measured in one task, because the page scrolls with the answers.
  const tops = await desk.page
    .getByRole('article', { name: /^Answer of/ })
    .evaluateAll((columns) => columns.map((column) => column.getBoundingClientRect().y))
  expect(tops).toHaveLength(names.length)
  expect(new Set(tops).size).toBe(1)

  const stopped = columnOf(desk, names[1])
  await stopped.getByRole('button', { name: `Stop ${names[1]}` }).focus()
  const { keyboard } = desk.page
  await keyboard.down('Enter')
  await stopped.getByText('1 credit ·').waitFor()
  // The second one repeats the first: the key is held.
  await keyboard.down('Enter')
  await keyboard.up('Enter')
  expect(await focused(desk.page)()).toBe('Continue with this')
  await columnOf(laptop, names[1]).getByRole('button', { name: 'Continue with this' }).waitFor()
  expect(
    await columnOf(desk, names[0])
      .getByRole('button', { name: `Stop ${names[0]}` })
      .count(),
  ).toBe(1)

  await desk.page.getByRole('button', { name: 'Stop generating' }).click()
  await desk.page.getByText(`Your next message continues from ${names[0]}'s answer.`).waitFor()
  expect(await problemsOf(desk)).toEqual([])
  // The buttons of an answer are one tab stop.
  const buttons = columnOf(desk, names[0]).getByRole('toolbar', { name: 'Answer actions', exact: true })
  // The answer that the thread continues from offers no choice.
  const mark = buttons.getByRole('button', { name: 'Continues here' })
  expect(await desk.page.getByRole('button', { name: 'Continues here' }).count()).toBe(1)
  expect(await mark.getAttribute('aria-disabled')).toBe('true')
  await tabTo(desk.page, mark)
  await expectRows(
    desk.page,
    [
      ['ArrowRight', 'Copy'],
      ['ArrowRight', 'Details'],
      ['ArrowRight', 'Continues here'],
      ['End', 'Details'],
      ['Home', 'Continues here'],
    ],
    focused(desk.page),
  )
  await desk.page.keyboard.press('Tab')
  expect(await buttons.evaluate((toolbar) => toolbar.contains(document.activeElement))).toBe(false)
  await columnOf(desk, names[2]).getByRole('button', { name: 'Continue with this' }).click()
  for (const user of [desk, laptop]) {
    await user.conversation.getByText(/3 of 3|2 of 3|1 of 3/).waitFor()
    expect(await columnOf(user, names[0]).count()).toBe(0)
  }
  await desk.send('/demo chunks=2 delay=0')
  await desk.untilAnswered()
  // The next message has one answer.
  expect(await desk.page.getByRole('list', { name: 'Compared models' }).count()).toBe(0)
})

test('on a phone the answers are a strip; the next message follows the named answer; a removed model is not asked', async () => {
  const phone = await openComposer({ phone: true })
  await compare(phone, '/demo chunks=30 delay=0')
  await phone.page.getByText(`Your next message continues from ${names[0]}'s answer.`).waitFor()
  await pictures(phone, 'comparison-390')
  await phone.page.getByRole('button', { name: `Show the answer of ${names[2]}` }).click()
  const inView = async () => {
    const box = await columnOf(phone, names[2]).boundingBox()
    return box !== null && box.x >= 0 && box.x + box.width <= 390
  }
  await expect.poll(inView).toBe(true)
  expect(await problemsOf(phone)).toEqual([])
  await phone.send('/demo chunks=2 delay=0')
  await phone.untilAnswered()
  expect(await columnOf(phone, names[0]).count()).toBe(0)
  expect(await phone.conversation.getByText(names[0]).count()).toBeGreaterThan(0)
  await chooseModels(phone)
  await phone.page.getByRole('button', { name: `Remove ${names[2]}` }).click()
  await expect.poll(() => chosenNames(phone)).toEqual([names[1]])
  await phone.send('/demo chunks=3 delay=0')
  await columnOf(phone, names[1]).getByText('word3').waitFor()
  expect(await columnOf(phone, names[2]).count()).toBe(0)
})

test('the names of compared models and the heads of their code stay in view, on a phone the switch', async () => {
  const desk = await openComposer()
  const code = Array.from({ length: 80 }, (_, line) => `const value${line} = ${line}`).join('\n')
  await compare(desk, `/demo delay=0 say=Code:\n\n\`\`\`ts\n${code}\n\`\`\``)
  await desk.page.getByText(`Your next message continues from ${names[0]}'s answer.`).waitFor()
  const topOf = (selector: string) => {
    const first = desk.conversation.locator(selector).first()
    return first.evaluate((element) => Math.round(element.getBoundingClientRect().top))
  }
  const scrollIntoCode = () =>
    desk.conversation.evaluate((log) => {
      const top = log.querySelector('.md-code')?.getBoundingClientRect().top ?? 0
      log.scrollTop += top + 400
    })
  await scrollIntoCode()
  await expect.poll(() => topOf('article header')).toBe(48)
  await expect.poll(() => topOf('.md-code-head')).toBe(48 + 44)
  await pictures(desk, 'comparison-1440-scrolled')
  await desk.page.setViewportSize({ width: 390, height: 844 })
  await desk.page.getByRole('toolbar', { name: 'Answers side by side' }).waitFor()
  await scrollIntoCode()
  await expect.poll(() => topOf('[role=toolbar][aria-label="Answers side by side"]')).toBe(52 + 8)
  await pictures(desk, 'comparison-390-scrolled')
})

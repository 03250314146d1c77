/** One question to three models side by side, on a desktop, on a phone and on a second device. */
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { problemsOf } from './axe.ts'
import { expectRows, focused, tabTo } from './keys.ts'
import { pathOf, setStage, show } from './stage.ts'
import type { UserPage } from './user-page.ts'

const { openComposer, newDevice } = setStage()

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

const inMode = (page: Page, mode: 'light' | 'dark') =>
  page.evaluate((name) => {
    document.documentElement.classList.remove('light', 'dark')
    document.documentElement.classList.add(name)
  }, mode)

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
  await tabTo(desk.page, buttons.getByRole('button', { name: 'Continue with this' }))
  await expectRows(
    desk.page,
    [
      ['ArrowRight', 'Copy'],
      ['ArrowRight', 'Details'],
      ['ArrowRight', 'Continue with this'],
      ['End', 'Details'],
      ['Home', 'Continue with this'],
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

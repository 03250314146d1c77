// States that are shown by more than a background, which forced colors remove; and animations that end when the user wants less motion.
import type { Locator } from 'playwright-core'
import { expect, test } from 'vitest'
import { isFocused } from '../keys.ts'
import { setStage, show } from '../stage.ts'
import type { UserPage } from '../user-page.ts'

const { openComposer } = setStage()

const inForcedColors = async (): Promise<UserPage> => {
  const guest = await openComposer()
  await guest.page.emulateMedia({ forcedColors: 'active' })
  return guest
}

const styleOf = (element: Locator, ...names: (keyof CSSStyleDeclaration & string)[]): Promise<string> =>
  element.evaluate((node, of) => of.map((name) => getComputedStyle(node)[name]).join(' '), names)
const outlineOf = (element: Locator) => styleOf(element, 'outlineStyle', 'outlineWidth')
const outlined = 'solid 2px'

test('in forced colors a switch has a border, and its track and thumb show whether it is on', async () => {
  const { page } = await inForcedColors()
  await page.goto('/account/preferences')
  const control = page.getByRole('switch', { name: 'Enter sends' })
  const look = async () => {
    const thumb = control.locator('span')
    expect(await styleOf(control, 'borderStyle', 'borderWidth')).toBe('solid 1px')
    const track = await styleOf(control, 'backgroundColor')
    expect(await styleOf(thumb, 'backgroundColor')).not.toBe(track)
    return { track, thumb: await styleOf(thumb, 'translate') }
  }
  await expect.poll(() => control.getAttribute('aria-checked')).toBe('true')
  const on = await look()
  await control.press('Space')
  await expect.poll(() => control.getAttribute('aria-checked')).toBe('false')
  const off = await look()
  expect(on.track).not.toBe(off.track)
  expect(on.thumb).not.toBe(off.thumb)
})

test('in forced colors the open section and the pressed chip have an outline', async () => {
  const user = await inForcedColors()
  const { page } = user
  await page.goto('/account/models')
  const section = (name: string) => page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name })
  await expect.poll(() => outlineOf(section('Models'))).toBe(outlined)
  expect(await styleOf(section('Account'), 'outlineStyle')).toBe('none')
  const [chip, other] = [0, 1].map((n) => page.getByRole('group', { name: 'Filters' }).getByRole('button').nth(n)) as [Locator, Locator]
  await chip.click()
  await expect.poll(() => chip.getAttribute('aria-pressed')).toBe('true')
  await expect.poll(() => outlineOf(chip)).toBe(outlined)
  expect(await styleOf(other, 'outlineStyle')).toBe('none')
  await show(user, 'forced-colors-models')
})

test('in forced colors filled buttons, messages and code have a border, and icons the color of their button', async () => {
  const user = await inForcedColors()
  const { page, conversation, composer } = user
  await user.send('/demo delay=0 say=~~~js\n1\n~~~')
  await user.untilAnswered()
  await composer.fill('next')
  const send = page.getByRole('button', { name: 'Send message' })
  const bubble = conversation.locator('div', { has: page.locator('> [data-message-text]') }).last()
  for (const box of [send, bubble, conversation.locator('.md-code')])
    expect(await styleOf(box, 'borderStyle', 'borderWidth')).toBe('solid 1px')
  expect(await styleOf(send.locator('svg'), 'color')).toBe(await styleOf(send, 'color'))
  await show(user, 'forced-colors-messages')
})

test('in forced colors the open thread has an outline, its focus a stronger one, and panels and the chosen mode a border', async () => {
  const user = await inForcedColors()
  const { page, threads } = user
  for (const name of ['first', 'second']) {
    await user.send(`/demo chunks=2 delay=0 ${name}`)
    await user.untilAnswered()
    if (name === 'first') await user.startThread()
  }
  const link = (name: string) => threads.getByRole('link', { name })
  await expect.poll(() => outlineOf(link('second'))).toBe(outlined)
  expect(await styleOf(link('first'), 'outlineStyle')).toBe('none')
  await show(user, 'forced-colors-threads')
  await link('first').focus()
  await page.keyboard.press('Shift+Tab')
  // The menu button of the row above.
  await page.keyboard.press('Shift+Tab')
  await expect.poll(() => isFocused(link('second'))).toBe(true)
  expect(await outlineOf(link('second'))).toBe('solid 4px')

  await page.getByRole('button', { name: /credits left/ }).press('Enter')
  const mode = (name: string) => page.getByRole('menuitemradio', { name })
  await expect.poll(() => styleOf(mode('Dark'), 'borderStyle', 'borderWidth')).toBe('solid 1px')
  expect(await styleOf(mode('Light'), 'borderWidth')).toBe('0px')
  for (const panel of [page.getByRole('menu'), page.getByRole('form', { name: 'Composer' })])
    expect(await styleOf(panel, 'borderStyle', 'borderWidth')).toBe('solid 1px')
  await show(user, 'forced-colors-menu')
})

test('reduced motion ends the animations of an answer that streams', async () => {
  const user = await openComposer({ animated: true })
  const { page, conversation, threads } = user
  await user.send('/demo chunks=2400 delay=25')
  await conversation.getByText('word3 ').first().waitFor()
  const caret = () =>
    conversation
      .locator('.md-caret')
      .last()
      .evaluate((node) => getComputedStyle(node, '::after').animationDuration)
  const spinner = threads.getByRole('img', { name: 'Answering' })
  const running = () => page.evaluate(() => document.getAnimations().filter(({ playState }) => playState === 'running').length)
  expect(await caret()).not.toBe('0s')
  expect(await styleOf(spinner.locator('circle'), 'animationDuration')).not.toBe('0s')
  expect(await running()).toBeGreaterThan(0)
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await expect.poll(caret).toBe('0s')
  expect(await styleOf(spinner.locator('circle'), 'animationDuration')).toBe('0s')
  await expect.poll(running).toBe(0)
  await page.getByRole('button', { name: 'Stop generating' }).click()
  await user.untilAnswered()
})

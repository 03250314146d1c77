// The keyboard interaction of the WAI-ARIA Authoring Practices for combobox, toolbar, dialog and tabs, one row per key.
// https://www.w3.org/WAI/ARIA/apg/patterns/
import { expect, test } from 'vitest'
import { answered, chooseItem, enterAt, expectRows, focused, isFocused, pointedAt, tabTo } from '../keys.ts'
import { createOrganization } from '../organizations.ts'
import { setStage } from '../stage.ts'

const { openComposer, newUser, newSignedInUser } = setStage()

test('a combobox keeps the focus in its field, moves by arrows, and chooses with Enter', async () => {
  const user = await newSignedInUser('keys@example.test')
  await user.open()
  const { page } = user
  const model = page.getByRole('button', { name: 'Model', exact: true })
  await page.getByRole('button', { name: 'Model', exact: true, description: 'Kimi K2' }).waitFor()
  await model.press('Enter')
  const field = page.getByRole('combobox', { name: 'Find model' })
  const list = page.getByRole('listbox', { name: 'Models' })
  await list.getByRole('option').first().waitFor()
  await expect.poll(() => isFocused(field)).toBe(true)
  expect(await field.getAttribute('aria-expanded')).toBe('true')
  expect(await field.getAttribute('aria-controls')).toBe(await list.getAttribute('id'))
  await expect.poll(pointedAt(page)).toBe('Kimi K2')
  await field.fill('gpt')
  const options = await list
    .getByRole('option')
    .evaluateAll((all) => all.map((one) => one.querySelector('span')?.textContent?.trim() ?? ''))
  const [first = '', second = ''] = options
  const last = options.at(-1) ?? ''
  await expectRows(
    page,
    [
      ['ArrowDown', second],
      ['ArrowUp', first],
      ['ArrowUp', last],
      ['ArrowDown', first],
      ['ArrowDown', second],
    ],
    pointedAt(page),
  )
  await page.keyboard.press('Enter')
  await list.waitFor({ state: 'detached' })
  await expect.poll(() => model.getAttribute('aria-description')).toBe(second)
  await model.press('Enter')
  await list.waitFor()
  await page.keyboard.press('Escape')
  await list.waitFor({ state: 'detached' })
  await expect.poll(() => isFocused(model)).toBe(true)
})

test('a toolbar is one tab stop, and arrows move in it', async () => {
  const guest = await openComposer()
  const { page } = guest
  await page.getByRole('button', { name: 'Model', exact: true, description: 'Kimi K2' }).waitFor()
  await page.getByRole('button', { name: 'Model', exact: true }).press('Enter')
  const field = page.getByRole('combobox', { name: 'Find model' })
  await expect.poll(() => isFocused(field)).toBe(true)
  await page.keyboard.press('Shift+Tab')
  const names = await page
    .getByRole('toolbar', { name: 'Makers' })
    .getByRole('button')
    .evaluateAll((all) => all.map((one) => one.ariaLabel ?? ''))
  const [first = '', second = ''] = names
  const last = names.at(-1) ?? ''
  await expectRows(
    page,
    [
      ['ArrowDown', second],
      ['ArrowUp', first],
      ['End', last],
      ['Home', first],
    ],
    focused(page),
  )
  await page.keyboard.press('Tab')
  await expect.poll(() => isFocused(field)).toBe(true)
})

test.each([
  ['with the attribute of the browser', true],
  ['with its polyfill', false],
] as const)('the actions of a message are one tab stop, and arrows move in them, %s', async (_what, isNative) => {
  const guest = await newUser()
  const { page, conversation } = guest
  if (!isNative) await page.addInitScript(withoutFocusGroup)
  await guest.open()
  const menuButton = await answered(guest)
  const actions = conversation.getByRole('article', { name: 'Answer' }).getByRole('toolbar', { name: 'Message actions' })
  const isInside = () => actions.evaluate((toolbar) => toolbar.contains(document.activeElement))
  await tabTo(page, actions.getByRole('button', { name: 'Copy' }))
  await expectRows(
    page,
    [
      ['ArrowRight', 'Regenerate'],
      ['End', 'More for this message'],
      ['ArrowRight', 'Copy'],
      ['ArrowLeft', 'More for this message'],
      ['Home', 'Copy'],
    ],
    focused(page),
  )
  for (const name of ['Copy', 'Regenerate']) {
    await actions.getByRole('button', { name, exact: true }).focus()
    for (const [away, back] of [
      ['Tab', 'Shift+Tab'],
      ['Shift+Tab', 'Tab'],
    ] as const) {
      await page.keyboard.press(away)
      expect(await isInside(), `${away} from ${name}`).toBe(false)
      await page.keyboard.press(back)
      await expect.poll(focused(page), { message: `${back} after ${away}` }).toBe(name)
    }
  }
  // Up and down open the menu of a button.
  await expectRows(
    page,
    [
      ['End ArrowDown', 'Quote'],
      ['Escape', 'More for this message'],
    ],
    focused(page),
  )
  // The tab stop is removed, and another button takes its place.
  await menuButton.press('Enter')
  await chooseItem(page, 'Delete')
  const ask = conversation.getByRole('button', { name: 'Answer', exact: true })
  await ask.press('Enter')
  await guest.untilAnswered()
  await ask.waitFor({ state: 'detached' })
  await tabTo(page, conversation.getByRole('article', { name: 'Your message' }).getByRole('button', { name: 'Copy' }))
})

test('the buttons of a failure notice are one tab stop, and arrows move in them', async () => {
  const guest = await openComposer()
  const { page, conversation } = guest
  await guest.send('/demo chunks=2 delay=0 fail')
  const buttons = conversation.getByRole('toolbar', { name: 'Unfinished answer actions' })
  const first = buttons.getByRole('button', { name: 'Continue' })
  await tabTo(page, first)
  await expectRows(
    page,
    [
      ['ArrowRight', 'Try another model'],
      ['ArrowRight', 'Retry'],
      ['End', 'Show details'],
      ['ArrowRight', 'Continue'],
      ['ArrowLeft', 'Show details'],
      ['Enter', 'Hide details'],
      ['Home', 'Continue'],
      ['Tab', 'Copy'],
      ['Shift+Tab', 'Continue'],
    ],
    focused(page),
  )
})

/** Makes the page one of a browser without the attribute. */
function withoutFocusGroup(): void {
  Reflect.deleteProperty(HTMLElement.prototype, 'focusGroup')
  const { setAttribute } = Element.prototype
  Element.prototype.setAttribute = function (name, value) {
    if (name !== 'focusgroup') setAttribute.call(this, name, value)
  }
}

test('a dialog takes the focus, keeps it from the page behind, and gives it back', async () => {
  const guest = await openComposer()
  const { page } = guest
  await answered(guest)
  const trigger = page.getByRole('button', { name: 'More for ', exact: false }).and(page.getByRole('complementary').getByRole('button'))
  await trigger.first().press('Enter')
  await page.getByRole('menuitem', { name: 'Move to project…' }).press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Move to project' })
  const field = dialog.getByRole('textbox', { name: 'New project' })
  await expect.poll(() => isFocused(field)).toBe(true)
  expect(await dialog.getAttribute('aria-modal')).toBe('true')
  // A modal dialog may let Tab reach the browser's own controls, but nothing of the page.
  for (let presses = 0; presses < 12; presses += 1) {
    await page.keyboard.press('Tab')
    const isInside = await dialog.evaluate((box) => document.activeElement === document.body || box.contains(document.activeElement))
    expect(isInside).toBe(true)
  }
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await expect.poll(() => isFocused(trigger.first())).toBe(true)
})

test('Tab passes a toast, and the focus returns to where it was when the toast disappears', async () => {
  const guest = await openComposer()
  const { page } = guest
  await answered(guest)
  await enterAt(page, page.getByRole('complementary').getByRole('button', { name: /^More for/ }))
  await chooseItem(page, 'Archive')
  const undo = page.getByRole('button', { name: 'Undo' })
  await tabTo(page, undo)
  // Once around.
  await page.keyboard.press('Tab')
  await tabTo(page, page.getByRole('link', { name: 'Parley, home' }))
  const isInToasts = () => page.evaluate(() => document.activeElement?.closest('[data-sonner-toaster]') !== null)
  let before = ''
  for (; !(await isInToasts()); await page.keyboard.press('Tab')) before = await focused(page)()
  await enterAt(page, undo)
  await undo.waitFor({ state: 'detached' })
  await expect.poll(focused(page)).toBe(before)
})

test('the question before a guest logs out starts at the answer that keeps the threads', async () => {
  const guest = await openComposer()
  const { page } = guest
  await page.getByRole('button', { name: /credits left/ }).press('Enter')
  await page.getByRole('menuitem', { name: 'Log out' }).press('Enter')
  await page.getByRole('alertdialog', { name: 'Logout' }).waitFor()
  await expect.poll(focused(page)).toBe('Log in to keep them')
})

test('tabs are one tab stop; arrows, Home and End move, and Enter opens a page', async () => {
  const { page } = await newSignedInUser('tabs@example.test')
  await page.goto('/')
  const id = await createOrganization(page, 'tabs')
  await page.goto(`/team/${id}`)
  const tab = (name: string) => page.getByRole('tab', { name })
  await tab('Members').focus()
  await expectRows(
    page,
    [
      ['ArrowRight', 'Teams'],
      ['End', 'Settings'],
      ['ArrowRight', 'Members'],
      ['ArrowLeft', 'Settings'],
      ['Home', 'Members'],
      ['ArrowLeft', 'Settings'],
    ],
    focused(page),
  )
  expect(await tab('Members').getAttribute('aria-selected')).toBe('true')
  await page.keyboard.press('Enter')
  await page.waitForURL(`/team/${id}/settings`)
  await expect.poll(() => tab('Settings').getAttribute('aria-selected')).toBe('true')
  await page.getByRole('tabpanel', { name: 'Settings' }).getByRole('textbox').first().waitFor()
  await tab('Settings').focus()
  await page.keyboard.press('Tab')
  expect(await page.evaluate(() => document.activeElement?.getAttribute('role'))).not.toBe('tab')
})

test('the active item is visible in forced colors', async () => {
  const guest = await openComposer()
  const { page } = guest
  await page.emulateMedia({ forcedColors: 'active' })
  const outline = () =>
    page
      .locator('[data-active-item]:is([role^="menuitem"], [role="option"])')
      .evaluate((item) => `${getComputedStyle(item).outlineStyle} ${getComputedStyle(item).outlineWidth}`)
  await page.getByRole('button', { name: /credits left/ }).press('Enter')
  await expect.poll(outline).toBe('solid 2px')
  await page.keyboard.press('Escape')
  await page.keyboard.press('Control+k')
  await expect.poll(pointedAt(page)).not.toBe('')
  expect(await outline()).toBe('solid 2px')
})

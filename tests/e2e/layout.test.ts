// Layout: the gaps between messages, the toolbars in the gaps, touch targets, and sheets instead of menus and dialogs on a phone.
import type { Locator } from 'playwright-core'
import { expect, test } from 'vitest'
import { setStage, show } from './stage.ts'
import type { UserPage } from './user-page.ts'

const { openComposer } = setStage()

const questions = ({ conversation }: UserPage) => conversation.getByRole('article', { name: 'Your message' })
const answers = ({ conversation }: UserPage) => conversation.getByRole('article', { name: 'Answer' })

async function boxOf(element: Locator) {
  const box = await element.boundingBox()
  if (!box) throw new Error('not on the page')
  return { ...box, right: box.x + box.width, bottom: box.y + box.height }
}

async function openTwoTurns(phone: boolean): Promise<UserPage> {
  const user = await openComposer({ phone })
  for (const text of ['/demo delay=0 say=**First** answer', '/demo delay=0 say=Second answer']) {
    await user.send(text)
    await user.untilAnswered()
  }
  return user
}

test.each([{ phone: false }, { phone: true }])(
  'an answer is 20 px below its question and 48 px above the next one: on a phone $phone',
  async ({ phone }) => {
    const user = await openTwoTurns(phone)
    await show(user, `rhythm.${phone}`)
    const [question, next] = [await boxOf(questions(user).nth(0)), await boxOf(questions(user).nth(1))]
    const answer = await boxOf(answers(user).nth(0))
    expect(answer.y - question.bottom).toBe(20)
    expect(next.y - answer.bottom).toBe(48)
    const toolbar = await boxOf(answers(user).nth(0).getByRole('toolbar', { name: 'Message actions' }))
    expect(toolbar.y).toBeGreaterThanOrEqual(answer.bottom)
    expect(toolbar.bottom).toBeLessThanOrEqual(next.y)
  },
)

const opacity = (element: Locator) => element.evaluate((button) => getComputedStyle(button).opacity)

test('the toolbar of the newest answer is visible, the others with the pointer or the focus', async () => {
  const user = await openTwoTurns(false)
  const { page } = user
  await page.mouse.move(0, 0)
  const buttons = [...(await questions(user).all()), ...(await answers(user).all())].map((message) =>
    message.getByRole('button', { name: 'Copy', exact: true }),
  )
  await expect.poll(() => Promise.all(buttons.map(opacity))).toEqual(['0', '0', '0', '1'])
  await questions(user).nth(0).hover()
  await show(user, 'rhythm-question')
  expect(await Promise.all(buttons.map(opacity))).toEqual(['1', '0', '0', '1'])
  await answers(user).nth(0).getByText('First').hover()
  await show(user, 'rhythm-answer')
  expect(await Promise.all(buttons.map(opacity))).toEqual(['0', '0', '1', '1'])
  await page.mouse.move(0, 0)
  await buttons[1]?.focus()
  expect(await Promise.all(buttons.map(opacity))).toEqual(['0', '1', '0', '1'])
  // A bookmark is a state.
  const bookmark = answers(user)
    .nth(0)
    .getByRole('button', { name: /bookmark/i })
  await bookmark.click()
  await page.mouse.move(0, 0)
  await expect.poll(() => Promise.all([opacity(bookmark), ...buttons.map(opacity)])).toEqual(['1', '0', '0', '1', '1'])
  await page.keyboard.press('Escape')
  await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur())
  await expect.poll(() => Promise.all([opacity(bookmark), ...buttons.map(opacity)])).toEqual(['1', '0', '0', '0', '1'])
})

/** Holds a finger on an element. */
async function longPress({ page, context }: UserPage, element: Locator): Promise<void> {
  const { x, y, width, height } = await boxOf(element)
  const cdp = await context.newCDPSession(page)
  const point = { x: x + width / 2, y: y + height / 2 }
  await cdp.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [point] })
  await page.getByRole('menu', { name: 'Message' }).getByRole('menuitem').first().waitFor()
  await cdp.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] })
}

test('on a phone, an answer has three buttons at a pitch of 44 px, the name of its model at the right, and the other actions in a menu', async () => {
  const user = await openTwoTurns(true)
  const { page } = user
  const answer = answers(user).nth(0)
  const buttons = await answer.getByRole('toolbar', { name: 'Message actions' }).getByRole('button').all()
  expect(await Promise.all(buttons.map((button) => button.getAttribute('aria-label')))).toEqual([
    'Copy',
    'Regenerate',
    'More for this message',
  ])
  // The touch area of a button, which can be larger than the button.
  const areas = await Promise.all(
    buttons.map((button) =>
      button.evaluate((element) => {
        const { x, width } = element.getBoundingClientRect()
        const touchPx = Number.parseFloat(getComputedStyle(element, '::after').width)
        return { from: x + width / 2 - touchPx / 2, to: x + width / 2 + touchPx / 2 }
      }),
    ),
  )
  const [first, second, third] = areas
  expect(areas.map(({ from, to }) => to - from)).toEqual([44, 44, 44])
  expect([second?.from, third?.from]).toEqual([first?.to, second?.to])
  const name = await boxOf(answer.getByText('Kimi K2'))
  const more = await boxOf(answer.getByRole('button', { name: 'More for this message' }))
  expect(name.x).toBeGreaterThan(more.right)
  expect(Math.abs(name.y + name.height / 2 - (more.y + more.height / 2))).toBeLessThanOrEqual(1)
  expect(await answer.getByText('Kimi K2').evaluate((text) => getComputedStyle(text).fontSize)).toBe('12px')

  const menu = page.getByRole('menu', { name: 'Message' })
  await answer.getByRole('button', { name: 'More for this message' }).tap()
  await menu.getByRole('menuitem', { name: 'Details' }).waitFor()
  await show(user, 'phone-answer-menu')
  expect(await menu.getByRole('menuitem').allInnerTexts()).toEqual([
    ...['Bookmark', 'Regenerate with another model', 'Quote', 'Fork from here', 'Copy thread up to here', 'Details', 'Delete from here'],
  ])
  await menu.getByRole('menuitem', { name: 'Bookmark' }).tap()
  await menu.waitFor({ state: 'detached' })

  const newest = answers(user).nth(1)
  await newest.getByRole('button', { name: 'More for this message' }).tap()
  await menu.getByRole('menuitem', { name: 'Regenerate with another model' }).tap()
  const picker = page.getByRole('dialog', { name: 'Regenerate with another model' })
  await picker.getByRole('option', { name: /^GPT 4o Mini/ }).waitFor()
  await show(user, 'phone-other-model')
  await page.keyboard.press('Escape')
  await picker.waitFor({ state: 'detached' })
  await expect
    .poll(() => newest.getByRole('button', { name: 'More for this message' }).evaluate((button) => button === document.activeElement))
    .toBe(true)
  await newest.getByRole('button', { name: 'More for this message' }).tap()
  await menu.getByRole('menuitem', { name: 'Regenerate with another model' }).tap()
  await picker.getByRole('option', { name: /^GPT 4o Mini/ }).tap()
  await newest.getByText('GPT 4o Mini').waitFor()
  await user.untilAnswered()
  await newest.getByText('Version 2 of 2').waitFor()
  await show(user, 'phone-versions')
  await newest.getByRole('button', { name: 'More for this message' }).tap()
  await menu.getByRole('menuitem', { name: 'Previous version' }).tap()
  await newest.getByText('Version 1 of 2').waitFor()
  await expect
    .poll(() => newest.getByRole('button', { name: 'More for this message' }).evaluate((button) => button === document.activeElement))
    .toBe(true)
})

test('on a phone, a question shows no buttons, and a long press or the keyboard opens its menu', async () => {
  const user = await openTwoTurns(true)
  const { page } = user
  const question = questions(user).nth(0)
  const more = question.getByRole('button', { name: 'More for this message' })
  expect(await question.getByRole('button').count()).toBe(1)
  expect(await boxOf(more)).toMatchObject({ width: 1, height: 1 })
  const menu = page.getByRole('menu', { name: 'Message' })
  await longPress(user, question)
  await expectSheet(user, menu)
  await show(user, 'phone-question-menu')
  expect(await menu.getByRole('menuitem').allInnerTexts()).toEqual([
    ...['Copy', 'Edit', 'Bookmark', 'Quote', 'Fork from here', 'Copy thread up to here', 'Delete thread'],
  ])
  expect(await page.evaluate(() => document.getSelection()?.toString())).toBe('')
  await menu.getByRole('menuitem', { name: 'Edit' }).tap()
  await expect.poll(() => user.composer.inputValue()).toBe('/demo delay=0 say=**First** answer')

  // By keyboard, the button is visible.
  await answers(user).nth(0).getByRole('button', { name: 'Copy', exact: true }).focus()
  await page.keyboard.press('Shift+Tab')
  await expect.poll(async () => (await boxOf(more)).width).toBe(28)
  await show(user, 'phone-question-focus')
  await page.keyboard.press('Enter')
  await menu.getByRole('menuitem', { name: 'Copy', exact: true }).waitFor()
  await page.keyboard.press('Escape')
  await menu.waitFor({ state: 'detached' })
})

test('on a phone, a long press on an answer is left to the browser, which selects a word', async () => {
  const user = await openTwoTurns(true)
  const menu = user.page.getByRole('menu', { name: 'Message' })
  const selectable = (element: Locator) => element.evaluate((text) => getComputedStyle(text).userSelect)
  // What Android sends for a long press. False if its own action was prevented.
  const hold = (element: Locator) =>
    element.evaluate((text) =>
      text.dispatchEvent(new PointerEvent('contextmenu', { bubbles: true, cancelable: true, pointerType: 'touch' })),
    )
  const [question, word] = [questions(user).nth(0), answers(user).nth(0).getByText('First')]
  expect([await selectable(word), await hold(word), await menu.count()]).toEqual(['auto', true, 0])
  expect([await selectable(question), await hold(question)]).toEqual(['none', false])
  await menu.getByRole('menuitem', { name: 'Copy', exact: true }).waitFor()
})

const window390 = { width: 390, height: 844 }

/** A sheet is as wide as the window and ends where it ends. */
async function expectSheet({ page }: UserPage, sheet: Locator) {
  const measured = async () => {
    const { x, y, width, bottom } = await boxOf(sheet)
    return { x, width, bottom, isBelowTop: y > 0 }
  }
  await expect.poll(measured).toEqual({ x: 0, width: window390.width, bottom: window390.height, isBelowTop: true })
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(window390.width)
}

test('on a phone, menus, popovers and dialogs are sheets, which close by Escape, by a tap beside them and by dragging', async () => {
  const user = await openTwoTurns(true)
  const { page } = user
  const title = page.getByRole('main').getByRole('heading', { level: 1 }).getByRole('button')
  const hasFocus = (element: Locator) => element.evaluate((button) => button === document.activeElement)
  const menu = page.getByRole('menu', { name: 'Thread' })
  await title.tap()
  await menu.getByRole('menuitem', { name: 'Rename' }).waitFor()
  await expectSheet(user, menu)
  await show(user, 'sheet-menu')
  const heights = await menu.getByRole('menuitem').evaluateAll((rows) => rows.map((row) => row.getBoundingClientRect().height))
  expect(new Set(heights)).toEqual(new Set([48]))
  await page.keyboard.press('Escape')
  await menu.waitFor({ state: 'detached' })
  await expect.poll(() => hasFocus(title)).toBe(true)

  // Two taps would rename the thread.
  await title.press('Enter')
  await menu.getByRole('menuitem', { name: 'Rename' }).waitFor()
  await page.touchscreen.tap(200, 100)
  await menu.waitFor({ state: 'detached' })

  await title.press('Enter')
  await menu.getByRole('menuitem', { name: 'Rename' }).waitFor()
  await expectSheet(user, menu)
  const { y } = await boxOf(menu)
  await page.mouse.move(195, y + 10)
  await page.mouse.down()
  await page.mouse.move(195, y + 40)
  await page.mouse.up()
  await expectSheet(user, menu)
  await page.mouse.move(195, y + 10)
  await page.mouse.down()
  await page.mouse.move(195, y + 120, { steps: 3 })
  await page.mouse.up()
  await menu.waitFor({ state: 'detached' })

  await title.press('Enter')
  await menu.getByRole('menuitem', { name: 'Share' }).tap()
  const dialog = page.getByRole('dialog', { name: 'Share thread' })
  await expectSheet(user, dialog)
  await show(user, 'sheet-dialog')
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })

  await page.getByRole('button', { name: 'Model', exact: true }).tap()
  const picker = page.getByRole('dialog', { name: 'Choose a model' })
  await picker.getByRole('option').first().waitFor()
  await expectSheet(user, picker)
  await show(user, 'sheet-picker')
  await page.keyboard.press('Escape')

  await page.getByRole('button', { name: 'Open sidebar' }).tap()
  await page.getByRole('button', { name: /credits left/ }).tap()
  const userMenu = page.getByRole('menu', { name: 'You' })
  await userMenu.getByRole('menuitem', { name: 'Log out' }).waitFor()
  await expectSheet(user, userMenu)
  await show(user, 'sheet-user')
  await userMenu.getByRole('menuitem', { name: 'Log out' }).tap()
  const question = page.getByRole('alertdialog', { name: 'Logout' })
  await expectSheet(user, question)
  await show(user, 'sheet-question')
})

test('a window of 640 px shows no sheets', async () => {
  const user = await openTwoTurns(false)
  const { page } = user
  await page.setViewportSize({ width: 640, height: 844 })
  await page.getByRole('main').getByRole('heading', { level: 1 }).getByRole('button').click()
  const menu = page.getByRole('menu', { name: 'Thread' })
  await menu.getByRole('menuitem', { name: 'Share' }).click()
  const dialog = page.getByRole('dialog', { name: 'Share thread' })
  expect((await boxOf(dialog)).width).toBe(416)
})

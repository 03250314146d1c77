// The header of a thread: project, title with the menu, Share, and the buttons of a closed sidebar.
import { expect, test } from 'vitest'
import { pathOf, setStage, show } from './stage.ts'
import type { UserPage } from './user-page.ts'

const { openComposer, newDevice } = setStage()

const title = ({ page }: UserPage) => page.getByRole('main').getByRole('heading', { level: 1 }).getByRole('button')
const hasFocus = (element: HTMLElement | SVGElement) => element === document.activeElement

async function openLongThread(phone: boolean): Promise<UserPage> {
  const user = await openComposer({ phone })
  await user.send('/demo chunks=600 delay=0 Green tea')
  await user.untilAnswered()
  return user
}

test('names the project and the thread, whose title opens the menu, and renames by a double click', async () => {
  const user = await openComposer()
  const { page } = user
  const main = page.getByRole('main')
  await page.goto('/projects')
  await page.getByRole('button', { name: 'New project', exact: true }).click()
  await page.getByRole('textbox', { name: 'Name' }).fill('Tea shop')
  await page.getByRole('button', { name: 'Create' }).click()
  await page.getByRole('heading', { name: 'Tea shop' }).waitFor()
  await user.send('/demo chunks=600 delay=0 Green tea')
  await user.untilAnswered()
  await expect.poll(() => title(user).innerText()).toBe('Green tea')
  await title(user).click()
  const menu = page.getByRole('menu', { name: 'Thread' })
  await menu.getByRole('menuitem', { name: 'Rename' }).waitFor()
  expect(await menu.getByRole('menuitem').allInnerTexts()).toEqual([
    ...['Pin', 'Rename', 'Move to project…', 'Share'],
    ...['Export', 'Select', 'Archive', 'Delete'],
  ])
  expect(await menu.getByRole('separator').count()).toBe(2)
  const exportItem = menu.getByRole('menuitem', { name: 'Export' })
  const submenu = page.getByRole('menu', { name: 'Export' })
  await exportItem.press('ArrowRight')
  await expect.poll(() => submenu.getByRole('menuitem', { name: 'Markdown' }).evaluate(hasFocus)).toBe(true)
  expect(await submenu.getByRole('menuitem').allInnerTexts()).toEqual(['Markdown', 'JSON', 'Print or save as PDF'])
  await show(user, 'thread-header-menu')
  await page.keyboard.press('ArrowLeft')
  await expect.poll(() => exportItem.evaluate(hasFocus)).toBe(true)
  await submenu.waitFor({ state: 'detached' })
  await page.keyboard.press('Escape')
  await expect.poll(() => title(user).evaluate(hasFocus)).toBe(true)

  await title(user).dblclick()
  await main.getByRole('textbox', { name: 'Title' }).fill('All about tea')
  expect(await menu.count()).toBe(0)
  await page.keyboard.press('Enter')
  await expect.poll(() => title(user).innerText()).toBe('All about tea')
  await expect.poll(() => title(user).evaluate(hasFocus)).toBe(true)

  // From the composer too.
  await user.composer.focus()
  await page.keyboard.press('F2')
  await main.getByRole('textbox', { name: 'Title' }).fill('Nothing')
  await page.keyboard.press('Escape')
  await expect.poll(() => title(user).innerText()).toBe('All about tea')

  // An invisible title is refused, and stays in the field until the user leaves it.
  await page.keyboard.press('F2')
  const field = main.getByRole('textbox', { name: 'Title' })
  await field.fill('\u200b')
  await page.keyboard.press('Enter')
  await page.getByText('Enter a title.').waitFor()
  expect(await field.inputValue()).toBe('\u200b')
  await user.composer.focus()
  await expect.poll(() => title(user).innerText()).toBe('All about tea')

  // A title that another device gives while the field is open stays if the field was not changed.
  const other = await newDevice(user)
  await other.open(new URL(page.url()).pathname)
  await page.keyboard.press('F2')
  await main.getByRole('textbox', { name: 'Title' }).waitFor()
  await title(other).dblclick()
  await other.page.getByRole('main').getByRole('textbox', { name: 'Title' }).fill('Tea of today')
  await other.page.keyboard.press('Enter')
  await expect.poll(() => page.title()).toContain('Tea of today')
  await user.composer.focus()
  await expect.poll(() => title(user).innerText()).toBe('Tea of today')
  expect(await title(other).innerText()).toBe('Tea of today')

  await main.getByRole('button', { name: 'Share', exact: true }).click()
  await page.getByRole('dialog', { name: /Share/ }).waitFor()
  await page.keyboard.press('Escape')
  await main.getByRole('link', { name: 'Tea shop' }).click()
  await page.getByRole('heading', { name: 'Tea shop' }).waitFor()

  // Back leaves the thread, and its dialog.
  await page.goBack()
  await main.getByRole('button', { name: 'Share', exact: true }).click()
  await page.getByRole('dialog', { name: /Share/ }).waitFor()
  await page.goBack()
  await page.getByRole('heading', { name: 'Tea shop' }).waitFor()
  await expect.poll(() => page.getByRole('dialog').count()).toBe(0)

  // Leaving the thread saves a title that is being written.
  await page.goForward()
  await title(user).dblclick()
  await main.getByRole('textbox', { name: 'Title' }).fill('Tea of tomorrow')
  await page.goBack()
  await page.getByRole('heading', { name: 'Tea shop' }).waitFor()
  await user.threads.getByRole('link', { name: 'Tea of tomorrow' }).waitFor()
})

test.each([{ phone: false }, { phone: true }])(
  'has a hairline while the conversation is scrolled, and holds the find bar, which covers no message: on a phone $phone',
  async ({ phone }) => {
    const user = await openLongThread(phone)
    const { page, conversation } = user
    const header = page.locator('main [data-thread-header]')
    const boxOf = async (element: typeof header) => (await element.boundingBox()) ?? { y: 0, height: 0 }
    const hairline = () => header.evaluate((element) => getComputedStyle(element).borderBottomColor)
    const none = 'rgba(0, 0, 0, 0)'
    expect((await boxOf(header)).height).toBe(phone ? 52 : 48)
    await expect.poll(hairline).not.toBe(none)
    await conversation.evaluate((log) => log.scrollTo({ top: 0 }))
    await expect.poll(hairline).toBe(none)

    await title(user).focus()
    await page.keyboard.press('Control+f')
    const bar = page.getByRole('search', { name: 'Find in thread' })
    await bar.waitFor()
    expect(await boxOf(bar)).toMatchObject(await boxOf(header).then(({ y, height }) => ({ y, height })))
    expect((await boxOf(conversation.getByRole('article').first())).y).toBeGreaterThan((await boxOf(header)).height)
    await show(user, `thread-header-find.${phone}`)
    await page.keyboard.press('Escape')
    await expect.poll(() => title(user).evaluate(hasFocus)).toBe(true)
  },
)

test('has the buttons of a closed sidebar, which no other page shows twice', async () => {
  const user = await openLongThread(false)
  const { page } = user
  const path = pathOf(user)
  const open = page.getByRole('main').getByRole('button', { name: 'Open sidebar' })
  await page.getByRole('button', { name: 'Close sidebar' }).click()
  await expect.poll(() => open.evaluate(hasFocus)).toBe(true)
  await page.getByRole('main').getByRole('button', { name: 'New thread', exact: true }).click()
  await expect.poll(() => pathOf(user)).toBe('/')
  await expect.poll(() => open.count()).toBe(1)
  await page.goto(path)
  await title(user).waitFor()
  expect(await open.count()).toBe(1)
})

// The height that an on-screen keyboard leaves: browsers resize the layout (`interactive-widget=resizes-content`).
import type { Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { setStage, show } from '../stage.ts'

const { newSignedInUser } = setStage()

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const field = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true })

/** True for an element that is completely in the window, with nothing above its center. */
const isUsable = (element: Locator): Promise<boolean> =>
  element.evaluate((node) => {
    const { left, right, top, bottom } = node.getBoundingClientRect()
    const hit = document.elementFromPoint((left + right) / 2, (top + bottom) / 2)
    return left >= 0 && top >= 0 && right <= innerWidth && bottom <= innerHeight && hit !== null && node.contains(hit)
  })

const threadDialog = (item: string) => async (page: Page) => {
  await page.getByRole('button', { name: 'Open sidebar' }).tap()
  await page
    .getByRole('navigation', { name: 'Threads' })
    .getByRole('button', { name: /^More for/ })
    .tap()
  await page.getByRole('menuitem', { name: item }).tap()
}
const press = (path: string, name: string) => async (page: Page) => {
  await page.goto(path)
  await button(page, name).tap()
}

type Row = readonly [what: string, open: (page: Page) => Promise<unknown>, fields: readonly string[], action: string | null]

const rows: readonly Row[] = [
  ['composer', async () => undefined, ['Message'], 'Send message'],
  ['title', threadDialog('Rename'), ['Title'], null],
  [
    'share dialog',
    async (page) => {
      await threadDialog('Share')(page)
      await page.getByRole('switch', { name: 'Show your name' }).tap()
    },
    ['Name on the page'],
    'Create and copy link',
  ],
  ['project dialog', press('/projects', 'New project'), ['Name', 'Instructions'], 'Create'],
  ['tool server dialog', press('/account/tools', 'Add server'), ['Address', 'Name'], 'Add'],
  ['prompt dialog', press('/account/prompts', 'New prompt'), ['Name', 'Text'], 'Create'],
  ['settings', (page) => page.goto('/account/preferences'), ['Nickname', 'Biography'], null],
]

test.each(rows)('%s: the focused field and the main button are in view above the keyboard', async (what, open, fields, action) => {
  const user = await newSignedInUser(`${what.replace(' ', '-')}@example.test`, { phone: true })
  const { page } = user
  await user.open()
  await user.send('/demo chunks=2 delay=0')
  await user.untilAnswered()
  await open(page)
  for (const name of fields) {
    await page.setViewportSize({ width: 390, height: 844 })
    await field(page, name).tap()
    if (action) await expect.poll(() => isUsable(button(page, action))).toBe(true)
    await page.setViewportSize({ width: 390, height: 400 })
    // A browser with a keyboard does this when it resizes the layout.
    await field(page, name).evaluate((node) => node.scrollIntoView({ block: 'nearest' }))
    await show(user, `keyboard-${what}-${name}`)
    await expect.poll(() => isUsable(field(page, name)), { message: name }).toBe(true)
    if (action) await expect.poll(() => isUsable(button(page, action)), { message: action }).toBe(true)
  }
})

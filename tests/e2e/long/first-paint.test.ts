// The first paint: what is written into it is neither lost nor sent twice, and the header of a thread stays where it is.
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import type { FirstPage } from '../../../worker/contract/first-page.ts'
import { pathOf, setStage } from '../stage.ts'
import { type UserPage, untilReplaced } from '../user-page.ts'

const { openComposer, newUser } = setStage()

/** Opens the page and returns the function that lets its scripts load. */
async function openWithoutScripts({ page }: UserPage, path: string): Promise<() => Promise<void>> {
  const { promise, resolve } = Promise.withResolvers<void>()
  await page.route('**/assets/*.js', async (route) => {
    await promise
    await route.continue()
  })
  await page.goto(path, { waitUntil: 'commit' })
  // Parsed, with styles and fonts. Scripts would delay the events of loading.
  await page.waitForFunction(
    () => document.getElementById('root') && document.fonts.check('14px Geist') && document.fonts.status === 'loaded',
  )
  return async () => {
    resolve()
    await untilReplaced(page)
  }
}

test('sends once what was sent before the page is drawn', async () => {
  const { page, composer, conversation, ...user } = await newUser()
  const loadScripts = await openWithoutScripts({ page, composer, conversation, ...user }, '/')
  await page.keyboard.type('Sent early')
  await page.keyboard.press('Enter')
  await loadScripts()
  await conversation.getByRole('article', { name: 'Answer' }).waitFor()
  expect(await conversation.getByRole('article', { name: 'Your message' }).allInnerTexts()).toEqual(['Sent early'])
  expect(await composer.inputValue()).toBe('')
})

test.each([
  { phone: false, isHeld: false },
  { phone: true, isHeld: false },
  { phone: false, isHeld: true },
  { phone: true, isHeld: true },
])('keeps a pressed suggestion: on a phone $phone, released after the page is drawn $isHeld', async ({ phone, isHeld }) => {
  const user = await newUser({ phone })
  const { page, composer } = user
  const loadScripts = await openWithoutScripts(user, '/')
  const { x, y, width, height } = (await page.getByRole('button', { name: /^Compare models/ }).boundingBox()) ?? {
    x: 0,
    y: 0,
    width: 0,
    height: 0,
  }
  const at = { x: x + width / 2, y: y + height / 2 }
  const cdp = await user.context.newCDPSession(page)
  const touch = (type: 'touchStart' | 'touchEnd') =>
    cdp.send('Input.dispatchTouchEvent', { type, touchPoints: type === 'touchStart' ? [at] : [] })
  await page.mouse.move(at.x, at.y)
  await (phone ? touch('touchStart') : page.mouse.down())
  const loaded = isHeld && loadScripts()
  if (isHeld) await page.locator('#root main').waitFor({ state: 'attached' })
  await (phone ? touch('touchEnd') : page.mouse.up())
  await (loaded || loadScripts())
  await expect.poll(() => composer.inputValue()).toBe('Explain how tides work, in five sentences')
  expect(await page.getByRole('status').filter({ hasText: 'Draft' }).count()).toBe(0)
  await page.reload()
  await untilReplaced(page)
  await expect.poll(() => composer.inputValue()).toBe('Explain how tides work, in five sentences')
})

test('keeps the text, the focus and the selection', async () => {
  const user = await newUser()
  const { page, composer } = user
  const loadScripts = await openWithoutScripts(user, '/')
  await page.keyboard.type('Hello')
  await page.keyboard.press('ArrowLeft')
  await page.keyboard.press('Shift+ArrowLeft')
  await loadScripts()
  await page.keyboard.type('p')
  await expect.poll(() => composer.inputValue()).toBe('Helpo')
})

/** A new tab over the first paint, after a tab with this draft was closed. */
async function openAfterDraft(text: string): Promise<{ page: Page; loadScripts: () => Promise<void> }> {
  const user = await openComposer()
  await user.composer.fill(text)
  await user.page.close({ runBeforeUnload: true })
  const page = await user.context.newPage()
  return { page, loadScripts: await openWithoutScripts({ ...user, page }, '/') }
}

test('offers the stored draft of a closed tab when another text was typed', async () => {
  const { page, loadScripts } = await openAfterDraft('Stored')
  await page.keyboard.type('Typed')
  await loadScripts()
  await expect.poll(() => page.getByRole('textbox', { name: 'Message', exact: true }).inputValue()).toBe('Typed')
  await page.getByText('Stored').waitFor()
})

test('does not send the stored draft of a closed tab, which the first paint does not show', async () => {
  const { page, loadScripts } = await openAfterDraft('Stored')
  await page.keyboard.press('Enter')
  await loadScripts()
  await expect.poll(() => page.getByRole('textbox', { name: 'Message', exact: true }).inputValue()).toBe('Stored')
  expect(await page.getByRole('log').count()).toBe(0)
})

test('leaves out a sidebar that the user closed', async () => {
  const user = await openComposer()
  await user.page.getByRole('button', { name: 'Close sidebar' }).click()
  const loadScripts = await openWithoutScripts(user, '/')
  expect(await user.page.getByText('New thread').isVisible()).toBe(false)
  await loadScripts()
  await user.page.getByRole('button', { name: 'Open sidebar' }).waitFor()
})

/** The texts and icons that a part of the page shows, with their boxes. */
const drawnIn = (page: Page, part: string) =>
  page.locator(part).evaluate((header) => {
    const boxOf = ({ x, y, width, height }: DOMRect) => [x, y, width, height].map((px) => Math.round(px))
    const isShown = (element: Element | null) =>
      element?.checkVisibility({ opacityProperty: true, visibilityProperty: true }) === true && !element.closest('.sr-only')
    const texts: { readonly text: string; readonly box: number[] }[] = []
    const walker = document.createTreeWalker(header, NodeFilter.SHOW_TEXT)
    while (walker.nextNode()) {
      const range = document.createRange()
      range.selectNodeContents(walker.currentNode)
      const text = range.toString().trim()
      if (text && isShown(walker.currentNode.parentElement)) texts.push({ text, box: boxOf(range.getBoundingClientRect()) })
    }
    const icons = [...header.querySelectorAll('svg, [data-hue]')].filter(isShown).map((icon) => boxOf(icon.getBoundingClientRect()))
    return { texts, icons }
  })

test.each([{ phone: false }, { phone: true }])(
  'draws the links to log in where the page draws them: on a phone $phone',
  async ({ phone }) => {
    const user = await newUser({ phone })
    const { page } = user
    const links = (root: string) => Promise.all([0, 1].map((at) => drawnIn(page, `${root} a[href="/login"] >> nth=${at}`)))
    const loadScripts = await openWithoutScripts(user, '/')
    const early = await links('#first-paint')
    expect(early.flatMap(({ texts }) => texts.map(({ text }) => text))).toEqual(['Log in', 'Sign up free'])
    await loadScripts()
    expect(await links('#root main')).toEqual(early)
  },
)

/** Opens a thread of a project that the first-page cache has. */
async function startInProject(user: UserPage): Promise<void> {
  const { page } = user
  await page.goto('/projects')
  await page.getByRole('button', { name: 'New project', exact: true }).click()
  await page.getByRole('textbox', { name: 'Name' }).fill('Tea shop')
  await page.getByRole('radio', { name: 'heart' }).check({ force: true })
  await page.getByRole('radio', { name: 'green' }).check({ force: true })
  await page.getByRole('button', { name: 'Create' }).click()
  await page.getByRole('heading', { name: 'Tea shop' }).waitFor()
  await user.send('/demo chunks=600 delay=0 Green tea')
  await user.untilAnswered()
  // The title of the answer's model has reached the first-page cache.
  const servedTitle = async () => {
    const { thread } = (await (await page.request.get(`/_serverFn/first-page?threadId=${pathOf(user).slice(1)}`)).json()) as FirstPage
    return thread?.title
  }
  await expect.poll(servedTitle).toBe('Green tea')
  // The page itself, too.
  await expect.poll(() => page.title()).toContain('Green tea')
}

test.each([{ isFolded: false }, { isFolded: true }])(
  'draws the sidebar as the page draws it: with a hidden list of projects $isFolded',
  async ({ isFolded }) => {
    const user = await openComposer()
    const { page } = user
    await startInProject(user)
    if (isFolded) await page.getByRole('button', { name: 'Newest projects' }).click()
    const path = pathOf(user)
    for (const address of [path, '/']) {
      const loadScripts = await openWithoutScripts(user, address)
      const early = await drawnIn(page, '#first-paint [data-sidebar]')
      expect(early.texts.some(({ text }) => text === 'Tea shop')).toBe(!isFolded)
      await loadScripts()
      expect(await drawnIn(page, '#root [role=complementary]')).toEqual(early)
      await page.unroute('**/assets/*.js')
    }
  },
)

test.each([
  { phone: false, isClosed: false },
  { phone: false, isClosed: true },
  { phone: true, isClosed: false },
])(
  'draws the header of a thread where the page draws it: on a phone $phone, with a closed sidebar $isClosed',
  async ({ phone, isClosed }) => {
    const user = await openComposer({ phone })
    const { page } = user
    await startInProject(user)
    if (isClosed) await page.getByRole('button', { name: 'Close sidebar' }).click()
    const loadScripts = await openWithoutScripts(user, pathOf(user))
    const early = await drawnIn(page, '#first-paint [data-thread-header]')
    expect(early.texts.map(({ text }) => text)).toEqual(phone ? ['Tea shop', 'Green tea'] : ['Tea shop', 'Green tea', 'Share'])
    await loadScripts()
    expect(await drawnIn(page, '#root [data-thread-header]')).toEqual(early)
  },
)

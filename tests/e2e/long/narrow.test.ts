/** Layout on a phone: scrollable tabs, toasts that cover nothing important, prices without hover. */
import type { Locator } from 'playwright-core'
import { expect, test } from 'vitest'
import { createOrganization } from '../organizations.ts'
import { setStage, show } from '../stage.ts'
import { chooseMode, denyCopies, optionsButton, type UserPage } from '../user-page.ts'

const { newUser, openComposer, signIn } = setStage({ visits: { phone: true } })

/** Indexes of the controls that the toast covers. Measured at once, because the toast disappears automatically. */
const coveredBy = async (toast: Locator, controls: readonly Locator[]): Promise<readonly number[]> => {
  const [above, ...below] = await Promise.all([toast, ...controls].map((each) => each.boundingBox()))
  return below.flatMap((b, index) => {
    if (!above || !b) throw new Error('not on the page')
    const isApart = above.x >= b.x + b.width || b.x >= above.x + above.width || above.y >= b.y + b.height || b.y >= above.y + above.height
    return isApart ? [] : [index]
  })
}
/** After its entry animation. */
const toastOf = ({ page }: UserPage) => page.locator('[data-sonner-toast][data-mounted="true"]').first()

test('tabs show on which side there are more, and the open one is in view', async () => {
  const { page } = await newUser()
  await signIn(page, 'tabs@example.test')
  const id = await createOrganization(page, 'tabs')
  await page.setViewportSize({ width: 280, height: 700 })
  const bar = page.getByRole('tablist', { name: 'Organization' })
  const more = () => bar.getAttribute('data-more')
  const isInView = async (name: string) => {
    const box = await bar.getByRole('tab', { name }).boundingBox()
    return box !== null && box.x >= 0 && box.x + box.width <= 280
  }
  await page.goto(`/team/${id}`)
  await bar.waitFor()
  await expect.poll(more).toBe('right')
  await expect.poll(() => isInView('Settings')).toBe(false)
  await page.goto(`/team/${id}/settings`)
  await expect.poll(more).toBe('left')
  await expect.poll(() => isInView('Settings')).toBe(true)
})

test('the composer shows the full name of the selected model next to all of its buttons', async () => {
  const user = await newUser()
  const { page, composer } = user
  await signIn(page, 'names@example.test')
  const form = page.getByRole('form', { name: 'Composer' })
  const isWhole = (name: string) => form.getByText(name, { exact: true }).evaluate((text) => text.scrollWidth <= text.clientWidth)
  const isInside = () => form.evaluate((box) => box.scrollWidth <= box.clientWidth)
  for (const name of ['GPT-5.6 Luna', 'Gemini 3.6 Flash']) {
    await page.getByRole('button', { name: 'Model', exact: true }).tap()
    await page.getByRole('combobox', { name: 'Find model' }).fill(name)
    await page.getByRole('option', { name: new RegExp(`^${name}`) }).tap()
    await page.getByRole('button', { name: 'Model', exact: true, description: name }).waitFor()
    await composer.fill('/demo')
    await chooseMode(user, 'Search')
    await page.getByText('5 left', { exact: true }).filter({ visible: true }).waitFor()
    // The first is a tablet, where the sidebar takes a third.
    for (const width of [768, 390, 320]) {
      await page.setViewportSize({ width, height: 700 })
      await show(user, `composer-${name}-${width}`)
      await expect.poll(async () => [await isWhole(name), await isInside()]).toEqual([true, true])
    }
  }
})

test('on a phone the composer has one row, and a menu for tools, effort and files', async () => {
  const user = await newUser()
  const { page } = user
  await signIn(page, 'row@example.test')
  await page.getByRole('button', { name: 'Model', exact: true }).tap()
  await page.getByRole('combobox', { name: 'Find model' }).fill('GPT-5.6 Luna')
  await page.getByRole('option', { name: /^GPT-5.6 Luna/ }).tap()
  await optionsButton(user, 'Medium').tap()
  await show(user, 'composer-menu')
  await page.getByRole('menuitemradio', { name: 'High', exact: true }).tap()
  await optionsButton(user, 'High').tap()
  await page.getByRole('menuitemradio', { name: 'Research' }).tap()
  const offer = page.getByRole('dialog', { name: 'Upgrade to PRO' })
  await offer.waitFor()
  await page.keyboard.press('Escape')
  await offer.waitFor({ state: 'detached' })
  await chooseMode(user, 'Search')
  await page.getByText('5 left', { exact: true }).filter({ visible: true }).waitFor()
  const heights = ['Model', 'Tools, effort and files · 5 left', 'Send message'].map(async (name) => {
    const box = await page.getByRole('button', { name, exact: true }).boundingBox()
    return box && Math.round(box.y + box.height / 2)
  })
  expect(new Set(await Promise.all(heights)).size).toBe(1)
  await optionsButton(user).tap()
  const chooser = page.waitForEvent('filechooser')
  await page.getByRole('menuitem', { name: 'Attach files' }).tap()
  await chooser
})

/** Scrollers that are wider inside than outside. A row of tabs shows on which side there are more. */
const scrolledSideways = ({ page }: UserPage) =>
  page.evaluate(() =>
    [...document.querySelectorAll('html, body, body *:not([role="tablist"])')]
      .filter(
        (box) => box.scrollWidth > box.clientWidth && (box.matches('html, body') || /auto|scroll/.test(getComputedStyle(box).overflowX)),
      )
      .map(({ tagName, className }) => `${tagName} ${className}`),
  )

test('at 400 % zoom nothing scrolls sideways, and messages are written and sent', async () => {
  const user = await openComposer({ phone: false })
  const { page, composer, conversation } = user
  // A window of 1280 × 1024.
  await page.setViewportSize({ width: 320, height: 256 })
  const isInWindow = async (element: Locator) => {
    const box = await element.boundingBox()
    return box !== null && box.x >= 0 && box.x + box.width <= 320 && box.y >= 0 && box.y + box.height <= 256
  }
  const send = page.getByRole('button', { name: 'Send message' })
  const write = async (text: string) => {
    await composer.click()
    await page.keyboard.type(text)
    for (const control of [composer, send, page.getByRole('button', { name: 'Model', exact: true })])
      await expect.poll(() => isInWindow(control)).toBe(true)
  }
  await write('/demo chunks=300 delay=0')
  await show(user, 'zoom-home')
  expect(await scrolledSideways(user)).toEqual([])
  await send.click()
  await user.untilAnswered()
  // Some lines of the answer are visible above the composer.
  await expect.poll(async () => ((await conversation.boundingBox())?.height ?? 0) >= 96).toBe(true)
  await show(user, 'zoom-thread')
  expect(await scrolledSideways(user)).toEqual([])
  await write('/demo chunks=2 delay=0')
  await send.click()
  await user.untilAnswered()
  expect(await user.answers()).toBe(2)

  // The panel and the sidebar scroll as one, because a list between their fixed parts would have no height.
  const height = async (list: Locator) => (await list.boundingBox())?.height ?? 0
  await page.getByRole('button', { name: 'Model', exact: true }).click()
  const panel = page.getByRole('dialog', { name: 'Choose a model' })
  await expect.poll(() => height(panel.getByRole('listbox', { name: 'Models' }))).toBeGreaterThan(96)
  expect(await panel.evaluate((box) => box.scrollHeight - box.clientHeight)).toBe(0)
  const last = panel.getByRole('button', { name: 'Compare' })
  await last.scrollIntoViewIfNeeded()
  await expect.poll(() => isInWindow(last)).toBe(true)
  await show(user, 'zoom-picker')
  // The second one is locked for guests.
  await panel.getByRole('option').nth(2).click()
  await panel.waitFor({ state: 'detached' })

  await page.getByRole('button', { name: 'Open sidebar' }).click()
  const thread = user.threads.getByRole('link').first()
  await expect.poll(() => height(user.threads)).toBeGreaterThan(48)
  await thread.scrollIntoViewIfNeeded()
  await expect.poll(() => isInWindow(thread)).toBe(true)
  await show(user, 'zoom-sidebar')
  expect(await scrolledSideways(user)).toEqual([])
  await thread.click()

  await page.keyboard.press('Control+k')
  const palette = page.getByRole('dialog', { name: 'Find anything' })
  const field = palette.getByRole('combobox')
  await field.fill('preferences')
  const option = palette.getByRole('option', { name: /^Preferences/ }).first()
  await expect.poll(async () => [await isInWindow(field), await isInWindow(option)]).toEqual([true, true])
  await show(user, 'zoom-palette')
  expect(await scrolledSideways(user)).toEqual([])
  await option.click()
  for (const section of [
    '',
    '#account',
    'subscription',
    'preferences',
    'usage',
    'models',
    'prompts',
    'memory',
    'tools',
    'appearance',
    'data',
  ]) {
    await page.goto(`/account/${section}`)
    await page.getByRole('main').getByRole('heading', { level: 1 }).waitFor()
    await page.getByRole('status', { name: 'Loading' }).waitFor({ state: 'detached' })
    await show(user, `zoom-settings-${section}`)
    expect(await scrolledSideways(user), section).toEqual([])
  }
})

test('a toast covers neither the back link, the title and the tabs, nor the composer, its menu, the bar and the actions of the last answer', async () => {
  const user = await newUser()
  const { page, conversation } = user
  await signIn(page, 'toasts@example.test')
  await user.send('/demo chunks=300 delay=0')
  await user.untilAnswered()
  await denyCopies(user)
  await page.keyboard.press('Control+Shift+C')
  const inThread = [
    page.getByRole('form', { name: 'Composer' }),
    page.getByRole('button', { name: 'Open sidebar' }),
    conversation.getByRole('button', { name: 'Copy', exact: true }).last(),
    conversation.getByRole('button', { name: 'Regenerate', exact: true }),
  ]
  expect(await coveredBy(toastOf(user), inThread)).toEqual([])
  // Pointed at, it stays.
  await toastOf(user).hover()
  await optionsButton(user).press('Enter')
  const menu = page.getByRole('menu', { name: 'Tools, effort and files' })
  await menu.waitFor()
  expect(await coveredBy(toastOf(user), [menu])).toEqual([])
  await menu.press('Escape')

  // The composer does not cover content that is expanded at the end.
  await user.send('/demo chunks=20 delay=0 fail')
  await conversation.getByRole('button', { name: 'Show details' }).tap()
  const details = conversation.getByText(/^code: /)
  const isAboveComposer = async () => {
    const [opened, composer] = await Promise.all([details, page.getByRole('form', { name: 'Composer' })].map((each) => each.boundingBox()))
    return opened && composer && opened.y + opened.height <= composer.y
  }
  await expect.poll(isAboveComposer).toBe(true)
  await show(user, 'details')

  await page.goto('/api/checkout')
  await page.getByRole('button', { name: 'Subscribe' }).tap()
  await page.getByRole('dialog', { name: 'Welcome to PRO' }).waitFor()
  await page.goto('/account/subscription?checkout=subscribed')
  const inSettings = [
    page.getByRole('link', { name: 'Settings', exact: true }),
    page.getByRole('heading', { name: 'Subscription' }),
    page.getByRole('link', { name: 'Manage subscription' }),
  ]
  expect(await coveredBy(toastOf(user).filter({ hasText: 'You already have a subscription' }), inSettings)).toEqual([])
})

test('Undo of a deletion in the sidebar sheet is shown without covering the sheet, and the menu button shows no tooltip', async () => {
  const guest = await openComposer()
  await guest.send('/demo chunks=2 delay=0')
  await guest.untilAnswered()
  await guest.page.getByRole('button', { name: 'Open sidebar' }).tap()
  await guest.threads.getByRole('button', { name: /^More for/ }).waitFor()
  // The end of a list with one thread is not announced.
  expect(await guest.threads.getByText('the end of your threads').count()).toBe(0)
  await guest.threads.getByRole('button', { name: /^More for/ }).press('Enter')
  await guest.page.getByRole('menu', { name: 'Thread' }).press('Escape')
  await expect
    .poll(() => guest.threads.getByRole('button', { name: /^More for/ }).evaluate((button) => button === document.activeElement))
    .toBe(true)
  await expect.poll(() => guest.page.locator('[role="tooltip"]').count()).toBe(0)
  await guest.threads.getByRole('button', { name: /^More for/ }).tap()
  await guest.page.getByRole('menuitem', { name: 'Delete' }).tap()
  const toast = toastOf(guest)
  await toast.getByRole('button', { name: 'Undo' }).waitFor()
  const names = ['New thread', 'Find anything', 'Close sidebar', /credits left/]
  const sheet = guest.page.getByRole('dialog', { name: 'Sidebar' })
  expect(await sheet.getAttribute('aria-modal')).toBe('true')
  const inSidebar = names.map((name) => sheet.getByRole('button', { name }))
  expect(await coveredBy(toast, inSidebar)).toEqual([])
})

test('credits are listed with each model, without hover, and are in the description of the option', async () => {
  const [phone, desk] = [await openComposer(), await openComposer({ phone: false })]
  const credits = ({ page }: UserPage) =>
    page
      .getByRole('option', { name: /^Kimi K2/, description: /From 1 credit per message/ })
      .first()
      .getByText('1 credit', { exact: true })
  await phone.page.getByRole('button', { name: 'Model', exact: true }).tap()
  await credits(phone).waitFor()

  // By keyboard alone.
  await desk.page.getByRole('button', { name: 'Model', exact: true, description: 'Kimi K2' }).waitFor()
  await desk.composer.press('Tab')
  const tip = desk.page.locator('[role="tooltip"]')
  await expect.poll(() => tip.innerText()).toContain('Choose a model')
  await desk.page.keyboard.press('Enter')
  await credits(desk).waitFor()
})

test('an invitation for another account offers to log in as that account, and returns', async () => {
  const [owner, other] = [await newUser({ phone: false }), await newUser()]
  await signIn(owner.page, 'owner@example.test', '/team')
  await owner.page.getByRole('button', { name: 'Create an organization' }).click()
  await owner.page.getByRole('textbox', { name: 'Name' }).first().fill('Atelier')
  await owner.page.getByRole('button', { name: /^Create$/ }).click()
  await owner.page.getByRole('heading', { name: 'Atelier' }).waitFor()
  await owner.page.getByRole('textbox', { name: 'Email' }).fill('invited@example.test')
  await owner.page.getByRole('button', { name: /^Invite$/ }).click()
  await owner.page.getByText(/open until/).waitFor()
  const { mails } = (await (await owner.page.request.get('/api/outbox')).json()) as { mails: { to: string; body: string }[] }
  const path = /\/team\/invitation\/[\w-]+/.exec(mails.find(({ to }) => to === 'invited@example.test')?.body ?? '')?.[0] ?? ''

  await signIn(other.page, 'other@example.test')
  await other.page.goto(path)
  await other.page.getByText('you are logged in as other@example.test').waitFor()
  await other.page.getByRole('button', { name: 'Log in with another account' }).tap()
  await other.page.waitForURL(/\/login\?/)
  await other.page.getByRole('heading', { name: 'Log in to Parley' }).waitFor()
  await signIn(other.page, 'invited@example.test', path)
  await other.page.getByText('owner@example.test invites you to').waitFor()
  other.ignoreErrors(/status of 40[14]|the session has ended/)
})

test('the page shown after logout offers to log in again', async () => {
  const user = await newUser({ phone: false })
  await signIn(user.page, 'again@example.test')
  await user.page.reload()
  await user.page.getByRole('button', { name: /credits left/ }).click()
  await user.page.getByRole('menuitem', { name: 'Log out' }).click()
  await user.page.getByRole('alertdialog').getByRole('button', { name: 'Logout' }).click()
  await user.page.getByRole('link', { name: 'Log in again' }).click()
  await user.page.getByRole('textbox', { name: 'Email' }).fill('still here')
  expect(new URL(user.page.url()).pathname).toBe('/login')
  user.ignoreErrors(/status of 40[14]|the session has ended/)
})

const boxOf = async (element: Locator) => {
  const box = await element.boundingBox()
  if (!box) throw new Error('not on the page')
  return { ...box, bottom: box.y + box.height }
}

test('a toast above the open sidebar is above its footer', async () => {
  const guest = await openComposer()
  const { page } = guest
  for (const text of ['first', 'second']) {
    await guest.send(`/demo chunks=2 delay=0 ${text}`)
    await guest.untilAnswered()
    await page.getByRole('button', { name: 'New thread', exact: true }).tap()
  }
  await page.getByRole('button', { name: 'Open sidebar' }).tap()
  const sidebar = page.getByRole('dialog', { name: 'Sidebar' })
  await sidebar
    .getByRole('button', { name: /^More for/ })
    .first()
    .tap()
  await page.getByRole('menuitem', { name: 'Delete' }).tap()
  // After its entry animation.
  const toast = page.locator('[data-sonner-toast][data-mounted="true"]').first()
  await toast.waitFor()
  await show(guest, 'toast-over-sidebar')
  const footer = await boxOf(sidebar.locator('footer'))
  await expect.poll(async () => Math.round(footer.y - (await boxOf(toast)).bottom)).toBe(16)
})

test('the settings are a list whose rows open, with one row above the title', async () => {
  const { page } = await openComposer()
  await page.goto('/account')
  const title = page.getByRole('main').getByRole('heading', { level: 1 })
  const rows = page.getByRole('navigation', { name: 'Settings' }).getByRole('link')
  const midOf = async (control: Locator) => {
    const { y, bottom } = await boxOf(control)
    return Math.round((y + bottom) / 2)
  }
  const bar = page.getByRole('button', { name: 'Open sidebar' })
  await rows.first().waitFor()
  expect(await rows.allInnerTexts()).toEqual([
    'Account',
    'Subscription',
    'Usage',
    'Preferences',
    'Models',
    'Prompts',
    'Memory',
    'Tools',
    'Appearance',
    'Data & sharing',
  ])
  expect(await page.getByRole('heading', { name: 'Profile' }).isVisible()).toBe(false)
  expect(await midOf(page.getByRole('link', { name: 'Back' }))).toBe(await midOf(bar))
  for (const name of ['Account', 'Preferences']) {
    await rows.filter({ hasText: name }).tap()
    await expect.poll(() => title.innerText()).toBe(name)
    // The row that had the focus is hidden.
    await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('thread')
    const back = page.getByRole('main').getByRole('link', { name: 'Settings' })
    expect(await midOf(back)).toBe(await midOf(bar))
    await back.tap()
    await expect.poll(() => title.innerText()).toBe('Settings')
  }
})

test.each(['/projects', '/bookmarks', '/archive', '/account', '/account/models'])(
  'without a connection, the notice does not cover the title of %s',
  async (path) => {
    const guest = await openComposer()
    const { page, context } = guest
    guest.ignoreErrors(/ERR_INTERNET_DISCONNECTED|WebSocket|Failed to connect/)
    await page.goto(path)
    const title = page.getByRole('main').getByRole('heading').first()
    await title.waitFor()
    await context.setOffline(true)
    const notice = page
      .getByRole('main')
      .getByRole('status')
      .getByText(/^Offline/)
    await notice.waitFor()
    await show(guest, `offline${path.replaceAll('/', '-')}`)
    await expect.poll(async () => (await boxOf(title)).y < (await boxOf(notice)).bottom).toBe(false)
  },
)

/** Toasts and dialogs: their texts, buttons, places and times. */
import type { Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { openProDialog } from './keys.ts'
import { setStage, show } from './stage.ts'
import { denyCopies } from './user-page.ts'

const { openComposer, newUser, newSignedInUser } = setStage()

const toasts = (page: Page) => page.locator('[data-sonner-toast][data-mounted="true"]')
/** sonner keeps an empty list for the default position. */
const region = (page: Page) => page.locator('[data-sonner-toaster]').filter({ has: page.getByRole('listitem') })

/** Records the delay of every timer that the page sets. */
const recordTimers = (page: Page) =>
  page.addInitScript(() => {
    const delays: number[] = []
    const { setTimeout: original } = window
    const recorded = (work: TimerHandler, delay?: number, ...args: unknown[]) => {
      delays.push(delay ?? 0)
      return original(work, delay, ...args)
    }
    Object.assign(window, { setTimeout: recorded, timerDelays: delays })
  })
const timerDelays = (page: Page) => page.evaluate(() => (window as unknown as { timerDelays: number[] }).timerDelays)

const boxOf = async (element: Locator) => {
  const box = await element.boundingBox()
  if (!box) throw new Error('the element is not on the page')
  return box
}

test('toasts: top center, 24 px from the edge, 356 px wide, 3 visible, 14 px apart, 4000 ms, removed after 200 ms', async () => {
  const guest = await newUser()
  const { page } = guest
  await recordTimers(page)
  await guest.open()
  await guest.send('/demo chunks=1 delay=0')
  await guest.untilAnswered()
  await denyCopies(guest)
  for (let i = 0; i < 4; i += 1) await page.keyboard.press('Control+Shift+C')
  await expect.poll(() => toasts(page).count()).toBe(4)
  await expect.poll(() => timerDelays(page)).toContain(4000)

  const first = toasts(page).first()
  await first.hover()
  await expect.poll(() => page.locator('[data-sonner-toast][data-visible="true"]').count()).toBe(3)
  await expect.poll(() => first.getAttribute('data-expanded')).toBe('true')
  const place = async () => {
    const { width, x, y } = await boxOf(region(page))
    return { width, y, centre: x + width / 2 }
  }
  await expect.poll(place).toEqual({ width: 356, y: 24, centre: 720 })
  expect([await region(page).getAttribute('data-y-position'), await region(page).getAttribute('data-x-position')]).toEqual([
    'top',
    'center',
  ])
  const boxes = async () => {
    const shown = await page.locator('[data-sonner-toast][data-visible="true"]').all()
    return (await Promise.all(shown.map((one) => one.boundingBox()))).sort((a, b) => (a?.y ?? 0) - (b?.y ?? 0))
  }
  const gaps = async () => {
    const sorted = await boxes()
    return sorted.slice(1).map((box, i) => Math.round((box?.y ?? 0) - ((sorted[i]?.y ?? 0) + (sorted[i]?.height ?? 0))))
  }
  await expect.poll(gaps).toEqual([14, 14])
  await expect.poll(async () => (await boxes()).map((box) => box?.width)).toEqual([356, 356, 356])
  await show(guest, 'toasts')

  // Without hover they disappear automatically.
  await page.mouse.move(10, 800)
  await expect.poll(() => toasts(page).count()).toBe(0)
  await expect.poll(() => timerDelays(page)).toContain(200)
})

test('a toast goes away with its button, and with a navigation', async () => {
  const guest = await openComposer()
  const { page } = guest
  await guest.send('/demo chunks=1 delay=0')
  await guest.untilAnswered()
  await denyCopies(guest)
  const toast = toasts(page).first()
  await page.keyboard.press('Control+Shift+C')
  // Time does not remove it while the pointer rests on it.
  await toast.hover()
  await toast.getByRole('button', { name: 'Dismiss' }).click()
  await expect.poll(() => toasts(page).count()).toBe(0)
  await page.keyboard.press('Control+Shift+C')
  await toast.hover()
  await page.keyboard.press('Control+Shift+O')
  await expect.poll(() => toasts(page).count()).toBe(0)
})

test('a swipe of more than 45 px closes a toast, and a shorter one if it is faster than 0.11 px a millisecond', async () => {
  const guest = await openComposer()
  const { page } = guest
  await guest.send('/demo chunks=1 delay=0')
  await guest.untilAnswered()
  await denyCopies(guest)
  const toast = toasts(page).first()
  // The clock of the page stands still but for `durationMs`.
  const swipe = async (upPx: number, durationMs: number) => {
    await page.keyboard.press('Control+Shift+C')
    await toast.hover()
    await expect.poll(async () => (await boxOf(toast)).y).toBe(24)
    const { x, y, width, height } = await boxOf(toast)
    const [startX, startY] = [x + width / 2, y + height / 2]
    const startMs = await page.evaluate(() => Date.now())
    await page.clock.setFixedTime(startMs)
    await page.mouse.move(startX, startY)
    await page.mouse.down()
    await page.mouse.move(startX, startY - upPx, { steps: 4 })
    await page.clock.setFixedTime(startMs + durationMs)
    await page.mouse.up()
  }
  // 44 / 1000 and 44 / 400 are at most 0.11.
  for (const durationMs of [1000, 400]) {
    await swipe(44, durationMs)
    await expect.poll(() => toast.getAttribute('data-swiping')).toBe('false')
    expect(await toasts(page).count()).toBe(1)
    await toast.getByRole('button', { name: 'Dismiss' }).click()
    await expect.poll(() => toasts(page).count()).toBe(0)
  }
  for (const [upPx, durationMs] of [
    [45, 1000],
    [44, 399],
    [12, 100],
  ] as const) {
    await swipe(upPx, durationMs)
    await expect.poll(() => toasts(page).count()).toBe(0)
  }
})

test('a copy by its shortcut shows a check in the Copy button, and a toast only while the button is out of view', async () => {
  const guest = await openComposer()
  const { page, conversation } = guest
  await guest.context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await guest.send('/demo chunks=1500 delay=0')
  await guest.untilAnswered()
  const copy = conversation.getByRole('button', { name: 'Copy', exact: true }).last()
  await page.keyboard.press('Control+Shift+C')
  await copy.locator('.lucide-check').waitFor()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toContain('word1500')
  await copy.locator('.lucide-copy').waitFor()
  expect(await toasts(page).count()).toBe(0)
  await conversation.evaluate((log) => log.scrollTo({ top: 0 }))
  await page.keyboard.press('Control+Shift+C')
  await toasts(page).filter({ hasText: 'Copied to clipboard' }).waitFor()
})

test('sync notices: bottom right, 24 px from both edges, in a thread from the composer; the theme follows the system', async () => {
  const guest = await openComposer()
  const { page, threads } = guest
  const removeThread = async (index: number) => {
    await threads.getByRole('listitem').nth(index).hover()
    await threads
      .getByRole('button', { name: /^More for/ })
      .nth(index)
      .click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
  }
  const fromBottom = async () => {
    const { y, height } = await boxOf(region(page))
    return 900 - (y + height)
  }
  await guest.send('/demo chunks=1 delay=0')
  await guest.untilAnswered()
  await guest.startThread()
  await guest.send('/demo chunks=1 delay=0')
  await guest.untilAnswered()

  // The other thread: the page stays in this one.
  await removeThread(1)
  await toasts(page).getByRole('button', { name: 'Undo' }).waitFor()
  expect([await region(page).getAttribute('data-y-position'), await region(page).getAttribute('data-x-position')]).toEqual([
    'bottom',
    'right',
  ])
  const rightAndWidth = async () => {
    const { x, width } = await boxOf(region(page))
    return [1440 - (x + width), width]
  }
  await expect.poll(rightAndWidth).toEqual([24, 356])
  const composerHeight = () => page.evaluate(() => parseFloat(document.documentElement.style.getPropertyValue('--composer-height')))
  await expect.poll(async () => (await fromBottom()) - (await composerHeight())).toBe(24)

  // This one: the page navigates to a new thread and centres the composer.
  await removeThread(0)
  await expect.poll(fromBottom).toBe(24)
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme })
    await expect.poll(() => region(page).getAttribute('data-sonner-theme')).toBe(colorScheme)
  }
})

test('on a phone toasts are 16 px from the edges', async () => {
  const phone = await newSignedInUser('toasts@specification.test', { phone: true })
  const { page } = phone
  // The return of another account from its provider.
  await page.goto('/account?delete=somebody-else')
  await toasts(page).waitFor()
  const margins = async () => {
    const { x, y, width, height } = await boxOf(toasts(page))
    return { left: x, right: 390 - (x + width), bottom: Math.round(844 - (y + height)) }
  }
  await expect.poll(margins).toEqual({ left: 16, right: 16, bottom: 16 })
})

test('the dialogs have their titles, texts and buttons, and confirming logs out', async () => {
  const user = await newSignedInUser('dialogs@specification.test')
  // A request that was sent just before the logout is refused.
  user.ignoreErrors(/the session has ended|401 \(Unauthorized\)/)
  const { page } = user
  await page.goto('/account')
  const buttonsOf = (name: string) => page.getByRole('alertdialog', { name }).getByRole('button').allInnerTexts()
  await page.getByRole('button', { name: 'Log out of this session' }).click()
  const logout = page.getByRole('alertdialog', { name: 'Logout' })
  await logout.getByText('Are you sure you want to logout?', { exact: true }).waitFor()
  expect(await buttonsOf('Logout')).toEqual(['Cancel', 'Logout'])
  await logout.getByRole('button', { name: 'Logout' }).click()
  await page.waitForURL('**/logged-out')
  await expect.poll(() => page.title()).toBe('Parley')
})

test('the PRO dialog lists its benefits and prices; guests are redirected to log in; navigation closes it', async () => {
  const benefits = ['Access to PRO models', 'Access to the research tool', 'Higher limits for search', '200 Credits daily']
  for (const [isGuest, { page }] of [
    [true, await newUser()],
    [false, await newSignedInUser('upsell@specification.test')],
  ] as const) {
    await page.goto('/account/subscription')
    // The offer on the page leads to the checkout at once.
    await page.getByRole('main').getByRole('link', { name: 'Upgrade to PRO' }).waitFor()
    const dialog = await openProDialog(page)
    expect((await dialog.getByRole('rowheader').allInnerTexts()).slice(0, benefits.length)).toEqual(benefits)
    await dialog.getByText('$25.00', { exact: true }).waitFor()
    expect(await dialog.locator('s').innerText()).toContain('$115.00')
    const guestText = dialog.getByText('Create account to get 20 credits daily and access to more models', { exact: true })
    const target = async () => decodeURIComponent((await dialog.getByRole('link', { name: 'Get Started' }).getAttribute('href')) ?? '')
    await expect.poll(target).toBe(isGuest ? '/login?callbackUrl=/api/checkout' : '/api/checkout?redirectUrl=/account/subscription')
    await expect.poll(() => guestText.count()).toBe(isGuest ? 1 : 0)
    await page.goBack()
    await dialog.waitFor({ state: 'detached' })
  }
})

test('the page shows the price that the server read from Stripe, and omits a comparison that would be false', async () => {
  const { page } = await newUser()
  await page.route('**/api/price', (route) => route.fulfill({ json: { price: { unitAmount: 4200, currency: 'eur' } } }))
  await page.goto('/account/subscription')
  await page.getByText('€42.00', { exact: true }).waitFor()
  expect(await page.getByText(/Save over 70%/).count()).toBe(0)
  await (await openProDialog(page)).getByText('€42.00', { exact: true }).waitFor()
})

test.each([
  ['/team', 'Organizations'],
  ['/bookmarks', 'Bookmarks'],
])('%s has the product’s name as title, also after a thread was open', async (path, heading) => {
  const guest = await openComposer()
  await guest.send('/demo chunks=1 delay=0 About tides')
  await guest.untilAnswered()
  await expect.poll(() => guest.page.title()).toMatch(/tides/i)
  await guest.page.goto(path)
  await guest.page.getByRole('heading', { name: heading, level: 1 }).waitFor()
  await expect.poll(() => guest.page.title()).toBe('Parley')
})

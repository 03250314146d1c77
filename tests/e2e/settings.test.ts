/** The settings: with the sidebar, saved without a button, the pins of the models, and the language. */
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { pathOf, setStage, show } from './stage.ts'
import { untilDrawn } from './user-page.ts'

// A refused name.
const privacyUrl = 'https://parley.example/privacy'
const { openComposer, newUser, newSignedInUser, newDevice } = setStage({
  product: { env: { PRIVACY_URL: privacyUrl } },
  ignoredErrors: /status of 400/,
})

const field = (page: Page, name: string) => page.getByRole('textbox', { name })
/** The check next to a field or a title. */
const check = (page: Page) => page.getByRole('status').filter({ hasText: 'Saved' })

test('settings keep the sidebar, and every section starts at its top', async () => {
  const desk = await openComposer()
  const { page } = desk
  await desk.send('/demo chunks=2 delay=0 tides')
  await desk.untilAnswered()
  const path = pathOf(desk)
  await page.getByRole('button', { name: /credits left/ }).click()
  await page.getByRole('menuitem', { name: 'Settings' }).click()
  await page.getByRole('heading', { name: 'Settings' }).waitFor()
  await page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name: 'Models' }).click()
  await page.getByRole('heading', { name: 'Mistral' }).scrollIntoViewIfNeeded()
  await page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name: 'Preferences' }).click()
  await field(page, 'Nickname').waitFor()
  const scrolled = () => page.getByRole('main').evaluate((main) => Math.max(...[...main.children].map(({ scrollTop }) => scrollTop)))
  await expect.poll(scrolled).toBe(0)
  await show(desk, 'settings-preferences')
  await desk.threads.locator(`a[href="${path}"]`).click()
  await desk.conversation.getByText('word2').waitFor()
  // The keys of the sidebar work in the settings, too.
  await page.goto('/account/preferences')
  await page.getByRole('heading', { name: 'Settings' }).waitFor()
  await page.keyboard.press('Control+b')
  await page.getByRole('button', { name: 'Open sidebar' }).waitFor()
})

test('the settings link the legal pages that are set and the licences of the packages, and the login page the former', async () => {
  const { page } = await openComposer()
  await page.goto('/account/data')
  const notices = page.getByRole('link', { name: 'Open-source licenses' })
  expect(await page.getByRole('link', { name: 'Privacy' }).getAttribute('href')).toBe(privacyUrl)
  expect(await page.getByRole('link', { name: /^(Terms|Imprint)$/ }).count()).toBe(0)
  const response = await page.request.get((await notices.getAttribute('href')) ?? '')
  expect(response.headers()['content-type']).toContain('text/plain')
  expect(await response.text()).toMatch(/^hono \d[\s\S]*^react \d/m)
  await page.goto('/login')
  expect(await page.getByRole('link', { name: 'Privacy' }).getAttribute('href')).toBe(privacyUrl)
  expect(await page.getByRole('link', { name: 'Open-source licenses' }).count()).toBe(0)
})

test('texts save themselves after a pause and when they are left, with a check', async () => {
  const desk = await openComposer()
  const { page } = desk
  await page.goto('/account/preferences')
  await field(page, 'Nickname').fill('Ada')
  await check(page).waitFor()
  await show(desk, 'settings-saved')
  await field(page, 'Biography').fill('I count.')
  await page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name: 'Appearance' }).click()
  await page.getByText('Graphite', { exact: true }).click()
  await page.locator('html.theme-graphite').waitFor()
  await check(page).waitFor()
  const phone = await newDevice(desk, { phone: true })
  await phone.page.goto('/account/preferences')
  await expect.poll(() => field(phone.page, 'Nickname').inputValue()).toBe('Ada')
  await expect.poll(() => field(phone.page, 'Biography').inputValue()).toBe('I count.')
  await phone.page.locator('html.theme-graphite').waitFor()
  // An open field follows other devices, unless it is being edited.
  await field(phone.page, 'Nickname').fill('Countess')
  await page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name: 'Preferences' }).click()
  await expect.poll(() => field(page, 'Nickname').inputValue()).toBe('Countess')
})

test('a refused name stays in its field with the reason, and the corrected one is saved', async () => {
  const { page } = await newSignedInUser('names@settings.test')
  await page.goto('/account')
  await field(page, 'Name').fill('')
  await page.getByText('Enter a name.').waitFor()
  await field(page, 'Name').fill('Visit www.evil.example')
  await page.locator('input[aria-invalid="true"]').waitFor()
  expect(await field(page, 'Name').inputValue()).toBe('Visit www.evil.example')
  expect(await check(page).count()).toBe(0)
  await field(page, 'Name').fill('Ada Lovelace')
  await check(page).waitFor()
  await page.getByRole('button', { name: /Ada Lovelace/ }).waitFor()
})

test('pins are buttons, a removed pin can be restored in the filtered list, and the last one stays', async () => {
  const desk = await openComposer()
  const { page } = desk
  await page.goto('/account/models')
  await page.getByText('6 pinned models come first').waitFor()
  await page.getByRole('button', { name: 'Pinned', exact: true }).click()
  const pins = page.getByRole('button', { name: /^Pin / })
  await expect.poll(() => pins.count()).toBe(6)
  for (let index = 0; index < 5; index += 1) {
    await pins.nth(index).click()
    await expect.poll(() => pins.nth(index).getAttribute('aria-pressed')).toBe('false')
  }
  await page.getByText('1 pinned model comes first').waitFor()
  expect(await pins.nth(5).getAttribute('aria-disabled')).toBe('true')
  await pins.nth(5).press('Enter')
  expect(await pins.nth(5).getAttribute('aria-pressed')).toBe('true')
  await pins.nth(0).click()
  await page.getByText('2 pinned models come first').waitFor()
  await check(page).waitFor()
  await show(desk, 'settings-pins')
})

/** The radio button shows the stored setting, so it changes shortly after the click. */
async function chooseLanguage(page: Page, language: string): Promise<void> {
  const option = page.getByRole('radio', { name: language })
  await option.click()
  await option.and(page.locator(':checked')).waitFor()
}

test('German is chosen in the settings, applies at once, and is served after a reload', async () => {
  const guest = await openComposer()
  const { page } = guest
  await page.goto('/account/appearance')
  await chooseLanguage(page, 'Deutsch')
  await page.getByRole('heading', { name: 'Einstellungen', level: 1 }).waitFor()
  await expect.poll(() => page.locator('html').getAttribute('lang')).toBe('de')
  await page.getByRole('group', { name: 'Sprache' }).waitFor()
  for (const [key, language, heading] of [
    ['ArrowLeft', 'English', 'Settings'],
    ['ArrowRight', 'Deutsch', 'Einstellungen'],
  ] as const) {
    await page.keyboard.press(key)
    await page.getByRole('heading', { name: heading, level: 1 }).waitFor()
    const chosen = page.getByRole('radio', { name: language }).and(page.locator(':checked'))
    await expect.poll(() => chosen.evaluate((radio) => radio === document.activeElement)).toBe(true)
  }

  // The cached first page is replaced shortly after the change.
  await expect.poll(async () => (await page.request.get('/')).text()).toMatch(/lang="de"[\s\S]*Neuer Thread/)
  await page.goto('/')
  const composer = page.getByRole('textbox', { name: 'Nachricht', exact: true })
  await page.locator('[data-composer]').waitFor()
  expect(await composer.last().getAttribute('placeholder')).toBe('Nachricht schreiben')
  await page.getByRole('button', { name: 'Neuer Thread' }).waitFor()
  await composer.last().fill('/demo chunks=3 delay=0')
  await page.getByRole('button', { name: 'Nachricht senden' }).click()
  await page.getByRole('log', { name: 'Gespräch' }).getByRole('button', { name: 'Neu erzeugen', exact: true }).waitFor()

  await page.goto('/account/appearance')
  await chooseLanguage(page, 'English')
  await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor()
  await expect.poll(() => page.locator('html').getAttribute('lang')).toBe('en')
})

test('a browser that prefers German is served and shown German, with its number formats', async () => {
  const guest = await newUser({ locale: 'de-DE' })
  const { page } = guest
  await page.goto('/account/subscription')
  await page.getByRole('heading', { name: 'Einstellungen', level: 1 }).waitFor()
  await page.getByText('25,00', { exact: false }).first().waitFor()
  expect(await page.locator('html').getAttribute('lang')).toBe('de')
})

test('the account page of a user with four sessions does not move while it loads', async () => {
  const me = await newSignedInUser('settings-four@example.test')
  for (let i = 0; i < 3; i += 1) await newSignedInUser('settings-four@example.test')
  const { page } = me
  // High enough for all sections.
  await page.setViewportSize({ width: 390, height: 3000 })
  await page.addInitScript(() => {
    const shifts: number[] = []
    const add = (entries: readonly PerformanceEntry[]) => shifts.push(...entries.map((entry) => Number(Reflect.get(entry, 'value'))))
    new PerformanceObserver((list) => add(list.getEntries())).observe({ type: 'layout-shift', buffered: true })
    Reflect.set(window, 'shifts', shifts)
  })
  const { promise: isReady, resolve: respond } = Promise.withResolvers<void>()
  await page.route('**/api/auth/list-sessions', async (route) => {
    await isReady
    await route.continue()
  })
  await page.goto('/account#account')
  await page.getByText('Member since').waitFor()
  await page.locator('[role=status][aria-label=Loading]').waitFor({ state: 'attached' })
  respond()
  await expect.poll(() => page.getByRole('button', { name: /^Revoke the session of/ }).count()).toBe(3)
  await untilDrawn(me)
  expect(await page.evaluate(() => Reflect.get(window, 'shifts'))).toEqual([])
})

// The starting points of an empty new thread, on a desktop and on a phone.
import { expect, test } from 'vitest'
import { setStage } from '../stage.ts'

const { newUser, openComposer } = setStage()

test.each([false, true])('a card writes its prompt, and the cards disappear while there is text (phone: %s)', async (phone) => {
  const guest = await openComposer({ phone })
  const card = guest.page.getByRole('button', { name: /^Write something hard/ })
  await card.scrollIntoViewIfNeeded()
  await card.click()
  await expect.poll(() => guest.composer.inputValue()).toBe('Decline an invitation politely')
  await expect.poll(() => guest.composer.evaluate((field) => field === document.activeElement)).toBe(true)
  await card.waitFor({ state: 'detached' })
  await guest.composer.fill('')
  // On a phone the keyboard needs the room.
  if (phone) await guest.composer.blur()
  await card.waitFor()
})

test.each([
  { locale: 'en-US', names: ['Open sidebar', 'New thread', 'Temporary thread', 'Log in', 'Sign up free'] },
  { locale: 'de-DE', names: ['Seitenleiste öffnen', 'Neuer Thread', 'Temporärer Thread', 'Anmelden', 'Registrieren'] },
])('a guest on a phone has the links to log in beside the buttons of the header ($locale)', async ({ locale, names }) => {
  const { page } = await newUser({ phone: true, locale })
  await page.goto('/')
  await page
    .getByRole('main')
    .getByRole('link', { name: names[4] ?? '' })
    .waitFor()
  for (const width of [390, 360]) {
    await page.setViewportSize({ width, height: 844 })
    const controls = await page.locator('main :is(button, a):visible').evaluateAll((all) =>
      all
        .map((control) => ({ name: control.getAttribute('aria-label') ?? control.textContent, box: control.getBoundingClientRect() }))
        .filter(({ box }) => box.width > 1 && box.bottom < 60)
        .sort((one, other) => one.box.left - other.box.left)
        .map(({ name, box: { left, right } }) => ({ name, left, right })),
    )
    expect(controls.map(({ name }) => name)).toEqual(names)
    const ends = controls.flatMap(({ left, right }) => [left, right])
    expect(ends).toEqual(ends.toSorted((one, other) => one - other))
    expect(ends.at(-1)).toBeLessThan(width)
  }
})

test('a guest sees what the product is, how to log in, and what each card does', async () => {
  const { page, composer } = await openComposer()
  await page.getByText('Many AI models in one place. 20 free credits a day, no account needed.').waitFor()
  expect(
    await page
      .getByRole('main')
      .getByRole('link', { name: /Log in|Sign up free/ })
      .evaluateAll((links) => links.map((link) => link.getAttribute('href'))),
  ).toEqual(['/login', '/login'])
  const chooser = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: /^Ask about a file/ }).click()
  await chooser
  await page.getByRole('button', { name: /^Research a question ?PRO/ }).click()
  await page.getByRole('dialog').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: /^Compare models/ }).click()
  await expect.poll(() => composer.inputValue()).toContain('tides')
  await page.getByText('3 credits').waitFor()
})

test('the newest threads are offered in a new thread, and in no temporary thread', async () => {
  const guest = await openComposer()
  const recent = guest.page.getByRole('navigation', { name: 'Recent' })
  await guest.page.getByRole('button', { name: /^Compare models/ }).waitFor()
  expect(await recent.count()).toBe(0)
  await guest.send('/demo chunks=3 delay=0')
  await guest.untilAnswered()
  const thread = new URL(guest.page.url()).pathname
  await guest.startThread()
  await recent.getByRole('link').waitFor()
  await guest.page.getByRole('button', { name: 'Temporary thread' }).click()
  await recent.waitFor({ state: 'detached' })
  await guest.page.getByRole('button', { name: 'Temporary thread' }).click()
  await recent.getByRole('link').click()
  await guest.conversation.waitFor()
  expect(new URL(guest.page.url()).pathname).toBe(thread)
})

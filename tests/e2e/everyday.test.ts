/** Everyday use besides asking: editing, deleting, changing devices and losing the network. */
import type { Locator } from 'playwright-core'
import { expect, test } from 'vitest'
import { serverAway } from '../support/server-away.ts'
import { type Person, untilDrawn, type Visit } from './person.ts'
import { pathOf, setStage, show } from './stage.ts'

// Animated: the product as most users see it, with menus, dialogs and toasts in transition.
const { arrive, meetAccount, meetAgain } = setStage({ visits: { animated: true } })

const phoneOf = (person: Person): Promise<Person> => meetAgain(person, { phone: true })

/** A guest in a thread with one answer of `words` words. */
const guestWithAnswer = async (words: number, visit: Partial<Visit> = {}): Promise<Person> => {
  const guest = await arrive(visit)
  await guest.send(`/demo chunks=${words} delay=0`)
  await guest.conversation.getByText(`word${words}`).waitFor()
  await guest.untilAnswered()
  return guest
}

/** The question above a long answer renders on an idle callback; before, its height is an estimate. */
const untilWhole = ({ conversation }: Person) => conversation.getByRole('article', { name: 'Your message' }).waitFor()

const renameFromThreadMenu = async ({ threads, page }: Person) => {
  await threads.getByRole('listitem').first().hover()
  await threads
    .getByRole('button', { name: /^More for/ })
    .first()
    .click()
  await page.getByRole('menuitem', { name: 'Rename' }).click()
}

/** Distance of the view from the end of the conversation. */
const belowPx = ({ conversation }: Person): Promise<number> =>
  conversation.evaluate((log) => Math.round(log.scrollHeight - log.clientHeight - log.scrollTop))

test('an edited message replaces the old one and is answered', async () => {
  const guest = await guestWithAnswer(4)
  await guest.conversation.getByRole('button', { name: 'Edit' }).click()
  await expect.poll(() => guest.composer.inputValue()).toBe('/demo chunks=4 delay=0')
  await guest.send('/demo chunks=9 delay=0')
  await guest.conversation.getByText('word9').waitFor()
  await guest.untilAnswered()
  await expect
    .poll(() => guest.conversation.getByRole('article', { name: 'Your message' }).allInnerTexts())
    .toEqual([
      // Both versions exist; this one is shown.
      '/demo chunks=9 delay=0\n\nVersion 2 of 2',
    ])
  await expect.poll(() => guest.answers()).toBe(1)
})

test('cancelling an edit restores the previous draft', async () => {
  const guest = await guestWithAnswer(4)
  await guest.composer.fill('half a thought')
  await guest.conversation.getByRole('button', { name: 'Edit' }).click()
  await expect.poll(() => guest.composer.inputValue()).toBe('/demo chunks=4 delay=0')
  // The edited message is marked visually and for screen readers.
  const message = guest.conversation.getByRole('article', { name: 'Your message' })
  await message.getByText('Being edited').waitFor()
  await message.locator('.outline-accent').getByText('/demo chunks=4').waitFor()
  await guest.page.keyboard.press('Escape')
  await message.getByText('Being edited').waitFor({ state: 'detached' })
  await expect.poll(() => guest.composer.inputValue()).toBe('half a thought')
})

test('typed text shows every character: no ligatures', async () => {
  const guest = await arrive()
  await guest.composer.fill('-->')
  const ligatures = (shown: Locator) => shown.evaluate((element) => getComputedStyle(element).fontVariantLigatures)
  expect(await ligatures(guest.composer)).toBe('no-common-ligatures')
  await guest.composer.press('Enter')
  await guest.untilAnswered()
  const answer = guest.conversation.getByRole('article', { name: 'Answer' })
  await expect.poll(() => ligatures(answer.locator('pre code').first())).toBe('no-common-ligatures')
  // A ligature's width is divided evenly among its characters; without one, a hyphen is narrower than the end of an arrow.
  const widths = (shown: Locator) =>
    shown.evaluate(async (element) => {
      await document.fonts.ready
      const text = document.createTreeWalker(element, NodeFilter.SHOW_TEXT).nextNode()
      if (!text) throw new Error('no text')
      return [0, 1, 2].map((at) => {
        const range = document.createRange()
        range.setStart(text, at)
        range.setEnd(text, at + 1)
        return Math.round(range.getBoundingClientRect().width)
      })
    })
  for (const shown of [
    guest.conversation.getByRole('article', { name: 'Your message' }).locator('p'),
    answer.locator('blockquote p').first(),
  ]) {
    const [first, second, last] = await widths(shown)
    expect(first).toBe(second)
    expect(last).toBeGreaterThan(first ?? 0)
  }
})

test('regenerating answers the same message again, in the same place', async () => {
  const guest = await guestWithAnswer(4)
  const first = await guest.conversation.locator('[data-turn]').last().getAttribute('data-turn')
  // The price is shown before the request.
  await guest.conversation.locator('[data-tooltip="Regenerate · 1 credit"]').waitFor()
  await guest.conversation.getByRole('button', { name: 'Regenerate', exact: true }).click()
  await expect.poll(() => guest.conversation.locator('[data-turn]').last().getAttribute('data-turn')).not.toBe(first)
  await guest.untilAnswered()
  await expect.poll(() => guest.answers()).toBe(1)
  await guest.page.getByRole('button', { name: /18 credits left/ }).waitFor()
})

test('a new title shows on all devices', async () => {
  const guest = await guestWithAnswer(2)
  const phone = await phoneOf(guest)
  await phone.open(pathOf(guest))
  await renameFromThreadMenu(guest)
  await guest.page.getByRole('textbox', { name: 'Title' }).fill('Tides and moons')
  await guest.page.keyboard.press('Enter')
  await guest.threads.getByRole('link', { name: 'Tides and moons' }).waitFor()
  for (const { page } of [guest, phone]) await expect.poll(() => page.title()).toBe('Tides and moons')
})

test('mode and theme change on every device, and Back in the settings returns to the thread', async () => {
  const guest = await guestWithAnswer(2)
  const path = pathOf(guest)
  const phone = await phoneOf(guest)
  await phone.open()
  await guest.page.getByRole('button', { name: /credits left/ }).click()
  await guest.page.getByRole('menuitem', { name: 'Settings' }).click()
  await guest.page.getByRole('tab', { name: 'Appearance' }).click()
  await guest.page.getByText('Light', { exact: true }).click()
  await guest.page.getByText('Claude', { exact: true }).click()
  for (const { page } of [guest, phone]) await page.locator('html.light.theme-claude').waitFor()
  await guest.page.getByRole('link', { name: 'Back' }).click()
  await guest.conversation.getByText('word2').waitFor()
  await expect.poll(() => pathOf(guest)).toBe(path)
})

test('a message sent offline shows that it waits and is answered when the network returns', async () => {
  const guest = await guestWithAnswer(2, { prefetches: true })
  const phone = await phoneOf(guest)
  await phone.open(pathOf(guest))
  await guest.context.setOffline(true)
  await guest.page.getByText('Offline. Your messages are sent when the connection is back.').waitFor()
  await guest.send('/demo chunks=7 delay=0')
  const question = guest.conversation.getByRole('article', { name: 'Your message' }).filter({ hasText: 'chunks=7' })
  await question.getByRole('status').getByText('Waiting for the connection').waitFor()
  await expect.poll(() => guest.composer.inputValue()).toBe('')
  await guest.composer.fill('/demo chunks=8 delay=0')
  await guest.page.getByRole('button', { name: 'Queue message' }).click()
  const queued = guest.conversation.getByRole('article', { name: 'Queued message' })
  await queued.getByRole('status').getByText('Waiting for the connection').waitFor()
  await show(guest, 'offline')
  await guest.composer.fill('and what comes next')
  expect(await phone.conversation.getByText('chunks=7').count()).toBe(0)
  await guest.context.setOffline(false)
  for (const person of [guest, phone]) await person.conversation.getByText('word8').waitFor()
  await guest.untilAnswered()
  await expect.poll(() => guest.conversation.getByText('Waiting for the connection').count()).toBe(0)
  await expect.poll(() => guest.answers()).toBe(3)
  await expect.poll(() => guest.composer.inputValue()).toBe('and what comes next')
  await expect.poll(() => guest.page.getByText('Offline.').count()).toBe(0)
  // The console may contain errors of the disconnected network only.
  guest.forgive(serverAway)
})

test('the picker refuses a model that is not available to the user, with the reason', async () => {
  const guest = await arrive()
  const model = guest.page.getByRole('button', { name: 'Model', exact: true })
  await expect.poll(() => model.getAttribute('aria-description')).toBe('Kimi K2')
  await model.click()
  await guest.page.getByRole('combobox', { name: 'Find model' }).fill('claude opus')
  // Enter selects from the list, which appears when the models have loaded.
  await guest.page
    .getByRole('option', { name: /^Claude Opus/ })
    .first()
    .waitFor()
  await guest.page.keyboard.press('Enter')
  const dialog = guest.page.getByRole('dialog', { name: 'Choose a model' })
  await expect.poll(() => dialog.getByRole('alert').innerText()).toMatch(/Claude Opus.*\s+Premium required for this model/)
  await dialog.getByRole('button', { name: 'Upgrade to PRO' }).waitFor()
  await guest.page.getByRole('combobox', { name: 'Find model' }).fill('gpt 4o mini')
  await expect.poll(() => guest.page.getByRole('option').first().innerText()).toMatch(/^GPT 4o Mini/)
  await guest.page.keyboard.press('Enter')
  await expect.poll(() => model.getAttribute('aria-description')).toBe('GPT 4o Mini')
  await expect.poll(() => guest.composer.evaluate((field) => field === document.activeElement)).toBe(true)
})

test('the picker lists exact matches first, and Enter selects them', async () => {
  const person = await meetAccount('ranked@example.test')
  await person.open()
  const model = person.page.getByRole('button', { name: 'Model', exact: true })
  await model.click()
  await person.page.getByRole('combobox', { name: 'Find model' }).fill('gpt 5 mini')
  await expect.poll(() => person.page.getByRole('option').first().innerText()).toMatch(/^GPT 5 Mini/)
  await person.page.keyboard.press('Enter')
  await expect.poll(() => model.getAttribute('aria-description')).toBe('GPT 5 Mini')
  // The list of efforts starts with the selected one.
  await person.page.getByRole('button', { name: 'Reasoning effort', description: 'Medium' }).click()
  await person.page.getByRole('menuitemradio', { name: 'Medium', checked: true }).and(person.page.locator(':focus')).waitFor()
  await person.page.keyboard.press('ArrowDown')
  await person.page.keyboard.press('Enter')
  await person.page.getByRole('button', { name: 'Reasoning effort', description: 'High' }).waitFor()
})

test('a thread opens at its end and restores the scroll position', async () => {
  const guest = await guestWithAnswer(900)
  const first = pathOf(guest)
  await guest.startThread()
  await guest.send('/demo chunks=800 delay=0')
  await guest.conversation.getByText('word800').waitFor()
  await guest.untilAnswered()
  await untilWhole(guest)
  await guest.conversation.evaluate((log) => log.scrollTo({ top: 120 }))
  await guest.page.getByRole('button', { name: 'Scroll to bottom' }).waitFor()
  await guest.threads.locator(`a[href="${first}"]`).click()
  await guest.conversation.getByText('word900').waitFor()
  await expect.poll(() => belowPx(guest)).toBeLessThanOrEqual(1)
  await guest.page.goBack()
  await guest.conversation.getByText('word800').waitFor()
  await expect.poll(() => guest.conversation.evaluate((log) => Math.round(log.scrollTop))).toBe(120)
})

test('a running answer shows who is thinking and for how long, then a caret, and the way back to its end', async () => {
  const guest = await guestWithAnswer(900)
  const { conversation, page } = guest
  await guest.send('/demo silent=start')
  await conversation.getByText(/^Kimi K2 is thinking · \d+ s$/).waitFor()
  await show(guest, 'thinking')
  await page.getByRole('button', { name: 'Stop generating' }).click()
  await guest.untilAnswered()
  await guest.send('/demo chunks=2000 delay=40')
  await conversation.locator('.md-caret').waitFor({ state: 'attached' })
  await conversation.evaluate((log) => log.scrollTo({ top: 120 }))
  await page.getByRole('button', { name: 'Still writing' }).waitFor()
  await show(guest, 'still-writing')
  await page.getByRole('button', { name: 'Stop generating' }).click()
  await page.getByRole('button', { name: 'Scroll to bottom', exact: true }).click()
  await expect.poll(() => conversation.locator('.md-caret').count()).toBe(0)
})

test('a user’s scroll is kept, even if content renders before the scroll event fires', async () => {
  const guest = await guestWithAnswer(900)
  const topPx = () => guest.conversation.evaluate((log) => Math.round(log.scrollTop))
  const heightPx = () => guest.conversation.evaluate((log) => log.clientHeight)
  await expect.poll(() => belowPx(guest)).toBeLessThanOrEqual(1)
  // The scroll event fires with the next frame, which a busy machine may delay; here it never fires.
  await guest.page.evaluate(() => window.addEventListener('scroll', (event) => event.stopImmediatePropagation(), true))
  await untilWhole(guest)
  await guest.conversation.evaluate((log) => log.scrollTo({ top: 120 }))
  const before = await heightPx()
  await guest.composer.fill('one\ntwo\nthree\nfour')
  await expect.poll(heightPx).toBeLessThan(before)
  await guest.page.getByRole('button', { name: 'Scroll to bottom' }).waitFor()
  expect(await topPx()).toBe(120)
  await guest.conversation.evaluate((log) => log.scrollTo({ top: 60 }))
  await guest.composer.fill('')
  await expect.poll(heightPx).toBe(before)
  await untilDrawn(guest)
  expect(await topPx()).toBe(60)
})

test('Enter can be set to add a new line, per device', async () => {
  const guest = await arrive()
  await guest.page.goto('/account/preferences')
  await guest.page.getByRole('switch', { name: 'Enter sends' }).click()
  await guest.page.getByText('Enter starts a new line, Shift+Enter sends.').waitFor()
  await guest.open()
  await guest.composer.pressSequentially('/demo chunks=2')
  await guest.composer.press('Enter')
  await guest.composer.pressSequentially('delay=0')
  await expect.poll(() => guest.composer.inputValue()).toBe('/demo chunks=2\ndelay=0')
  await guest.composer.press('Shift+Enter')
  await guest.conversation.getByText('word2').waitFor()
  await guest.page.goto('/account/preferences')
  await guest.page.getByRole('switch', { name: 'Enter sends', checked: false }).click()
  await guest.open()
  await guest.composer.fill('/demo chunks=3 delay=0')
  await guest.composer.press('Enter')
  await guest.conversation.getByText('word3').waitFor()
})

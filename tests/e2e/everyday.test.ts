/** Everyday use besides asking: editing, reading while an answer streams, and the keys of the composer. */
import type { Locator } from 'playwright-core'
import { expect, test } from 'vitest'
import { pathOf, setStage, show } from './stage.ts'
import { type UserPage, untilDrawn } from './user-page.ts'

// Animated: the product as most users see it, with menus, dialogs and toasts in transition.
const { openComposer } = setStage({ visits: { animated: true } })

/** A guest in a thread with one answer of `words` words. */
const guestWithAnswer = async (words: number): Promise<UserPage> => {
  const guest = await openComposer()
  await guest.send(`/demo chunks=${words} delay=0`)
  await guest.conversation.getByText(`word${words}`).waitFor()
  await guest.untilAnswered()
  return guest
}

/** The question above a long answer renders on an idle callback; before, its height is an estimate. */
const untilWhole = ({ conversation }: UserPage) => conversation.getByRole('article', { name: 'Your message' }).waitFor()

/** Distance of the view from the end of the conversation. */
const belowPx = ({ conversation }: UserPage): Promise<number> =>
  conversation.evaluate((log) => Math.round(log.scrollHeight - log.clientHeight - log.scrollTop))

test('cancelling an edit restores the previous draft', async () => {
  const guest = await guestWithAnswer(4)
  await guest.composer.fill('half a thought')
  await guest.conversation.getByRole('button', { name: 'Edit' }).click()
  await expect.poll(() => guest.composer.inputValue()).toBe('/demo chunks=4 delay=0')
  // The field is in the place of the message.
  const field = guest.conversation.getByRole('article', { name: 'Your message' }).getByRole('textbox', { name: 'Message', exact: true })
  await expect.poll(() => field.evaluate((element) => element === document.activeElement)).toBe(true)
  await guest.page.keyboard.press('Escape')
  await field.waitFor({ state: 'detached' })
  await expect.poll(() => guest.composer.inputValue()).toBe('half a thought')
})

test('Escape stops the answer from within the thread, but first closes what is open', async () => {
  const guest = await guestWithAnswer(4)
  const { page, conversation } = guest
  const stop = page.getByRole('button', { name: 'Stop generating' })
  await guest.composer.fill('/demo chunks=1200 delay=50')
  await guest.composer.press('Enter')
  await stop.waitFor()
  await conversation.locator('[aria-haspopup=menu]').first().click()
  await page.getByRole('menu').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('menu').waitFor({ state: 'detached' })
  expect(await stop.count()).toBe(1)
  await conversation.focus()
  await page.keyboard.press('Escape')
  await stop.waitFor({ state: 'detached' })
})

test('typed text shows every character: no ligatures', async () => {
  const guest = await openComposer()
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
  const guest = await openComposer()
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
})

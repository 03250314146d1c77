/** Translators and extensions change the nodes of an answer while it streams. The whole answer stays on the page. */
import { expect, test } from 'vitest'
import { setStage } from './stage.ts'
import type { UserPage } from './user-page.ts'

const { openComposer } = setStage({ ignoredErrors: /NotFoundError|removeChild|insertBefore/ })

/** As the translator of Chrome: the text moves into a new node within `font`, and the old node leaves the page. */
function translateAnswers(): void {
  const translate = () => {
    for (const part of document.querySelectorAll('article[aria-label="Answer"] .md')) {
      const texts = document.createTreeWalker(part, NodeFilter.SHOW_TEXT)
      const found: Node[] = []
      while (texts.nextNode()) if (!texts.currentNode.parentElement?.closest('font')) found.push(texts.currentNode)
      for (const text of found) {
        const font = document.createElement('font')
        font.append(document.createTextNode(text.textContent ?? ''))
        text.parentNode?.replaceChild(font, text)
      }
    }
  }
  new MutationObserver(() => setTimeout(translate, 50)).observe(document.body, { childList: true, characterData: true, subtree: true })
}

/** As an extension that sorts or groups what it finds. */
function moveBlocks(): void {
  setInterval(() => {
    for (const part of document.querySelectorAll('article[aria-label="Answer"] .md')) {
      const blocks = [...part.querySelectorAll('p, ul, table, pre, h2')].filter(({ parentElement }) => parentElement?.tagName !== 'ASIDE')
      const last = blocks.at(-1)
      if (!last) continue
      const aside = document.createElement('aside')
      document.body.append(aside)
      aside.append(last)
      aside.remove()
    }
  }, 90)
}

const notice = ({ conversation }: UserPage) => conversation.getByText("can't be shown")

/** Counts the moments at which the notice is on the page. */
function countNotices(): void {
  const seen = { count: 0 }
  Object.assign(window, { seenNotices: seen })
  new MutationObserver(() => {
    if (document.body.innerText.includes("can't be shown")) seen.count += 1
  }).observe(document.body, { childList: true, subtree: true })
}
const seenNotices = ({ page }: UserPage) => page.evaluate(() => (window as unknown as { seenNotices: { count: number } }).seenNotices.count)

const filler = Array.from({ length: 60 }, (_, index) => `Paragraph ${index + 1} with **bold** words.`).join('\n\n')

test('an answer that a translator changes while it streams grows on the page and is complete at its end', async () => {
  const guest = await openComposer()
  await guest.page.evaluate(translateAnswers)
  await guest.page.evaluate(countNotices)
  await guest.send(`/demo chunks=300 delay=20 say=${filler}\n\n- one\n- two\n\nThe last words.`)
  const answer = guest.conversation.getByRole('article', { name: 'Answer' })
  await answer.locator('font').first().waitFor({ state: 'attached' })
  // New text appears although React writes into nodes that the translator has replaced.
  await answer.getByText('Paragraph 40').waitFor()
  await guest.untilAnswered()
  await answer.getByText('The last words.').waitFor()
  for (const number of [1, 2, 30, 59, 60]) await answer.getByText(`Paragraph ${number} with`).waitFor()
  await expect.poll(() => answer.locator('font').count()).toBeGreaterThan(60)
  expect(await notice(guest).count()).toBe(0)
  expect(await seenNotices(guest)).toBe(0)
})

test('a reader keeps the scroll position while a translator changes the growing answer', async () => {
  const guest = await openComposer()
  const { page, conversation } = guest
  await guest.send(`/demo chunks=900 delay=20 say=${filler}\n\n${filler.replaceAll('Paragraph', 'Passage')}`)
  const answer = conversation.getByRole('article', { name: 'Answer' })
  await answer.getByText('Paragraph 45').waitFor()
  // The paragraph, not the `font` in it.
  const paragraph = answer.locator('p', { hasText: 'Paragraph 20 with' })
  await paragraph.hover()
  await page.mouse.wheel(0, -120)
  const top = async () => Math.round((await paragraph.boundingBox())?.y ?? Number.NaN)
  await page.getByRole('button', { name: 'Scroll to bottom' }).waitFor()
  // The wheel scrolls smoothly.
  let before = Number.NaN
  const isAtRest = async () => {
    const last = before
    before = await top()
    return before === last
  }
  await expect.poll(isAtRest, { interval: 200 }).toBe(true)
  await page.evaluate(translateAnswers)
  await expect.poll(() => answer.locator('font').count()).toBeGreaterThan(30)
  await answer.getByText('Passage 20').waitFor({ state: 'attached' })
  // The paragraph is drawn again, so a measurement can meet the one that is being removed.
  await expect.poll(async () => Math.abs((await top()) - before)).toBeLessThanOrEqual(2)
})

test('an answer whose nodes an extension moves away is whole at its end', async () => {
  const guest = await openComposer()
  await guest.page.evaluate(moveBlocks)
  await guest.send('/demo chunks=120 delay=20')
  // Without its blocks an answer has no height, because its toolbar lies below it.
  await guest.conversation.getByRole('article', { name: 'Answer' }).first().waitFor({ state: 'attached' })
  await guest.untilAnswered()
  await expect.poll(() => notice(guest).count()).toBe(0)
})

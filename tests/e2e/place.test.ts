/** Where in a thread somebody was, found again: also by a page that was loaded anew in between, and has measured nothing yet. */
import { expect, test } from 'vitest'
import { type Person, untilDrawn } from './person.ts'
import { pathOf, setStage } from './stage.ts'

const { arrive } = setStage()

/** Its words cannot be waited for: a longer answer before it has them all. */
const say = async ({ conversation, send }: Person, words: number) => {
  const question = `/demo chunks=${words} delay=0`
  await send(question)
  await conversation.getByRole('article', { name: 'Your message' }).getByText(question).waitFor()
  await conversation.locator('[data-turn]').last().getByRole('button', { name: 'Regenerate', exact: true }).waitFor()
}

const topPx = ({ conversation }: Person): Promise<number> => conversation.evaluate((log) => Math.round(log.scrollTop))

/** What is at the upper edge of the view, and how far above it that begins, once what was scrolled to has been measured. */
const restingPlace = async (person: Person): Promise<string> => {
  for (let [before, after] = ['', await atTop(person)]; ; [before, after] = [after, await atTop(person)]) {
    if (before === after) return after
    await untilDrawn(person)
  }
}

/** What is at the upper edge of the view now. */
const atTop = ({ conversation }: Person): Promise<string> =>
  conversation.evaluate((log) => {
    const edge = log.getBoundingClientRect().top
    const turn = [...log.querySelectorAll('[data-turn]')].find((element) => element.getBoundingClientRect().bottom > edge)
    return `${turn?.getAttribute('data-turn')} ${Math.round((turn?.getBoundingClientRect().top ?? 0) - edge)}`
  })

test.each([
  ['the middle of a long answer', [900, 800], 0.4],
  ['an early one of many answers', [300, 310, 320, 330, 340, 350], 0.15],
])('going back right after a reload finds %s again', async (_, lengths, share) => {
  const guest = await arrive()
  for (const words of lengths) await say(guest, words)
  const path = pathOf(guest)
  await guest.conversation.evaluate((log, part) => log.scrollTo({ top: Math.round(log.scrollHeight * part) }), share)
  await guest.page.getByRole('button', { name: 'Scroll to bottom' }).waitFor()
  const place = await restingPlace(guest)
  await guest.page.getByRole('button', { name: 'New thread', exact: true }).click()
  await expect.poll(() => pathOf(guest)).toBe('/')
  await guest.page.reload()
  await guest.composer.waitFor()
  await guest.page.goBack()
  await expect.poll(() => pathOf(guest)).toBe(path)
  await expect.poll(() => atTop(guest)).toBe(place)
  await guest.page.reload()
  await expect.poll(() => atTop(guest)).toBe(place)
  expect(await topPx(guest)).toBeGreaterThan(0)
})

test('a place for which there is no room yet is found when there is', async () => {
  const guest = await arrive()
  for (const words of [900, 800]) await say(guest, words)
  await guest.conversation.evaluate((log) => log.scrollTo({ top: Math.round(log.scrollHeight * 0.4) }))
  await guest.page.getByRole('button', { name: 'Scroll to bottom' }).waitFor()
  const place = await restingPlace(guest)
  await guest.page.getByRole('button', { name: 'New thread', exact: true }).click()
  await expect.poll(() => pathOf(guest)).toBe('/')
  await guest.page.reload()
  await guest.composer.waitFor()
  const low = await guest.page.addStyleTag({ content: '[data-turn] { max-height: 700px; overflow: hidden }' })
  await guest.page.goBack()
  await guest.conversation.getByText('word900').waitFor()
  await restingPlace(guest)
  expect(await atTop(guest)).not.toBe(place)
  await low.evaluate((style) => (style as HTMLStyleElement).remove())
  await expect.poll(() => atTop(guest)).toBe(place)
  // From here on it is the reader's.
  await guest.conversation.hover()
  await guest.page.mouse.wheel(0, 200)
  await expect.poll(() => atTop(guest)).not.toBe(place)
  const further = await restingPlace(guest)
  await guest.page.reload()
  await expect.poll(() => atTop(guest)).toBe(further)
})

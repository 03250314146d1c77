/** Restoring the reading position in a thread, also in a reloaded page without measured heights. */
import { expect, test } from 'vitest'
import { atTop, restingPlace } from '../resting-place.ts'
import { pathOf, setStage } from '../stage.ts'
import { chooseMode, type UserPage } from '../user-page.ts'

const { openComposer, newDevice } = setStage()

const questionOf = (words: number) => `/demo chunks=${words} delay=0`

/** The last rendered turn, if it is a finished answer. */
const lastAnswer = ({ conversation }: UserPage): Promise<string | null> =>
  conversation.evaluate((log) => {
    const last = [...log.querySelectorAll<HTMLElement>('[data-message]')].at(-1)
    return (last?.querySelector('[aria-label="Regenerate"]') && last.dataset.message) ?? null
  })

/** Waits for the message and for a finished last answer. The word count alone proves nothing: a longer answer reaches it while it streams. */
const untilAnswered = async ({ conversation }: UserPage, words: number) => {
  await conversation.getByRole('article', { name: 'Your message' }).getByText(questionOf(words)).waitFor()
  await conversation.locator('[data-message]').last().getByRole('button', { name: 'Regenerate', exact: true }).waitFor()
}

/** Waits for another finished last answer, not for the sent message: above a long answer the message soon unmounts. */
const sendAndWait = async (user: UserPage, words: number) => {
  const isNew = pathOf(user) === '/'
  if (!isNew) await expect.poll(() => lastAnswer(user)).not.toBeNull()
  const before = isNew ? null : await lastAnswer(user)
  await user.send(questionOf(words))
  await expect.poll(async () => [null, before].includes(await lastAnswer(user))).toBe(false)
}

const topPx = ({ conversation }: UserPage): Promise<number> => conversation.evaluate((log) => Math.round(log.scrollTop))

test.each([
  ['the middle of a long answer', [900, 800], 0.4],
  ['an early one of many answers', [300, 310, 320, 330, 340, 350], 0.15],
])('going back right after a reload restores %s', async (_, lengths, share) => {
  const guest = await openComposer()
  for (const words of lengths) await sendAndWait(guest, words)
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

/** Goes back in a reloaded page to a position in the first of these answers, while no turn is higher than the given height. */
async function backToLowTurns(
  maxPx: number,
  [lengths, share]: readonly [lengths: readonly number[], share: number] = [[900, 800], 0.4],
): Promise<{ readonly guest: UserPage; readonly place: string; readonly grow: () => Promise<void> }> {
  const guest = await openComposer()
  for (const words of lengths) await sendAndWait(guest, words)
  await guest.conversation.evaluate((log, part) => log.scrollTo({ top: Math.round(log.scrollHeight * part) }), share)
  await guest.page.getByRole('button', { name: 'Scroll to bottom' }).waitFor()
  const place = await restingPlace(guest)
  await guest.startThread()
  await guest.page.reload()
  await guest.composer.waitFor()
  const low = await guest.page.addStyleTag({ content: `[data-message] { max-height: ${maxPx}px; overflow: hidden }` })
  await guest.page.goBack()
  await guest.conversation.getByText(`word${(lengths[0] ?? 0) - 40}`).waitFor()
  await restingPlace(guest)
  expect(await atTop(guest)).not.toBe(place)
  return { guest, place, grow: () => low.evaluate((style) => (style as HTMLStyleElement).remove()) }
}

const belowPx = ({ conversation }: UserPage): Promise<number> =>
  conversation.evaluate((log) => Math.round(log.scrollHeight - log.clientHeight - log.scrollTop))

test('a position that does not fit yet is restored when the content is high enough', async () => {
  const { guest, place, grow } = await backToLowTurns(700)
  await grow()
  await expect.poll(() => atTop(guest)).toBe(place)
  // The user takes over the view.
  await guest.conversation.hover()
  await guest.page.mouse.wheel(0, 200)
  await expect.poll(() => atTop(guest)).not.toBe(place)
  const further = await restingPlace(guest)
  await guest.page.reload()
  await expect.poll(() => atTop(guest)).toBe(further)
})

test('if a position does not fit, a later message from another device is followed', async () => {
  const { guest } = await backToLowTurns(700)
  const other = await newDevice(guest)
  await other.open(pathOf(guest))
  // High enough for the position.
  for (const words of [400, 410, 420]) await sendAndWait(other, words)
  await untilAnswered(guest, 420)
  await restingPlace(guest)
  await expect.poll(() => belowPx(guest)).toBeLessThanOrEqual(2)
})

test('if a position does not fit, a turn of the wheel starts following the end', async () => {
  const { guest, grow } = await backToLowTurns(700)
  await guest.conversation.evaluate((log) => log.addEventListener('wheel', () => log.toggleAttribute('data-wheeled', true)))
  await guest.conversation.hover()
  await guest.page.mouse.wheel(0, 200)
  // No scroll event occurs that could be awaited.
  await expect.poll(() => guest.conversation.getAttribute('data-wheeled')).toBe('')
  await grow()
  await restingPlace(guest)
  await expect.poll(() => belowPx(guest)).toBeLessThanOrEqual(2)
})

test('a position in a thread that has become shorter leaves no unrendered turns above it', async () => {
  const { guest } = await backToLowTurns(90, [[3500], 0.9])
  await expect.poll(() => guest.conversation.locator('[data-message]').count()).toBe(2)
  await expect.poll(() => topPx(guest)).toBe(0)
})

test('expanding something at the end keeps its position; collapsing it resumes following', async () => {
  const guest = await openComposer()
  await sendAndWait(guest, 900)
  await chooseMode(guest, 'Search')
  await guest.send('/demo delay=0 search=why do the tides follow the moon')
  const work = guest.conversation.getByRole('button', { name: /^Searched the web/ })
  await expect.poll(() => work.getAttribute('aria-expanded')).toBe('false')
  await guest.untilAnswered()
  const other = await newDevice(guest)
  await other.open(pathOf(guest))
  await restingPlace(guest)
  const workTopPx = () => work.evaluate((button) => Math.round(button.getBoundingClientRect().top))
  const pressedAtPx = await workTopPx()
  await expect.poll(() => belowPx(guest)).toBeLessThanOrEqual(2)
  await work.click()
  await expect.poll(() => work.getAttribute('aria-expanded')).toBe('true')
  await restingPlace(guest)
  await expect.poll(workTopPx).toBe(pressedAtPx)
  expect(await belowPx(guest)).toBeGreaterThan(2)

  await work.click()
  await restingPlace(guest)
  await sendAndWait(other, 400)
  await untilAnswered(guest, 400)
  await restingPlace(guest)
  await expect.poll(() => belowPx(guest)).toBeLessThanOrEqual(2)
})

test('the conversation shows a focus ring for keyboard focus, but not for a press', async () => {
  const guest = await openComposer()
  await sendAndWait(guest, 300)
  const ring = () => guest.conversation.evaluate((log) => getComputedStyle(log).outlineStyle)
  const hasFocus = () => guest.conversation.evaluate((log) => log === document.activeElement)
  await guest.conversation.getByText('word5 ').click()
  await expect.poll(hasFocus).toBe(true)
  await expect.poll(ring).toBe('none')
  await guest.composer.focus()
  for (let presses = 0; presses < 40 && !(await hasFocus()); presses++) await guest.page.keyboard.press('Shift+Tab')
  expect(await hasFocus()).toBe(true)
  await expect.poll(ring).toBe('solid')
})

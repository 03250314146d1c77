/** The basic flows of a new user in one browser. The product is built and started as a separate process. */
import { expect, test } from 'vitest'
import { creditsPerDay } from '../../worker/contract/limits.ts'
import { connectRaw, sendArgs } from '../product/attack-wire.ts'
import { newGuest } from '../support/guest.ts'
import { fixedPrices, unlimitedWrites } from '../support/product.ts'
import { pathOf, setStage } from './stage.ts'
import type { UserPage } from './user-page.ts'

const { openWithCookie, openComposer, newSignedInUser, newDevice, product } = setStage({
  product: { env: { ...unlimitedWrites, ...fixedPrices } },
})

/** The demo model numbers its words on request, so that missing and repeated words show. */
const wordsOf = (answer: string): number[] => [...answer.matchAll(/word(\d+)/g)].map((match) => Number(match[1]))
const counted = (words: number): number[] => Array.from({ length: words }, (_, index) => index + 1)

test('a first visit creates a guest whose message is answered in Markdown in a titled thread', async () => {
  const guest = await openComposer()
  await guest.send('Explain the tides to me')
  await guest.conversation.getByText('Thought for').waitFor()
  await guest.untilAnswered()
  const answer = guest.conversation.getByRole('article', { name: 'Answer' }).last()
  for (const element of ['h2', 'ul', 'table', 'pre code']) await answer.locator(element).first().waitFor()
  // `scrollIntoView` on visually hidden text must not scroll the frame.
  const composerTop = async () => (await guest.composer.boundingBox())?.y
  const topBefore = await composerTop()
  await answer
    .getByRole('status')
    .last()
    .evaluate((status) => status.scrollIntoView())
  expect(await composerTop()).toBe(topBefore)
  await expect.poll(() => guest.page.title()).toMatch(/tides/i)
  await guest.threads.getByRole('link', { name: /tides/i }).waitFor()
  await expect.poll(() => new URL(guest.page.url()).pathname).toMatch(/^\/[A-Za-z0-9_-]{8,}$/)
})

test('a second browser sees the new thread and the streaming answer, stops it, and both keep what was written', async () => {
  const guest = await openComposer()
  const other = await newDevice(guest)
  await other.open()
  await guest.send('/demo chunks=5000 delay=25')
  await other.threads.getByRole('link').first().click()
  await other.conversation.getByText('word20').waitFor()
  await other.page.getByRole('button', { name: 'Stop generating' }).click()
  await Promise.all([guest.untilAnswered(), other.untilAnswered()])
  const words = wordsOf(await guest.answer())
  expect(words.length).toBeGreaterThanOrEqual(20)
  expect(words).toEqual(counted(words.length))
  await expect.poll(async () => [await other.answer()]).toEqual([await guest.answer()])
  await expect.poll(() => guest.composer.isEditable()).toBe(true)
})

test('a refused message stays in the composer, with its reason', async () => {
  const user = await newGuest(product().url)
  const wire = await connectRaw(user)
  const spent = Array.from({ length: creditsPerDay.guest }, () => wire.mutate('threads.send', sendArgs({ text: '/demo chunks=3 delay=0' })))
  await Promise.all(spent)
  await wire.close()
  const guest = await openWithCookie(user)
  await guest.page.getByText('0 credits left').waitFor()
  await guest.composer.fill('One more, which must not be lost')
  await guest.composer.press('Enter')
  await guest.page.getByText('Daily usage limit reached').first().waitFor()
  await expect.poll(() => guest.composer.inputValue()).toBe('One more, which must not be lost')
  await guest.page.reload()
  await guest.composer.waitFor()
  await expect.poll(() => guest.composer.inputValue()).toBe('One more, which must not be lost')
})

const effort = ({ page }: UserPage, level: string) => page.getByRole('button', { name: 'Reasoning effort', description: level })

test('the reasoning effort is stored for the thread, across reloads and devices, and not for other threads', async () => {
  const user = await newSignedInUser('patient@example.test')
  await user.open()
  await user.page.getByRole('button', { name: 'Model', exact: true }).click()
  await user.page.getByRole('combobox', { name: 'Find model' }).fill('gpt 5 mini')
  await user.page.getByRole('option', { name: /^GPT 5 Mini / }).click()
  await effort(user, 'Medium').waitFor()
  await user.send('/demo chunks=2 delay=0')
  await user.untilAnswered()
  const path = pathOf(user)
  await effort(user, 'Medium').click()
  await user.page.getByRole('menuitemradio', { name: 'High', exact: true }).click()
  await effort(user, 'High').waitFor()
  const other = await newDevice(user)
  await other.open(path)
  // Another device shows it only after the server has it.
  await effort(other, 'High').waitFor()
  await user.page.reload()
  await effort(user, 'High').waitFor()
  // The next message uses it.
  await user.send('/demo chunks=3 delay=0')
  await user.conversation.getByText('word3').waitFor()
  await user.untilAnswered()
  await effort(user, 'High').waitFor()
  await user.startThread()
  await effort(user, 'Medium').waitFor()
})

/** The basic flows of a new user in one browser. The product is built and started as a separate process. */
import { expect, test } from 'vitest'
import { creditsPerDay } from '../../worker/contract/limits.ts'
import { connectRaw, sendArgs } from '../product/attack-wire.ts'
import { newGuest } from '../support/guest.ts'
import { unlimitedWrites } from '../support/product.ts'
import type { Person } from './person.ts'
import { pathOf, setStage } from './stage.ts'

const { browse, arrive, meetAccount, meetAgain, product } = setStage({ product: { env: unlimitedWrites } })

/** The demo model numbers its words on request, so that missing and repeated words show. */
const wordsOf = (answer: string): number[] => [...answer.matchAll(/word(\d+)/g)].map((match) => Number(match[1]))
const counted = (words: number): number[] => Array.from({ length: words }, (_, index) => index + 1)

test('a first visit creates a guest whose message is answered in Markdown in a titled thread', async () => {
  const guest = await arrive()
  await guest.send('Explain the tides to me')
  await guest.conversation.getByText('Thought for').waitFor()
  await guest.untilAnswered()
  const answer = guest.conversation.getByRole('article', { name: 'Answer' }).last()
  for (const element of ['h2', 'ul', 'table', 'pre code']) await answer.locator(element).first().waitFor()
  await expect.poll(() => guest.page.title()).toMatch(/tides/i)
  await guest.threads.getByRole('link', { name: /tides/i }).waitFor()
  await expect.poll(() => new URL(guest.page.url()).pathname).toMatch(/^\/[A-Za-z0-9_-]{8,}$/)
})

test('reloading in the middle of an answer misses nothing and repeats nothing', async () => {
  const guest = await arrive()
  await guest.send('/demo chunks=150 delay=15')
  await guest.conversation.getByText('word30').waitFor()
  await guest.page.reload()
  await guest.untilAnswered()
  await expect.poll(async () => wordsOf(await guest.answer())).toEqual(counted(150))
})

test('a second browser sees the new thread, the streaming answer, and the same end', async () => {
  const guest = await arrive()
  const other = await meetAgain(guest)
  await other.open()
  await guest.send('/demo chunks=600 delay=25')
  await other.threads.getByRole('link').first().click()
  await other.page.getByRole('button', { name: 'Stop generating' }).waitFor()
  await other.conversation.getByText('word20').waitFor()
  await Promise.all([guest.untilAnswered(), other.untilAnswered()])
  await expect.poll(async () => wordsOf(await other.answer())).toEqual(counted(600))
  await expect.poll(async () => [await other.answer()]).toEqual([await guest.answer()])
})

test('stopping from another device keeps what was written', async () => {
  const guest = await arrive()
  await guest.send('/demo chunks=5000 delay=25')
  await guest.conversation.getByText('word10').waitFor()
  const other = await meetAgain(guest)
  await other.open(new URL(guest.page.url()).pathname)
  await other.page.getByRole('button', { name: 'Stop generating' }).click()
  await Promise.all([guest.untilAnswered(), other.untilAnswered()])
  const words = wordsOf(await guest.answer())
  expect(words.length).toBeGreaterThanOrEqual(10)
  expect(words).toEqual(counted(words.length))
  await expect.poll(async () => [await other.answer()]).toEqual([await guest.answer()])
  await expect.poll(() => guest.composer.isEditable()).toBe(true)
})

test('a refused message stays in the composer, with its reason', async () => {
  const person = await newGuest(product().url)
  const wire = await connectRaw(person)
  const spent = Array.from({ length: creditsPerDay.guest }, () => wire.mutate('threads.send', sendArgs({ text: '/demo chunks=3 delay=0' })))
  await Promise.all(spent)
  await wire.close()
  const guest = await browse(person)
  await guest.page.getByText('0 credits left').waitFor()
  await guest.composer.fill('One more, which must not be lost')
  await guest.composer.press('Enter')
  await guest.page.getByText('Daily usage limit reached').first().waitFor()
  await expect.poll(() => guest.composer.inputValue()).toBe('One more, which must not be lost')
  await guest.page.reload()
  await guest.composer.waitFor()
  await expect.poll(() => guest.composer.inputValue()).toBe('One more, which must not be lost')
})

test('a server killed in the middle of an answer loses nothing and leaves nothing pending', async () => {
  const guest = await arrive()
  await guest.send('/demo chunks=2000 delay=25')
  await guest.conversation.getByText('word60').waitFor()
  await product().kill9()
  await product().restart()
  await guest.conversation.getByRole('button', { name: 'Retry' }).waitFor({ timeout: 90_000 })
  const kept = wordsOf(await guest.answer())
  expect(kept.length).toBeGreaterThan(30)
  expect(kept).toEqual(counted(kept.length))
  await guest.conversation.getByRole('button', { name: 'Continue' }).click()
  await guest.conversation.getByText(`word${kept.length + 20} `).waitFor()
  await guest.page.getByRole('button', { name: 'Stop generating' }).click()
  await guest.untilAnswered()
  const continued = wordsOf(await guest.answer())
  expect(continued).toEqual(counted(continued.length))
  expect(continued.length).toBeGreaterThan(kept.length)
})

const effort = ({ page }: Person, level: string) => page.getByRole('button', { name: 'Reasoning effort', description: level })

test('the reasoning effort is stored for the thread, across reloads and devices, and not for other threads', async () => {
  const person = await meetAccount('patient@example.test')
  await person.open()
  await person.page.getByRole('button', { name: 'Model', exact: true }).click()
  await person.page.getByRole('combobox', { name: 'Find model' }).fill('gpt 5 mini')
  await person.page.getByRole('option', { name: /^GPT 5 Mini / }).click()
  await effort(person, 'Medium').waitFor()
  await person.send('/demo chunks=2 delay=0')
  await person.untilAnswered()
  const path = pathOf(person)
  await effort(person, 'Medium').click()
  await person.page.getByRole('menuitemradio', { name: 'High', exact: true }).click()
  await effort(person, 'High').waitFor()
  const other = await meetAgain(person)
  await other.open(path)
  // Another device shows it only after the server has it.
  await effort(other, 'High').waitFor()
  await person.page.reload()
  await effort(person, 'High').waitFor()
  // The next message uses it.
  await person.send('/demo chunks=3 delay=0')
  await person.conversation.getByText('word3').waitFor()
  await person.untilAnswered()
  await effort(person, 'High').waitFor()
  await person.startThread()
  await effort(person, 'Medium').waitFor()
})

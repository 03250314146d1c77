/** The price of the next message in the composer, the ways to lower it, and the most credits of an answer in a thread. */
import { afterAll, expect, test } from 'vitest'
import { startGatewayPeer } from '../support/peers/gateway.ts'
import type { Behaviour, Peer } from '../support/peers/peer-server.ts'
import { sentenceOf } from '../support/refused-sentence.ts'
import { problemsOf } from './axe.ts'
import { pathOf, setStage, show } from './stage.ts'

/** As many as no limit of credits allows. */
const words = Array.from({ length: 20_000 }, (_, index) => `word${index} `)

let model: Peer
const { openComposer, newDevice } = setStage({
  product: async () => {
    model = await startGatewayPeer(({ body, streaming }): Behaviour => {
      if (!streaming) return { kind: 'answer', words: ['Title'] }
      // Its cost is unknown, so it counts as the most that the request could cost.
      if (JSON.stringify(body).includes('Write a book')) return { kind: 'answer', words, thoughtTokens: 0, usage: 'missing' }
      return { kind: 'answer', words: ['Short.'] }
    })
    return { env: { AI_GATEWAY_API_KEY: 'key', AI_GATEWAY_URL: model.url } }
  },
})
afterAll(() => model?.stop())

test('a long thread costs more: the price says why and how it gets cheaper, and a limit stops what would exceed it', async () => {
  const guest = await openComposer()
  const { page, composer, conversation } = guest
  const price = page.locator('[data-tooltip="Price of the next message"]')
  const popover = page.getByRole('dialog', { name: 'Price of the next message' })
  const limit = popover.getByRole('textbox', { name: 'Most credits for an answer' })
  const left = (credits: number) => page.getByRole('button', { name: new RegExp(`${credits} credits left`) })
  for (const subject of ['tides', 'moon']) {
    await guest.send(`${subject} ${'of the North Sea '.repeat(600)}`)
    await guest.untilAnswered()
  }
  await composer.fill('And now?')
  await expect.poll(() => price.innerText()).toBe('≈ 2 credits')
  await left(18).waitFor()

  await price.click()
  await popover.getByText('About 2 credits').waitFor()
  await popover.getByText(/^This message sends about [\d,]+ tokens\. The model costs at least 1 credit\./).waitFor()
  expect(await popover.getByRole('link', { name: 'Start a new thread' }).getAttribute('href')).toBe('/')
  expect(await problemsOf(guest)).toEqual([])
  await show(guest, 'price')
  await popover.getByRole('button', { name: 'Choose a cheaper model' }).click()
  await page.getByRole('combobox', { name: 'Find model' }).waitFor()
  await page.keyboard.press('Escape')

  await price.click()
  await limit.fill('0')
  await popover.getByText('Enter a number from 1 to 200, or nothing.').waitFor()
  await limit.fill('1')
  await page.keyboard.press('Enter')
  await page.keyboard.press('Escape')
  await page.getByText(sentenceOf('turn_credits_short')).waitFor()
  expect(await page.getByRole('button', { name: 'Send message' }).isEnabled()).toBe(false)
  await show(guest, 'price-limit')
  const phone = await newDevice(guest, { phone: true })
  await phone.open(pathOf(guest))
  await phone.composer.fill('And now?')
  await phone.page.getByText(sentenceOf('turn_credits_short')).waitFor()
  await show(phone, 'price-limit-phone')

  // Enough for what is expected, and not for a book.
  await price.click()
  await limit.fill('2')
  await page.keyboard.press('Enter')
  await page.keyboard.press('Escape')
  await page.getByText(sentenceOf('turn_credits_short')).waitFor({ state: 'detached' })
  expect(await composer.inputValue()).toBe('And now?')
  await guest.send('Write a book')
  await guest.untilAnswered()
  await conversation.getByText('The answer ends here, because the credits reserved for it are used up.').waitFor()
  const written = (await guest.answer()).match(/word\d+/g) ?? []
  expect([written.length > 500, written.length < words.length]).toEqual([true, true])
  await left(16).waitFor()
  await show(guest, 'price-spent')

  await composer.fill('And now?')
  await price.click()
  await popover.getByRole('link', { name: 'Start a new thread' }).click()
  await conversation.waitFor({ state: 'detached' })
  await composer.fill('And now?')
  await expect.poll(() => price.innerText()).toBe('1 credit')
})

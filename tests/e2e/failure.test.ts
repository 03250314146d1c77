/** Messages and actions when a provider fails or the daily credits are used up. The provider is a peer that fails on request. */
import { afterAll, expect, test } from 'vitest'
import { creditsPerDay } from '../../worker/contract/limits.ts'
import { connectRaw, freshId, sendArgs } from '../product/attack-wire.ts'
import { newGuest } from '../support/guest.ts'
import { faultPrompt, faultScript } from '../support/peers/faults.ts'
import { startGatewayPeer } from '../support/peers/gateway.ts'
import type { Peer, Script } from '../support/peers/peer-server.ts'
import { fixedPrices, unlimitedWrites } from '../support/product.ts'
import { setStage, show } from './stage.ts'
import { chooseForMessage, type UserPage } from './user-page.ts'

let peer: Peer

const ended = Promise.withResolvers<void>()
const heldOr =
  (script: Script): Script =>
  (request, index) =>
    request.streaming && JSON.stringify(request.body).includes('Stream until the test ends the answer')
      ? { kind: 'answer', words: ['Hello ', 'small ', 'world'], until: ended.promise }
      : script(request, index)

const { openWithCookie, product } = setStage({
  product: async () => {
    peer = await startGatewayPeer(heldOr(faultScript()))
    return {
      env: { ...unlimitedWrites, ...fixedPrices, AI_GATEWAY_API_KEY: 'key', AI_GATEWAY_URL: peer.url, MODEL_SILENCE_SECONDS: '600' },
    }
  },
})
afterAll(() => peer?.stop())

const lastAnswer = ({ conversation }: UserPage) => conversation.getByRole('article', { name: 'Answer' }).last()

/** What the details of the last answer say. */
async function priceOf(user: UserPage): Promise<string> {
  await chooseForMessage(user, lastAnswer(user), 'Details')
  const dialog = user.page.getByRole('dialog', { name: 'Details' })
  const price = await dialog.getByText(/^\d credits?$/).innerText()
  await user.page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  return price
}

test('an interrupted answer keeps its text, shows the reason, and resumes with Continue', async () => {
  const guest = await openWithCookie(await newGuest(product().url))
  await guest.send(faultPrompt('cut-once', 1))
  const answer = lastAnswer(guest)
  await answer.getByText(/^The connection to .* failed\. Try again in a moment\./).waitFor()
  await expect.poll(() => answer.innerText()).toMatch(/Hello big[\s\S]*Continue[\s\S]*Retry/)
  expect(await priceOf(guest)).toBe('1 credit')
  await show(guest, 'cut')
  await answer.getByRole('button', { name: 'Continue' }).click()
  await answer.getByText('Hello big wide world').waitFor()
  await answer.getByText('2 of 2').waitFor()
  await expect.poll(() => answer.innerText()).not.toMatch(/failed/)
})

test('an answer cut by its limit or a filter shows the reason; only one cut by its limit can be continued', async () => {
  const guest = await openWithCookie(await newGuest(product().url))
  await guest.send(faultPrompt('length-limit', 1))
  const answer = lastAnswer(guest)
  await answer.getByText(/ reached its length limit\./).waitFor()
  await expect.poll(() => answer.innerText()).toMatch(/Hello big wide world[\s\S]*Continue[\s\S]*Retry/)
  expect(await priceOf(guest)).toBe('1 credit')
  await guest.send(faultPrompt('filtered', 1))
  const filtered = lastAnswer(guest)
  await filtered.getByText("The provider's filter ended this answer.").waitFor()
  await expect.poll(() => filtered.innerText()).toMatch(/Hello big wide world[\s\S]*Retry/)
  expect(await filtered.getByRole('button', { name: 'Continue' }).count()).toBe(0)
  expect(await priceOf(guest)).toBe('1 credit')
})

test('an answer that never started is free, shows the reason, and can be repeated with Retry', async () => {
  const guest = await openWithCookie(await newGuest(product().url))
  await guest.send(faultPrompt('broken-once', 1))
  const answer = lastAnswer(guest)
  await answer.getByText(/ ran into an error\. Try again, or choose another model\./).waitFor()
  expect(await priceOf(guest)).toBe('0 credits')
  expect(await answer.getByRole('button', { name: 'Continue' }).count()).toBe(0)
  await answer.getByRole('button', { name: 'Retry' }).click()
  await answer.getByText('Hello big wide world').waitFor()
  await answer.getByText('2 of 2').waitFor()
  await guest.untilAnswered()
  expect(await priceOf(guest)).toBe('1 credit')
})

test('the daily credits are counted in every tab, show a warning in time, and hold a queued message until the reset', async () => {
  const user = await newGuest(product().url)
  const wire = await connectRaw(user, { queries: [{ hash: 'recent', name: 'threads.recent', args: [] }] })
  const spend = (times: number) => Promise.all(Array.from({ length: times }, () => wire.mutate('threads.send', sendArgs({ text: 'Hi' }))))
  await spend(creditsPerDay.guest - 2)
  const [guest, other] = [await openWithCookie(user), await openWithCookie(user)]
  await guest.page.getByRole('button', { name: /2 credits left/ }).waitFor()
  // Shown above the composer while the sidebar is hidden.
  const warning = guest.page.locator('main').getByText('2 credits left today')
  expect(await warning.count()).toBe(0)
  await guest.page.keyboard.press('Control+b')
  await warning.waitFor()
  await show(guest, 'credits-warning')
  await guest.page.keyboard.press('Control+b')
  await warning.waitFor({ state: 'detached' })
  await guest.send('Stream until the test ends the answer')
  await guest.conversation.getByText('Hello small world').waitFor()
  await other.page.getByText('1 credit left').waitFor()
  await guest.composer.fill('And then?')
  await show(guest, 'queueing')
  await guest.page.getByRole('button', { name: 'Queue message' }).click()
  await guest.conversation.getByRole('article', { name: 'Queued message' }).waitFor()
  // The tab that queues it shows it before the server has it.
  await wire.until(() => [...wire.rows.keys()].some((key) => key.startsWith('queuedMessage ')), 'the queued message')
  await spend(1)
  await other.page.getByText('0 credits left').waitFor()
  await other.page.getByText('Daily usage limit reached').waitFor()
  ended.resolve()
  await guest.conversation.getByText(/Daily usage limit reached\. Sent automatically after the reset at \d/).waitFor()
  await show(guest, 'held')
  // A held message can be removed.
  await guest.page.getByRole('button', { name: 'Remove from queue' }).click()
  await guest.conversation.getByRole('article', { name: 'Queued message' }).waitFor({ state: 'detached' })
  expect((await wire.mutate('threads.send', sendArgs({ text: 'Hi', threadId: freshId('thread') })))?.message).toBe('credits_exhausted')
  await wire.close()
})

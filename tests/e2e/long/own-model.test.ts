/** Continuing an answer uses the model that started it, whichever model is selected by then. */
import { afterAll, expect, test } from 'vitest'
import { startGatewayPeer } from '../../support/peers/gateway.ts'
import type { Peer } from '../../support/peers/peer-server.ts'
import { setStage } from '../stage.ts'

let peer: Peer
const { openComposer } = setStage({
  product: async () => {
    peer = await startGatewayPeer((_request, index) =>
      index === 0 ? { kind: 'unfinished', words: ['Half ', 'a '] } : { kind: 'answer', words: ['sentence.'] },
    )
    return { env: { AI_GATEWAY_API_KEY: 'key', AI_GATEWAY_URL: peer.url } }
  },
})
afterAll(() => peer?.stop())

test('Continue asks the model of the first half, and the answer shows its name', async () => {
  const guest = await openComposer()
  await guest.send('Say something')
  const goOn = guest.page.getByRole('button', { name: 'Continue', exact: true })
  await goOn.waitFor()
  const composer = guest.page.getByRole('form', { name: 'Composer' })
  await composer.locator('button[aria-haspopup]').first().click()
  await guest.page.getByRole('combobox', { name: 'Find model' }).fill('GPT 4o Mini')
  await guest.page.getByRole('option', { name: /^GPT 4o Mini / }).click()
  await composer.getByText('GPT 4o Mini').first().waitFor()
  await goOn.click()
  await guest.conversation.getByText('Half a sentence.').waitFor()
  await guest.untilAnswered()
  await guest.conversation.getByRole('article', { name: 'Answer' }).getByText('Kimi K2').waitFor()
  const asked = peer.requests.filter(({ streaming }) => streaming).map(({ headers }) => headers['ai-language-model-id'])
  expect(asked).toHaveLength(2)
  expect(new Set(asked).size).toBe(1)
})

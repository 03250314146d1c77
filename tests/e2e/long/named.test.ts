/** Titles and sources named by the model. The model is a peer. */
import { afterAll, expect, test } from 'vitest'
import { startGatewayPeer } from '../../support/peers/gateway.ts'
import type { Peer } from '../../support/peers/peer-server.ts'
import { problemsInBothModes } from '../axe.ts'
import { setStage, show } from '../stage.ts'

const title = 'Two tides a day, and why they move'
const sources = [
  { url: 'https://tides.example/moon', title: 'Why the tides come twice a day, and an hour later on each of them' },
  { url: 'https://a-domain-of-quite-some-length.example/sea', title: 'The sea' },
]

let peer: Peer
const { openComposer } = setStage({
  product: async () => {
    peer = await startGatewayPeer(({ streaming }) =>
      streaming ? { kind: 'answer', words: ['The moon ', 'pulls.'], sources } : { kind: 'answer', words: [title] },
    )
    return { env: { AI_GATEWAY_API_KEY: 'key', AI_GATEWAY_URL: peer.url } }
  },
})
afterAll(() => peer?.stop())

test.each(['desk', 'phone'] as const)('the model’s title replaces the first words, and its sources are listed, on a %s', async (device) => {
  const guest = await openComposer({ phone: device === 'phone' })
  await guest.send('Tell me, if you would, why the sea comes and goes twice every day')
  await guest.untilAnswered()
  await expect.poll(() => guest.page.title()).toBe(title)
  await expect.poll(() => guest.page.getByRole('heading', { level: 1 }).innerText()).toBe(title)
  const named = guest.conversation.getByRole('region', { name: 'Sources' })
  await expect.poll(() => named.getByText('Named by the model').isVisible()).toBe(true)
  const [link, site] = [named.getByText(sources[0]?.title ?? '', { exact: true }), named.getByText('tides.example', { exact: true })]
  const isSiteBelow = async () => {
    const [linkBox, siteBox] = [await link.boundingBox(), await site.boundingBox()]
    return (siteBox?.y ?? 0) >= (linkBox?.y ?? 0) + (linkBox?.height ?? 0) - 1
  }
  await expect.poll(isSiteBelow).toBe(true)
  expect(await problemsInBothModes(guest, (mode) => show(guest, `named.${device}.${mode}`))).toEqual({})
  if (device === 'phone') await guest.page.getByRole('button', { name: 'Open sidebar' }).click()
  await guest.threads.getByRole('link', { name: title }).waitFor()
  await show(guest, `named-list.${device}`)
})

/** A file that the provider refuses: the answer names it, and neither Retry nor a later message sends it again. */
import { afterAll, expect, test } from 'vitest'
import { newGuest } from '../support/guest.ts'
import { startGatewayPeer } from '../support/peers/gateway.ts'
import type { Peer, PeerRequest } from '../support/peers/peer-server.ts'
import { pdf } from '../support/sample-files.ts'
import { attachments, choose, chooseModel, picture } from './attach.ts'
import { setStage, show } from './stage.ts'

let peer: Peer

const sent = ({ body }: PeerRequest) => JSON.stringify(body)
const sendsPdf = (request: PeerRequest) => sent(request).includes('"mediaType":"application/pdf"')
const lastSent = () => sent(peer.requests.findLast(({ streaming }) => streaming) as PeerRequest)

const { openWithCookie, product } = setStage({
  product: async () => {
    peer = await startGatewayPeer((request) =>
      sendsPdf(request)
        ? { kind: 'status', status: 400, message: 'messages.0.content.1: The PDF specified is password protected.' }
        : { kind: 'answer', words: ['An ', 'answer.'] },
    )
    return { env: { AI_GATEWAY_API_KEY: 'key', AI_GATEWAY_URL: peer.url } }
  },
  ignoredErrors: /status of 4\d\d/,
})
afterAll(() => peer?.stop())

test('a refused PDF is named, left out by Retry and by later messages, and never stops the thread', async () => {
  const guest = await openWithCookie(await newGuest(product().url))
  const { conversation, page } = guest
  await chooseModel(guest, 'GPT 4o Mini')
  await choose(guest, [picture('harbour.png'), { name: 'locked.pdf', mimeType: 'application/pdf', buffer: Buffer.from(pdf) }])
  await attachments(guest).getByText('locked.pdf').waitFor()
  await guest.send('What is in these?')
  await conversation.getByText('The model could not read locked.pdf.').waitFor()
  await show(guest, 'refused-file')

  await conversation.getByRole('button', { name: 'Retry without the file' }).click()
  await conversation.getByText('An answer.').waitFor()
  await conversation.getByText('Answered without locked.pdf, which the model could not read.').waitFor()
  expect(lastSent()).toContain('locked.pdf')
  expect(lastSent()).toContain('could not be read')
  expect(lastSent()).toContain('"mediaType":"image/png"')
  await show(guest, 'answer-without-file')

  await guest.send('And what else?')
  await expect.poll(() => guest.answers()).toBe(2)
  await guest.untilAnswered()
  expect(sendsPdf(peer.requests.findLast(({ streaming }) => streaming) as PeerRequest)).toBe(false)
  await expect.poll(() => conversation.getByText('Answered without locked.pdf').count()).toBe(2)
  await page.reload()
  await conversation.getByText('Answered without locked.pdf').first().waitFor()
})

test('a message after the refusal is answered without the file', async () => {
  const guest = await openWithCookie(await newGuest(product().url))
  await chooseModel(guest, 'GPT 4o Mini')
  await choose(guest, [{ name: 'locked.pdf', mimeType: 'application/pdf', buffer: Buffer.from(pdf) }])
  await attachments(guest).getByText('locked.pdf').waitFor()
  await guest.send('What is in it?')
  await guest.conversation.getByText('The model could not read locked.pdf.').waitFor()
  await guest.send('Never mind. What is a tide?')
  await guest.conversation.getByText('An answer.').waitFor()
  await guest.conversation.getByText('Answered without locked.pdf').waitFor()
})

/** Files and a provider: a file that it refuses, and files and links of its answer whose names and types lie about their bytes. */
import { afterAll, expect, test } from 'vitest'
import { newGuest } from '../support/guest.ts'
import { startGatewayPeer } from '../support/peers/gateway.ts'
import type { Peer, PeerRequest } from '../support/peers/peer-server.ts'
import { pdf, pngOf, squareOf } from '../support/sample-files.ts'
import { attachments, choose, chooseModel, picture } from './attach.ts'
import { setStage, show } from './stage.ts'

let peer: Peer

const sent = ({ body }: PeerRequest) => JSON.stringify(body)
const sendsPdf = (request: PeerRequest) => sent(request).includes('"mediaType":"application/pdf"')
const lastSent = () => sent(peer.requests.findLast(({ streaming }) => streaming) as PeerRequest)

const script = '<script>document.title = "taken"; parent.document.title = "taken"</script>'
const data = (mediaType: string, bytes: Uint8Array | string) => ({
  type: 'file',
  mediaType,
  data: { type: 'data', data: Buffer.from(bytes).toString('base64') },
})
const link = (url: string) => ({ type: 'file', mediaType: 'image/png', data: { type: 'url', url } })

const hostileFiles = [
  data('text/html', script),
  data('IMAGE/SVG+XML', `<svg xmlns="http://www.w3.org/2000/svg">${script}</svg>`),
  data('../../../x\r\nset-cookie: a=b', 'words'),
  // Declared as a picture without being one; starting like a picture without being one; empty.
  data('image/png', script),
  data('image/png', pngOf(8, 8).subarray(0, 30)),
  data('image/png', ''),
  data('text/html', pngOf(200, 100)),
  data('image/png', squareOf(30_000, 'black')),
  link(`DATA:TEXT/HTML;base64,${Buffer.from(script).toString('base64')}`),
  link(`DATA:TEXT/HTML,${script}`),
  link('JavaScript:document.title="taken"'),
  link('/api/auth/sign-out'),
  link('HTTPS://Files.Example/a.png'),
]

const hostileWords = [
  '[a](JavaScript:document.title="taken") [b](DATA:text/html;base64,PGI+) [c](HTTPS://Example.com/) ',
  '![d](DATA:image/SVG+xml;base64,PHN2Zy8+) ![e](HTTPS://Example.com/e.png) <a href="JAVASCRIPT:1">f</a>',
]

const { openWithCookie, product } = setStage({
  product: async () => {
    peer = await startGatewayPeer((request) => {
      if (sendsPdf(request))
        return { kind: 'status', status: 400, message: 'messages.0.content.1: The PDF specified is password protected.' }
      return request.streaming && sent(request).includes('Draw me something')
        ? { kind: 'answer', words: hostileWords, parts: hostileFiles }
        : { kind: 'answer', words: ['An ', 'answer.'] }
    })
    return { env: { AI_GATEWAY_API_KEY: 'key', AI_GATEWAY_URL: peer.url } }
  },
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

test('hostile files are downloaded, named or shown according to their bytes; hostile links are text', async () => {
  const guest = await openWithCookie(await newGuest(product().url))
  await guest.send('Draw me something')
  await guest.untilAnswered()
  const { page, conversation } = guest
  const answer = conversation.getByRole('article', { name: 'Answer' })
  const list = answer.getByRole('list', { name: 'Files of this answer' })
  // Rendered when it comes near the view; its tile reports that it cannot be shown.
  await list.getByRole('listitem').nth(4).scrollIntoViewIfNeeded()
  await list.getByRole('img', { name: "Picture 5.png: Can't be shown" }).waitFor()
  // Too large for some browsers: the page continues whether it is shown or not.
  const largest = list.getByRole('listitem').nth(6)
  await largest.scrollIntoViewIfNeeded()
  await show(guest, 'hostile-files')

  const saved = await list
    .getByRole('link', { name: /^Download/ })
    .evaluateAll((links) => links.map((to) => [(to as HTMLAnchorElement).innerText.split('\n')[1], to.hasAttribute('download')]))
  expect(saved).toEqual(['File 1.html', 'File 2.svg', 'File 3.bin', 'File 4.txt', 'File 8.html'].map((name) => [name, true]))
  const picture = list.getByRole('button', { name: 'Open Picture 6.png' }).locator('img')
  expect(await picture.evaluate((image: HTMLImageElement) => image.decode().then(() => image.naturalWidth))).toBe(200)
  expect(await list.getByRole('link', { name: /^Open/ }).evaluateAll((links) => links.map((to) => (to as HTMLAnchorElement).href))).toEqual(
    ['https://files.example/a.png'],
  )
  expect(await list.getByText("The model made a file that can't be opened here.").count()).toBe(3)
  const leads = await answer.locator('a').evaluateAll((links) => links.map((to) => (to as HTMLAnchorElement).protocol))
  expect(new Set(leads)).toEqual(new Set(['https:', 'http:']))
  const origins = await answer.locator('img').evaluateAll((found) => found.map((image) => new URL((image as HTMLImageElement).src).origin))
  expect(new Set(origins)).toEqual(new Set([product().url]))

  // Opened directly, it is text in a sandbox.
  const address = await list.getByRole('link', { name: /^Download File 1.html/ }).getAttribute('href')
  const other = await guest.context.newPage()
  const response = await other.goto(`${product().url}${address}`)
  expect(response?.headers()).toMatchObject({ 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' })
  expect(await other.locator('body').innerText()).toBe(script)
  expect([await other.title(), await page.title()]).not.toContain('taken')
  await other.close()
})

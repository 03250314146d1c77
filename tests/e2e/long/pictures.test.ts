/** Pictures: generated ones, shown while the answer streams, on another device, in the lightbox, or too large to store; and sent ones that are too large for models. */
import { expect, test } from 'vitest'
import { sentenceOf } from '../../support/refused-sentence.ts'
import { pngOf } from '../../support/sample-files.ts'
import { attachments, choose, chooseModel, picture } from '../attach.ts'
import { pathOf, setStage, show } from '../stage.ts'
import type { UserPage } from '../user-page.ts'

const { openComposer } = setStage()

const openerIn = ({ conversation }: UserPage) =>
  conversation.getByRole('article', { name: 'Answer' }).getByRole('button', { name: 'Open Picture 1.png' })

test('a generated picture reserves its space, opens in the lightbox until Back, and shows on every device', async () => {
  const guest = await openComposer()
  await guest.send('/demo draw chunks=8 delay=0')
  await guest.untilAnswered()
  const opener = openerIn(guest)
  const sizeOf = (image: HTMLImageElement) => image.decode().then(() => [image.naturalWidth, image.naturalHeight])
  expect(await opener.locator('img').evaluate(sizeOf)).toEqual([320, 320])
  await show(guest, 'made-picture')
  await opener.click()
  const dialog = guest.page.getByRole('dialog')
  await dialog.getByRole('img', { name: 'Picture 1.png, large' }).waitFor()
  expect(await dialog.getByRole('link', { name: 'Download' }).getAttribute('download')).toBe('Picture 1.png')
  await guest.page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })

  // Back closes the lightbox and keeps the thread; Escape leaves no extra history entry.
  const { page } = guest
  const path = pathOf(guest)
  const isOnStep = () => page.evaluate(() => history.state.parleyStep !== undefined)
  await expect.poll(isOnStep).toBe(false)
  await opener.click()
  await dialog.waitFor()
  await expect.poll(isOnStep).toBe(true)
  await page.goBack()
  await dialog.waitFor({ state: 'detached' })
  await expect.poll(isOnStep).toBe(false)
  expect(pathOf(guest)).toBe(path)
  await opener.click()
  await dialog.waitFor()
  await page.reload()
  await opener.waitFor()
  expect(await dialog.count()).toBe(0)
  await page.goBack()
  await expect.poll(isOnStep).toBe(false)
  expect(pathOf(guest)).toBe(path)
  await opener.waitFor()
  await page.goBack()
  await expect.poll(() => pathOf(guest)).toBe('/')
  await page.goForward()
  await opener.waitFor()

  const second = await openComposer({ storageState: await guest.context.storageState(), phone: true })
  await second.page.goto(guest.page.url())
  expect(await openerIn(second).locator('img').evaluate(sizeOf)).toEqual([320, 320])
  await show(second, 'made-picture-phone')
  expect(await second.page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true)
})

test('an answer that is only a picture shows it at a realistic size, and copying names it; one that is too large reports it', async () => {
  const guest = await openComposer()
  await guest.context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await guest.send('/demo draw=4000000 chunks=0 delay=0')
  await openerIn(guest).waitFor()
  await guest.untilAnswered()
  await guest.page.reload()
  const address = await openerIn(guest)
    .locator('img')
    .evaluate((image: HTMLImageElement) => image.decode().then(() => image.src))
  const stored = await guest.page.request.get(address)
  expect((await stored.body()).length).toBeGreaterThan(4_000_000)
  await guest.conversation.getByRole('article', { name: 'Answer' }).getByRole('button', { name: 'Copy', exact: true }).click()
  await expect.poll(() => guest.page.evaluate(() => navigator.clipboard.readText())).toBe(`![Picture 1.png](${address})`)
  await guest.send('/demo draw=9000000 chunks=0 delay=0')
  await guest.conversation.getByText('The model made a file that is too large to store. Ask for a smaller one.').waitFor()
  expect(await guest.conversation.getByRole('button', { name: /^Open Picture/ }).count()).toBe(1)
})

test('a large image is scaled for models, and the lightbox shows the original', async () => {
  const guest = await openComposer()
  await chooseModel(guest, 'GPT 4o Mini')
  const posts: { readonly path: string; readonly sizeBytes: number }[] = []
  guest.page.on('request', (request) => {
    const { pathname } = new URL(request.url())
    if (request.method() === 'POST' && pathname.startsWith('/api/files'))
      posts.push({ path: pathname, sizeBytes: request.postDataBuffer()?.length ?? 0 })
  })
  const large = { ...picture('harbour.png'), buffer: Buffer.from(pngOf(2000, 1500)) }
  await choose(guest, [large])
  await attachments(guest).getByRole('button', { name: 'Open harbour.png' }).waitFor()
  expect(posts.map(({ path }) => path.replace(/[\w-]{15,}/, 'ID')).slice(0, 2)).toEqual(['/api/files', '/api/files/ID/original'])
  await guest.send('/demo files delay=0')
  await guest.untilAnswered()
  await expect.poll(() => guest.answer()).toContain('You attached harbour.png (image/png)')

  const second = await openComposer({ storageState: await guest.context.storageState() })
  await second.page.goto(guest.page.url())
  await second.conversation.getByRole('button', { name: 'Open harbour.png' }).click()
  const original = second.page.getByRole('dialog').getByRole('img', { name: 'harbour.png' })
  await expect.poll(() => original.evaluate((image: HTMLImageElement) => [image.naturalWidth, image.naturalHeight])).toEqual([2000, 1500])
  const path = (await original.getAttribute('src'))?.replace('/original', '') ?? ''
  const copyEdges = await second.page.evaluate(async (url) => {
    const { width, height } = await createImageBitmap(await (await fetch(url)).blob())
    return [width, height]
  }, path)
  expect(copyEdges).toEqual([1568, 1176])
})

test('a failed upload of the original fails the upload, and a second attempt completes it', async () => {
  const guest = await openComposer()
  await chooseModel(guest, 'GPT 4o Mini')
  let attempts = 0
  await guest.page.route('**/api/files/*/original', (route) => {
    attempts += 1
    return attempts === 1 ? route.abort('connectionreset') : route.continue()
  })
  await choose(guest, { ...picture('harbour.png'), buffer: Buffer.from(pngOf(2000, 1500)) })
  await attachments(guest).getByText(sentenceOf('upload_failed')).waitFor()
  await attachments(guest).getByRole('button', { name: 'Try harbour.png again' }).click()
  await attachments(guest).getByRole('button', { name: 'Open harbour.png' }).waitFor()
  await expect.poll(() => attachments(guest).getByRole('listitem').count()).toBe(1)
  guest.ignoreErrors(/Failed to load resource: net::ERR_/)
})

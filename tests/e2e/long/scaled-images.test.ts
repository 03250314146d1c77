/** Images that are too large for models: the browser scales a copy and keeps the original. */
import { expect, test } from 'vitest'
import { sentenceOf } from '../../support/refused-sentence.ts'
import { pngOf } from '../../support/sample-files.ts'
import { attachments, choose, chooseModel, picture } from '../attach.ts'
import { setStage } from '../stage.ts'

const { openComposer } = setStage()

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

/** Files from the composer to the answer on every device: selected, dropped, pasted, converted, interrupted, refused, sent, viewed. */
import type { Locator, Response } from 'playwright-core'
import { expect, test } from 'vitest'
import { maxImageBytes, maxThumbnailBytes } from '../../worker/contract/limits.ts'
import { sentenceOf } from '../support/refused-sentence.ts'
import { avif, exifOf, jpegWith, pdf, pngOf } from '../support/sample-files.ts'
import { attachments, choose, chooseModel, pickModel, picture } from './attach.ts'
import { setStage, show } from './stage.ts'
import { chooseForMessage, type UserPage } from './user-page.ts'

const { openComposer } = setStage()

const paper = { name: 'tides.pdf', mimeType: 'application/pdf', buffer: Buffer.from(pdf) }
const notes = { name: 'notes.md', mimeType: 'text/markdown', buffer: Buffer.from('# Tides\nTwice a day.') }

/** Simulates a drag of files over the page and the drop. */
const drop = ({ page }: UserPage, event: 'dragenter' | 'drop', files: readonly { name: string; mimeType: string; buffer: Buffer }[]) =>
  page.evaluate(
    ([name, given]) => {
      const dataTransfer = new DataTransfer()
      for (const { file, type, bytes } of given) dataTransfer.items.add(new File([Uint8Array.from(bytes)], file, { type }))
      document.body.dispatchEvent(new DragEvent(name, { bubbles: true, cancelable: true, dataTransfer }))
    },
    [event, files.map(({ name, mimeType, buffer }) => ({ file: name, type: mimeType, bytes: [...buffer] }))] as const,
  )

const paste = ({ composer }: UserPage, files: readonly ReturnType<typeof picture>[], text?: string) =>
  composer.evaluate(
    (field, { given, words }) => {
      const clipboardData = new DataTransfer()
      for (const { name, type, bytes } of given) clipboardData.items.add(new File([Uint8Array.from(bytes)], name, { type }))
      if (words) clipboardData.setData('text/plain', words)
      return field.dispatchEvent(new ClipboardEvent('paste', { bubbles: true, cancelable: true, clipboardData }))
    },
    { given: files.map(({ name, mimeType, buffer }) => ({ name, type: mimeType, bytes: [...buffer] })), words: text },
  )

test('selected, dropped and pasted files survive a reload with the text, and are sent with it to every device', async () => {
  const guest = await openComposer()
  await chooseModel(guest, 'GPT 4o Mini')
  await choose(guest, [picture('harbour.png'), notes])
  await attachments(guest).getByRole('button', { name: 'Open harbour.png' }).waitFor()
  await drop(guest, 'dragenter', [paper])
  await guest.page.getByText('Drop files here').waitFor()
  await guest.page.getByText('Images, PDFs, or text, up to 5 per message').waitFor()
  const middle = (element: Locator) =>
    element.evaluate((node) => {
      const { left, right } = node.getBoundingClientRect()
      return (left + right) / 2
    })
  expect(await middle(guest.page.getByText('Drop files here'))).toBe(await middle(guest.page.getByRole('main')))
  await show(guest, 'drop')
  await drop(guest, 'drop', [paper])
  await attachments(guest).getByText('tides.pdf').waitFor()
  await paste(guest, [picture('image.png', [40, 120, 200])])
  await attachments(guest).getByRole('button', { name: 'Open image.png' }).waitFor()
  // A program that copies text adds a picture of it.
  await paste(guest, [picture('of-the-text.png')], 'only the text')
  await guest.composer.fill('/demo files delay=0')
  await show(guest, 'composer')

  await guest.page.reload()
  await attachments(guest).getByRole('button', { name: 'Open harbour.png' }).waitFor()
  await expect.poll(() => attachments(guest).getByRole('listitem').count()).toBe(4)
  await guest.page.getByRole('button', { name: 'Send message' }).click()
  await attachments(guest).waitFor({ state: 'detached' })
  await guest.untilAnswered()
  await expect
    .poll(() => guest.answer())
    .toContain('You attached harbour.png (image/png), notes.md (text), tides.pdf (application/pdf), image.png (image/png)')
  await show(guest, 'conversation')

  const second = await openComposer({ storageState: await guest.context.storageState() })
  await second.page.goto(guest.page.url())
  const shown = second.conversation.getByRole('list', { name: 'Attached files' })
  await shown.getByRole('button', { name: 'Open image.png' }).waitFor()
  await expect.poll(() => shown.getByRole('img').count()).toBe(0)
  expect(await shown.getByRole('link', { name: /^Open tides.pdf/ }).getAttribute('href')).toMatch(/^\/api\/files\//)
  const width = await shown
    .locator('img')
    .first()
    .evaluate(async (image: HTMLImageElement) => {
      await image.decode()
      return image.naturalWidth
    })
  // The full picture, or its middle as a tile shows it, whichever loaded first.
  expect([360, 309]).toContain(width)

  // Editing restores them into the composer with the text.
  await guest.conversation.getByRole('article', { name: 'Your message' }).hover()
  await guest.conversation.getByRole('button', { name: 'Edit', exact: true }).click()
  await attachments(guest).getByText('tides.pdf').waitFor()
  await attachments(guest).getByRole('button', { name: 'Remove tides.pdf' }).click()
  const nextRemove = attachments(guest).getByRole('button', { name: 'Remove image.png' })
  await expect.poll(() => nextRemove.evaluate((button) => button === document.activeElement)).toBe(true)
  await guest.composer.fill('/demo files delay=0 without the paper')
  await guest.page.getByRole('button', { name: 'Save & send' }).click()
  await guest.conversation.getByText('2 of 2').first().waitFor()
  await guest.untilAnswered()
  await expect.poll(() => guest.conversation.getByRole('list', { name: 'Attached files' }).getByRole('listitem').count()).toBe(3)
  await guest.conversation.getByRole('button', { name: 'Previous version' }).first().click()
  await guest.conversation.getByText('tides.pdf').first().waitFor()
})

test('pictures open large: arrows page, plus zooms, Escape closes and focus returns', async () => {
  const guest = await openComposer()
  await chooseModel(guest, 'GPT 4o Mini')
  await choose(guest, [picture('one.png'), picture('two.png', [60, 160, 90])])
  await attachments(guest).getByRole('button', { name: 'Open two.png' }).waitFor()
  await guest.send('/demo chunks=3 delay=0')
  await guest.untilAnswered()
  const opener = guest.conversation.getByRole('button', { name: 'Open one.png' })
  await opener.click()
  const dialog = guest.page.getByRole('dialog')
  await dialog.getByText('1 of 2').waitFor()
  await show(guest, 'lightbox')
  await guest.page.keyboard.press('ArrowRight')
  await dialog.getByText('2 of 2').waitFor()
  await dialog.getByRole('img', { name: 'two.png' }).waitFor()
  await guest.page.keyboard.press('ArrowRight')
  await dialog.getByText('1 of 2').waitFor()
  await dialog.getByRole('button', { name: 'Previous image' }).click()
  await dialog.getByText('2 of 2').waitFor()
  await guest.page.keyboard.press('+')
  await dialog.getByRole('button', { name: 'Fit to window' }).waitFor()
  await guest.page.keyboard.press('-')
  await dialog.getByRole('button', { name: 'Full size' }).waitFor()
  await guest.page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await expect.poll(() => opener.evaluate((button) => button === document.activeElement)).toBe(true)
})

test('a large picture loads as a thumbnail in its tile, and in full in the lightbox', async () => {
  const guest = await openComposer()
  await chooseModel(guest, 'GPT 4o Mini')
  const large = { ...picture('harbour.png'), buffer: Buffer.from(pngOf(1600, 1200)) }
  expect(large.buffer.length).toBeGreaterThan(maxThumbnailBytes)
  const brought = guest.page.waitForResponse((response) => response.request().method() === 'POST' && /\/thumbnail$/.test(response.url()))
  await choose(guest, [large])
  expect((await brought).status()).toBe(204)
  await guest.send('/demo chunks=3 delay=0')
  await guest.untilAnswered()

  const second = await openComposer({ storageState: await guest.context.storageState() })
  const seen: Response[] = []
  second.page.on('response', (response) => {
    if (new URL(response.url()).pathname.startsWith('/api/files/')) seen.push(response)
  })
  await second.page.goto(guest.page.url())
  const opener = second.conversation.getByRole('button', { name: 'Open harbour.png' })
  await opener.waitFor()
  const size = await opener.locator('img').evaluate(async (image: HTMLImageElement) => {
    await image.decode()
    return [image.naturalWidth, image.naturalHeight]
  })
  expect(size).toEqual([576, 448])
  // Never the original. A picture that mounts again is requested again (`no-cache`).
  expect(seen.map((response) => response.url()).filter((url) => !url.endsWith('/thumbnail'))).toEqual([])
  // Measures the body instead of the header: a busy browser sometimes reports a response without all of its headers.
  expect((await seen[0]?.body())?.length).toBeLessThanOrEqual(maxThumbnailBytes)
  await opener.click()
  const whole = second.page.getByRole('dialog').getByRole('img', { name: 'harbour.png' })
  await expect.poll(() => whole.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(1600)
})

test('an upload shows its progress, can be cancelled, shows its failure and can be retried; typing continues', async () => {
  const guest = await openComposer()
  await chooseModel(guest, 'GPT 4o Mini')
  const gate = Promise.withResolvers<void>()
  let attempts = 0
  await guest.page.route('**/api/files', async (route) => {
    attempts += 1
    if (attempts === 1) return route.abort('connectionreset')
    await gate.promise
    await route.continue()
  })
  await choose(guest, picture('slow.png'))
  await attachments(guest).getByText(sentenceOf('upload_failed')).waitFor()
  await guest.composer.fill('/demo chunks=3 delay=0')
  await guest.page.getByRole('button', { name: 'Send message', description: sentenceOf('file_failed') }).waitFor()
  await show(guest, 'failed')
  await attachments(guest).getByRole('button', { name: 'Try slow.png again' }).click()
  await attachments(guest).getByRole('progressbar', { name: 'Uploading slow.png' }).waitFor()
  await guest.page.getByRole('button', { name: 'Send message', description: sentenceOf('files_uploading') }).waitFor()
  await guest.composer.press('Enter')
  await guest.page.getByRole('alert').getByText(sentenceOf('files_uploading')).waitFor()
  await choose(guest, picture('unwanted.png'))
  await show(guest, 'uploading')
  await attachments(guest).getByRole('button', { name: 'Cancel upload of unwanted.png' }).click()
  await expect.poll(() => guest.composer.inputValue()).toBe('/demo chunks=3 delay=0')
  gate.resolve()
  await attachments(guest).getByRole('button', { name: 'Open slow.png' }).waitFor()
  await guest.page.getByRole('alert').waitFor({ state: 'detached' })
  await expect.poll(() => attachments(guest).getByRole('listitem').count()).toBe(1)
  await guest.composer.press('Enter')
  await guest.conversation.getByRole('button', { name: 'Open slow.png' }).waitFor()
  await guest.untilAnswered()
  guest.ignoreErrors(/Failed to load resource: net::ERR_/)
})

test('a file for the next message stays with it while an earlier message is edited and sent', async () => {
  const guest = await openComposer()
  await guest.send('/demo chunks=3 delay=0')
  await guest.untilAnswered()
  const gate = Promise.withResolvers<void>()
  await guest.page.route('**/api/files', async (route) => {
    await gate.promise
    await route.continue()
  })
  await guest.composer.fill('What comes next')
  await choose(guest, { name: 'late.txt', mimeType: 'text/plain', buffer: Buffer.from('late') })
  await attachments(guest).getByRole('progressbar', { name: 'Uploading late.txt' }).waitFor()
  await guest.conversation.getByRole('button', { name: 'Edit', exact: true }).click()
  await attachments(guest).waitFor({ state: 'detached' })
  const stored = guest.page.waitForResponse((response) => response.url().endsWith('/api/files'))
  gate.resolve()
  await (await stored).finished()
  await guest.composer.press('Enter')
  await guest.conversation.getByText('2 of 2').waitFor()
  await guest.untilAnswered()
  expect(await guest.conversation.getByText('late.txt').count()).toBe(0)
  await attachments(guest).getByRole('button', { name: 'Remove late.txt' }).waitFor()
  await expect.poll(() => guest.composer.inputValue()).toBe('What comes next')
})

test('files that cannot be attached or read by the model are refused with a reason; selecting another model resolves it', async () => {
  const guest = await openComposer({ phone: true })
  const alert = guest.page.getByRole('alert')
  await choose(guest, { name: 'cat.png', mimeType: 'image/png', buffer: Buffer.from('PK\u0003\u0004\0\0') })
  await alert.getByText(`cat.png: ${sentenceOf('file_type')}`).waitFor()
  await choose(guest, { name: 'big.png', mimeType: 'image/png', buffer: Buffer.concat([pngOf(2, 2), Buffer.alloc(maxImageBytes)]) })
  await alert.getByText(`big.png: ${sentenceOf('file_too_large')}`).waitFor()
  await choose(guest, { name: 'damaged.gif', mimeType: 'image/gif', buffer: Buffer.concat([Buffer.from('GIF89a'), Buffer.alloc(5000, 1)]) })
  await alert.getByText(`damaged.gif: ${sentenceOf('image_unreadable')}`).waitFor()
  await choose(guest, { name: 'none.txt', mimeType: 'text/plain', buffer: Buffer.alloc(0) })
  await alert.getByText(`none.txt: ${sentenceOf('file_empty')}`).waitFor()
  await choose(guest, {
    name: 'half.txt',
    mimeType: 'text/plain',
    buffer: Buffer.concat([Buffer.alloc(2000, 'a'), Buffer.from([0xff, 1])]),
  })
  await alert.getByText(`half.txt: ${sentenceOf('file_type')}`).waitFor()
  const six = Array.from({ length: 6 }, (_, index) => picture(`${index + 1}.png`))
  await choose(guest, six)
  await alert.getByText(`${sentenceOf('too_many_files')} Not attached: 6.png.`).waitFor()
  await attachments(guest).getByRole('button', { name: 'Open 5.png' }).waitFor()
  await show(guest, 'phone')

  // The default model reads no images, and the user stays with it.
  await guest.composer.fill('/demo chunks=3 delay=0')
  await guest.page.getByRole('button', { name: 'Undo' }).click()
  await guest.page.getByRole('button', { name: 'Send message', description: sentenceOf('images_unsupported') }).waitFor()
  // The reason is shown before an attempt to send; an attempt shows it once.
  const unread = guest.page.getByText(sentenceOf('images_unsupported'))
  await guest.page.getByRole('status').filter({ has: unread }).waitFor()
  await guest.composer.press('Enter')
  await alert.filter({ has: unread }).waitFor()
  await expect.poll(() => unread.count()).toBe(1)
  // A disabled button fades, but not its focus ring.
  const send = guest.page.getByRole('button', { name: 'Send message', description: sentenceOf('images_unsupported') })
  const opacities = () => send.evaluate((button) => [button, ...button.children].map((each) => getComputedStyle(each).opacity))
  await expect.poll(opacities).toEqual(['1', '0.5'])
  // The notice links to the list of suitable models.
  await alert.getByRole('button', { name: 'Choose a model' }).click()
  await pickModel(guest, 'GPT 4o Mini')
  await unread.waitFor({ state: 'detached' })
  await guest.page.getByRole('button', { name: 'Send message' }).click()
  await guest.untilAnswered()
  await show(guest, 'phone-sent')
  await chooseModel(guest, 'Kimi K2')
  const earlier = guest.page.getByText("Kimi K2 can't read the 5 images earlier in this thread. It will only see the file names.")
  await earlier.waitFor()
  // The notice on earlier files considers edits: an edited message drops the later ones from the path.
  await chooseForMessage(guest, guest.conversation.getByRole('article', { name: 'Your message' }), 'Edit')
  await earlier.waitFor({ state: 'detached' })
  await choose(guest, picture('6.png'))
  await alert.getByText(sentenceOf('too_many_files')).waitFor()
  await guest.page.getByRole('button', { name: 'Cancel editing' }).tap()
  await Promise.all([earlier.waitFor(), alert.waitFor({ state: 'detached' })])
  // Regenerating uses the original model; a model that cannot read the files shows this in the list and is refused.
  await chooseForMessage(guest, guest.conversation.getByRole('article', { name: 'Answer' }), 'Regenerate with another model')
  await guest.page.getByRole('combobox', { name: 'Find model' }).fill('Kimi K2')
  await guest.page
    .getByRole('option', { name: /^Kimi K2 / })
    .filter({ hasText: "Can't read the 5 images" })
    .first()
    .click()
  await guest.page.getByText(sentenceOf('images_unsupported')).waitFor()
  await guest.send('/demo chunks=3 delay=0')
  await expect.poll(() => guest.answers()).toBe(2)
  await guest.untilAnswered()
})

const file = (name: string, buffer: Uint8Array, mimeType = '') => ({ name, mimeType, buffer: Buffer.from(buffer) })
const latin1 = (text: string) => Buffer.from(text, 'latin1')

test('texts in other encodings are converted, with a note, and locked and broken files are refused before anything is sent', async () => {
  const guest = await openComposer()
  const { page } = guest
  const uploads: string[] = []
  page.on('request', (request) => {
    if (request.method() === 'POST' && request.url().endsWith('/api/files'))
      uploads.push(decodeURIComponent(request.headers()['x-file-name'] ?? ''))
  })
  await choose(guest, [
    file('keywords.csv', Buffer.from('\ufeffKeyword\tVolume\r\nblaue Schuhe\t1200\r\n', 'utf16le'), 'text/csv'),
    file('umsatz.csv', latin1('Stadt;Umsatz\r\nM\xfcnchen;12 \x80\r\nK\xf6ln;9 \x80\r\n'), 'text/csv'),
  ])
  await attachments(guest).getByText('Converted from UTF-16LE').waitFor()
  await attachments(guest).getByText('Converted from Windows-1252').waitFor()
  const refusedAs = async (bytes: ReturnType<typeof file>, sentence: string) => {
    await choose(guest, [bytes])
    await page.getByText(sentence).first().waitFor()
  }
  await refusedAs(
    file('locked.pdf', latin1('%PDF-1.4\n1 0 obj<<>>endobj\ntrailer<</Root 1 0 R/Size 5/Encrypt 4 0 R>>\n%%EOF')),
    'locked.pdf: This PDF is protected',
  )
  await show(guest, 'converted-texts')
  await refusedAs(file('broken.png', pngOf(40, 40).subarray(0, 60)), 'broken.png: This image is damaged')
  // The browser reports the refusal of the server.
  guest.ignoreErrors(/415 .*\/api\/files\/convert/)
  await refusedAs(
    file('photo.heic', Buffer.concat([Buffer.from([0, 0, 0, 24]), latin1('ftypheic'), Buffer.alloc(90)])),
    "photo.heic: This kind of image can't be converted",
  )
  await refusedAs(file('sales.xlsx', Buffer.concat([latin1('PK\x03\x04\x14\0\0\0'), Buffer.alloc(90)])), 'Save the sheet as CSV')
  expect(uploads.toSorted()).toEqual(['keywords.csv', 'umsatz.csv'])
  await expect.poll(() => attachments(guest).getByRole('listitem').count()).toBe(2)
  const idInDraft = () =>
    page.evaluate(() => {
      const draft = Object.values(localStorage).find((value) => value.includes('umsatz.csv')) ?? ''
      return /"id":"([^"]+)","name":"umsatz.csv"/.exec(draft)?.[1]
    })
  await expect.poll(idInDraft).toBeTruthy()
  const stored = await page.request.get(`/api/files/${await idInDraft()}`)
  expect(await stored.text()).toBe('Stadt;Umsatz\r\nMünchen;12 €\r\nKöln;9 €\r\n')
})

test('the server converts a photo that the browser does not decode, and its JPEG is attached', async () => {
  const guest = await openComposer()
  const { page } = guest
  await chooseModel(guest, 'GPT 4o Mini')
  // Chromium decodes AVIF, and Miniflare's Images does not decode HEIC. So this test disables AVIF in the browser.
  await page.evaluate(() => {
    const decode = globalThis.createImageBitmap
    globalThis.createImageBitmap = ((image: Blob, ...rest: []) =>
      image.type === 'image/avif' ? Promise.reject(new Error('an unknown format')) : decode(image, ...rest)) as typeof decode
  })
  await choose(guest, [file('photo.avif', avif, 'image/avif')])
  await attachments(guest).getByRole('button', { name: 'Open photo.jpg' }).waitFor()
})

test('a small photo with a rotation in its metadata is stored upright for models', async () => {
  const guest = await openComposer()
  const { page } = guest
  await chooseModel(guest, 'GPT 4o Mini')
  const made = await page.evaluate(async () => {
    const canvas = document.createElement('canvas')
    ;[canvas.width, canvas.height] = [120, 60]
    canvas.getContext('2d')?.fillRect(0, 0, 60, 60)
    const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/jpeg'))
    return [...new Uint8Array((await blob?.arrayBuffer()) ?? new ArrayBuffer())]
  })
  const photo = jpegWith(exifOf(6), Uint8Array.from(made))
  await choose(guest, [file('photo.jpg', photo, 'image/jpeg')])
  await attachments(guest).getByRole('button', { name: 'Open photo.jpg' }).waitFor()
  const idInDraft = () =>
    page.evaluate(() =>
      Object.values(localStorage)
        .map((draft) => /"id":"([^"]+)","name":"photo.jpg"/.exec(String(draft))?.[1])
        .find((id) => id !== undefined),
    )
  // The draft is stored a moment after the upload.
  await expect.poll(idInDraft).toBeDefined()
  const size = await page.evaluate(
    async (id) => {
      const blob = await (await fetch(`/api/files/${id}`)).blob()
      // Without the metadata, so that only the pixels count.
      const { width, height } = await createImageBitmap(blob, { imageOrientation: 'none' })
      return [width, height]
    },
    await idInDraft(),
  )
  expect(size).toEqual([60, 120])
})

test('a file copied in a file manager is attached, and a picture of copied text is not', async () => {
  const guest = await openComposer()
  await paste(guest, [file('notes.md', latin1('# Tides')), file('image.png', pngOf(16, 16))], 'notes.md')
  await attachments(guest).getByText('notes.md').waitFor()
  await paste(guest, [file('image.png', pngOf(16, 16))], 'A\tB\n1\t2\n')
  await expect.poll(() => attachments(guest).getByRole('listitem').count()).toBe(1)
  expect(await guest.composer.inputValue()).not.toContain('notes.md')
})

/** Files as people have them: other encodings, locked and broken files, turned photos, and what file managers put on the clipboard. */
import { expect, test } from 'vitest'
import { exifOf, jpegWith, pngOf } from '../support/sample-files.ts'
import { attachments, choose, chooseModel } from './attach.ts'
import { setStage, show } from './stage.ts'
import type { UserPage } from './user-page.ts'

const { openComposer } = setStage()

const file = (name: string, buffer: Uint8Array, mimeType = '') => ({ name, mimeType, buffer: Buffer.from(buffer) })
const latin1 = (text: string) => Buffer.from(text, 'latin1')

const paste = ({ composer }: UserPage, files: readonly ReturnType<typeof file>[], text: string) =>
  composer.evaluate(
    (field, { given, words }) => {
      const clipboardData = new DataTransfer()
      for (const { name, bytes } of given) clipboardData.items.add(new File([Uint8Array.from(bytes)], name))
      clipboardData.setData('text/plain', words)
      return field.dispatchEvent(new ClipboardEvent('paste', { bubbles: true, cancelable: true, clipboardData }))
    },
    { given: files.map(({ name, buffer }) => ({ name, bytes: [...buffer] })), words: text },
  )

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
  await refusedAs(
    file('photo.heic', Buffer.concat([Buffer.from([0, 0, 0, 24]), latin1('ftypheic'), Buffer.alloc(90)])),
    "photo.heic: This browser can't convert",
  )
  await refusedAs(file('sales.xlsx', Buffer.concat([latin1('PK\x03\x04\x14\0\0\0'), Buffer.alloc(90)])), 'Save the sheet as CSV')
  expect(uploads.toSorted()).toEqual(['keywords.csv', 'umsatz.csv'])
  await expect.poll(() => attachments(guest).getByRole('listitem').count()).toBe(2)
  const link = await page.evaluate(async () => {
    const key = Object.keys(localStorage).find((name) => localStorage.getItem(name)?.includes('umsatz.csv'))
    return key && /"id":"([^"]+)","name":"umsatz.csv"/.exec(localStorage.getItem(key) ?? '')?.[1]
  })
  const stored = await page.request.get(`/api/files/${link}`)
  expect(await stored.text()).toBe('Stadt;Umsatz\r\nMünchen;12 €\r\nKöln;9 €\r\n')
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

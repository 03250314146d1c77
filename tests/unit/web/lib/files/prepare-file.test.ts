// The upload for a file that the user chose.
import { deflateSync } from 'node:zlib'
import { afterEach, expect, test, vi } from 'vitest'
import { prepareFile } from '../../../../../web/lib/files/chosen-files.ts'
import { refusal } from '../../../../../worker/contract/errors.ts'
import { maxTextBytes } from '../../../../../worker/contract/limits.ts'
import { concat, pdf, pngOf } from '../../../../support/sample-files.ts'

const utf8 = new TextEncoder()
const file = (name: string, ...parts: BlobPart[]) => new File(parts, name)
const bytesOf = (text: string) => Uint8Array.from(Buffer.from(text, 'latin1'))

/** The code of the refusal, or the content and the encoding. */
async function prepared(chosen: File) {
  const result = await prepareFile(chosen)
  if ('code' in result) return result.code
  return { text: await result.body.text(), name: result.body.name, from: result.convertedFrom, type: result.mediaType }
}

const decodes = (isReadable: boolean) =>
  vi.stubGlobal('createImageBitmap', () => (isReadable ? Promise.resolve({ close: () => undefined }) : Promise.reject(new Error('broken'))))
/** The addresses of the requests. */
function serverAnswers(answer: () => Response): readonly string[] {
  const sent: string[] = []
  vi.stubGlobal('location', { origin: 'https://chat.test' })
  vi.stubGlobal('fetch', async (address: string) => {
    sent.push(address)
    return answer()
  })
  return sent
}
afterEach(() => vi.unstubAllGlobals())

test('a table of Excel is converted to UTF-8, and its encoding is named', async () => {
  const utf16 = file('keywords.csv', Buffer.from('\ufeffKeyword\tVolume\r\nblaue Schuhe\t1200\r\n', 'utf16le'))
  expect(await prepared(utf16)).toMatchObject({
    text: 'Keyword\tVolume\r\nblaue Schuhe\t1200\r\n',
    name: 'keywords.csv',
    from: 'UTF-16LE',
    type: 'text/plain',
  })
  const windows = file('umsatz.csv', bytesOf('Stadt;Umsatz\r\nM\xfcnchen;12 \x80\r\nK\xf6ln;9 \x80\r\n'))
  expect(await prepared(windows)).toMatchObject({ text: 'Stadt;Umsatz\r\nMünchen;12 €\r\nKöln;9 €\r\n', from: 'Windows-1252' })
})

test('UTF-8 is uploaded byte for byte, without its byte order mark', async () => {
  const plain = file('notes.md', 'Ärger 名前')
  const result = await prepareFile(plain)
  expect('body' in result && result.body).toBe(plain)
  expect(await prepared(file('notes.md', utf8.encode('\ufeffÄrger')))).toMatchObject({ text: 'Ärger', from: null })
})

const zip = concat([Uint8Array.of(0x50, 0x4b, 3, 4, 20, 0, 0, 0, 8, 0), deflateSync('x'.repeat(900))])
const ole = concat([Uint8Array.of(0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1), new Uint8Array(900)])
const heic = concat([Uint8Array.of(0, 0, 0, 24), utf8.encode('ftypheic'), new Uint8Array(60)])

test.each<[string, Uint8Array, string]>([
  ['sales.xlsx', zip, 'spreadsheet_file'],
  ['SALES.XLS', ole, 'spreadsheet_file'],
  ['sales.ods', zip, 'spreadsheet_file'],
  ['letter.docx', zip, 'office_file'],
  ['letter.doc', ole, 'office_file'],
  ['slides.pptx', zip, 'office_file'],
  ['book.epub', zip, 'office_file'],
  ['photos.zip', zip, 'file_type'],
  ['without extension', zip, 'file_type'],
  ['locked.pdf', bytesOf('%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R/Size 5/Encrypt 4 0 R>>\n%%EOF'), 'pdf_encrypted'],
  ['empty.csv', Uint8Array.of(0xff, 0xfe), 'file_empty'],
  ['empty.txt', new Uint8Array(), 'file_empty'],
  ['photo.heic', heic, 'image_format'],
  ['renamed.jpg', heic, 'image_format'],
  ['layers.heif', concat([Uint8Array.of(0, 0, 0, 24), utf8.encode('ftyphevm'), new Uint8Array(60)]), 'image_format'],
  ['scan.tiff', concat([utf8.encode('II*\0'), new Uint8Array(60)]), 'image_format'],
  ['broken.png', pngOf(4, 4).subarray(0, 60), 'image_unreadable'],
])('%s is refused with its reason', async (name, bytes, code) => {
  decodes(false)
  serverAnswers(() => Response.json({ error: refusal('image_format') }, { status: 415 }))
  expect(await prepared(file(name, Uint8Array.from(bytes)))).toBe(code)
})

test('the server converts a HEIC photo that the browser does not decode', async () => {
  decodes(false)
  const sent = serverAnswers(() => new Response('jpeg', { headers: { 'content-type': 'image/jpeg' } }))
  expect(await prepared(file('photo.HEIC', Uint8Array.from(heic)))).toEqual({
    text: 'jpeg',
    name: 'photo.jpg',
    from: null,
    type: 'image/jpeg',
  })
  expect(sent).toEqual(['https://chat.test/api/files/convert'])
  // The server cannot read it either.
  expect(await prepared(file('scan.tiff', 'II*\0', new Uint8Array(60)))).toBe('image_format')
  expect(sent).toHaveLength(1)
})

test.each<[string, () => Response, string]>([
  ['too many in an hour', () => Response.json({ error: refusal('uploads_too_often') }, { status: 429 }), 'uploads_too_often'],
  ['a page of a proxy', () => new Response('<p>', { status: 502 }), 'upload_failed'],
  ['another type', () => new Response('x', { headers: { 'content-type': 'text/html' } }), 'image_format'],
])('a HEIC photo is refused with the reason of the server: %s', async (_name, answer, code) => {
  decodes(false)
  serverAnswers(answer)
  expect(await prepared(file('photo.heic', Uint8Array.from(heic)))).toBe(code)
})

test('a PDF and an image that the browser decodes are uploaded as they are', async () => {
  decodes(true)
  expect(await prepared(file('paper.pdf', Uint8Array.from(pdf)))).toMatchObject({ name: 'paper.pdf', type: 'application/pdf' })
  expect(await prepared(file('a.png', Uint8Array.from(pngOf(4, 4))))).toMatchObject({ name: 'a.png', type: 'image/png' })
})

test('a text that is too large as UTF-8 is refused, and one that is too large only in UTF-16 is not', async () => {
  const half = 'a'.repeat(maxTextBytes / 2 + 1)
  expect(await prepared(file('a.txt', Buffer.from(`\ufeff${half}`, 'utf16le')))).toMatchObject({ from: 'UTF-16LE' })
  expect(await prepared(file('a.txt', 'a'.repeat(maxTextBytes + 1)))).toBe('file_too_large')
  expect(await prepared(file('a.txt', 'a'.repeat(2 * maxTextBytes + 1)))).toBe('file_too_large')
})

// The pages of a PDF, counted in chunks of any size.
import { deflateSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { pdfPages } from '../../worker/lib/pdf-pages.ts'
import { pdf } from '../support/sample-files.ts'

const bytesOf = (text: string) => Uint8Array.from(Buffer.from(text, 'latin1'))

function count(bytes: Uint8Array, chunkBytes = bytes.length): number | null {
  const pages = pdfPages()
  for (let at = 0; at < bytes.length; at += chunkBytes) pages.add(bytes.subarray(at, at + chunkBytes))
  return pages.count()
}

const page = (number: number) => `${number} 0 obj\n<< /Type /Page /Parent 2 0 R /MediaBox [0 0 90 90] >>\nendobj\n`
const pagesFrom = (first: number, length: number) => Array.from({ length }, (_, index) => page(first + index)).join('')
const head = '%PDF-1.7\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n2 0 obj\n<< /Type /Pages /Count 3 >>\nendobj\n'

/** An object stream with these page objects. */
function packed(numbers: readonly number[], pack: (data: Buffer) => Buffer = deflateSync, filter = '/Filter /FlateDecode '): string {
  const object = '<< /Type /Page /Parent 2 0 R >> '
  const index = `${numbers.map((number, at) => `${number} ${at * object.length}`).join(' ')} `
  const data = pack(Buffer.from(index + object.repeat(numbers.length), 'latin1')).toString('latin1')
  const dictionary = `<< ${filter}/N ${numbers.length} /First ${index.length} /Length ${data.length} /Type /ObjStm >>`
  return `90 0 obj\n${dictionary}\nstream\r\n${data}\r\nendstream\nendobj\n`
}
const plain = (data: Buffer): Buffer => data

describe('counts', () => {
  test.each<[string, Uint8Array, number]>([
    ['the sample', pdf, 1],
    ['page objects', bytesOf(head + pagesFrom(3, 120)), 120],
    ['pages in an object stream', bytesOf(head + packed([3, 4, 5])), 3],
    ['pages in an object stream without compression', bytesOf(head + packed([3, 4, 5], plain, '')), 3],
    ['pages before, in and after object streams', bytesOf(head + page(3) + packed([4, 5]) + page(6) + packed([7])), 5],
    ['a page that a later revision replaces once', bytesOf(head + pagesFrom(3, 4) + page(4)), 4],
    ['pages of an object stream that later revisions replace', bytesOf(head + packed([3, 4, 5]) + page(3) + packed([4, 5])), 3],
    ['no more than 10,000 pages', bytesOf(head + pagesFrom(3, 10_100)), 10_000],
  ])('%s', (_name, bytes, expected) => {
    for (const chunkBytes of [1, 7, 512, 65_536])
      if (bytes.length < 20_000 || chunkBytes > 500) expect(count(bytes, chunkBytes)).toBe(expected)
  })
})

describe('has no count for', () => {
  test.each<[string, Uint8Array]>([
    ['a file without pages', bytesOf(head)],
    ['a file that ends inside an object stream', bytesOf(head + page(3) + packed([4]).slice(0, -30))],
    [
      'an object stream that cannot be unpacked, as in an encrypted file',
      bytesOf(head + page(3) + packed([4], () => Buffer.from('encrypted'))),
    ],
    [
      'an object stream that unpacks to more than 8 MB',
      bytesOf(head + packed([3], (data) => deflateSync(Buffer.concat([data, Buffer.alloc(9_000_000)])))),
    ],
    ['an object stream of more than 4 MB', bytesOf(head + packed([3], (data) => Buffer.concat([data, Buffer.alloc(5_000_000, 'x')])))],
  ])('%s', (_name, bytes) => {
    expect(count(bytes, 65_536)).toBeNull()
  })
})

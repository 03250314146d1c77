// The orientation in the metadata of photos, in the three formats that have it.
import { expect, test } from 'vitest'
import { isTurned } from '../../../../../web/lib/files/image-copies.ts'
import { exifOf, jpegWith, pngOf } from '../../../../support/sample-files.ts'

/** Another segment comes before the pixels. */
const jpegFrame = Uint8Array.of(0xff, 0xd8, 0xff, 0xe0, 0, 4, 0, 0, 0xff, 0xda, 0, 2, 0xff, 0xd9, 0, 0, 0, 0, 0, 0)
const jpeg = (orientation: number, isLittle: boolean): Uint8Array => jpegWith(exifOf(orientation, isLittle), jpegFrame)

function png(orientation: number): Uint8Array {
  const plain = Buffer.from(pngOf(2, 2))
  const data = exifOf(orientation, false)
  const chunk = Buffer.concat([Buffer.alloc(4), Buffer.from('eXIf'), data, Buffer.alloc(4)])
  chunk.writeUInt32BE(data.length, 0)
  return new Uint8Array(Buffer.concat([plain.subarray(0, 33), chunk, plain.subarray(33)]))
}

function webp(orientation: number, hasPrefix: boolean): Uint8Array {
  const data = Buffer.concat([hasPrefix ? Buffer.from('Exif\0\0') : Buffer.alloc(0), exifOf(orientation, true)])
  const part = (name: string, body: Buffer) => {
    const head = Buffer.alloc(8)
    head.write(name)
    head.writeUInt32LE(body.length, 4)
    return Buffer.concat([head, body, Buffer.alloc(body.length % 2)])
  }
  return new Uint8Array(
    Buffer.concat([Buffer.from('RIFF\0\0\0\0WEBP'), part('VP8X', Buffer.alloc(10)), part('VP8 ', Buffer.alloc(7)), part('EXIF', data)]),
  )
}

test.each([2, 3, 4, 5, 6, 7, 8])('orientation %i is not upright', (orientation) => {
  for (const isLittle of [true, false]) expect(isTurned(jpeg(orientation, isLittle))).toBe(true)
  expect(isTurned(png(orientation))).toBe(true)
  for (const hasPrefix of [true, false]) expect(isTurned(webp(orientation, hasPrefix))).toBe(true)
})

test('upright, unknown and damaged metadata is left alone', () => {
  for (const orientation of [0, 1, 9, 65_535]) expect(isTurned(jpeg(orientation, true))).toBe(false)
  expect(isTurned(pngOf(4, 4))).toBe(false)
  const whole = jpeg(6, true)
  for (let length = 0; length < whole.length; length += 1) expect(isTurned(whole.slice(0, length))).toBeTypeOf('boolean')
  for (let at = 0; at < whole.length; at += 1) expect(isTurned(whole.with(at, 0xff))).toBeTypeOf('boolean')
})

/** Small valid files: the smallest picture, a PDF that viewers open, and text. */
import { deflateSync } from 'node:zlib'

const utf8 = new TextEncoder()

/** A PNG of one colour. */
export function pngOf(width: number, height: number, [red, green, blue]: readonly [number, number, number] = [200, 80, 60]): Uint8Array {
  const rows = new Uint8Array(height * (1 + 3 * width))
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) rows.set([red, (green + x) & 255, (blue + y) & 255], y * (1 + 3 * width) + 1 + 3 * x)
  const header = new DataView(new ArrayBuffer(13))
  header.setUint32(0, width)
  header.setUint32(4, height)
  // Eight bits, true colour.
  header.setUint8(8, 8)
  header.setUint8(9, 2)
  return concat([
    Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a),
    chunk('IHDR', new Uint8Array(header.buffer)),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', new Uint8Array()),
  ])
}

/** An AVIF of 4 × 2 pixels. */
export const avif = Uint8Array.from(
  atob(
    'AAAAHGZ0eXBhdmlmAAAAAG1pZjFhdmlmbWlhZgAAANZtZXRhAAAAAAAAACFoZGxyAAAAAAAAAABwaWN0AAAAAAAAAAAAAAAAAAAAACJpbG9jAAAAAERAAAEAAQAAAAAA+gABAAAAAAAAACEAAAAjaWluZgAAAAAAAQAAABVpbmZlAgAAAAABAABhdjAxAAAAAA5waXRtAAAAAAABAAAAVmlwcnAAAAA4aXBjbwAAAAxhdjFDgSACAAAAABRpc3BlAAAAAAAAAAQAAAACAAAAEHBpeGkAAAAAAwgICAAAABZpcG1hAAAAAAAAAAEAAQOBAgMAAAApbWRhdBIACgg4BDtICGg0gDITHEJi5OAAFgAAkDWOPHyH3iSsvA==',
  ),
  (character) => character.charCodeAt(0),
)
/** A square of `side` pixels in a few bytes: all black or all white, one bit each. */
export function squareOf(side: number, colour: 'black' | 'white'): Uint8Array {
  const header = new DataView(new ArrayBuffer(13))
  header.setUint32(0, side)
  header.setUint32(4, side)
  header.setUint8(8, 1)
  const row = 1 + Math.ceil(side / 8)
  const rows = new Uint8Array(side * row)
  if (colour === 'white') for (let at = 0; at < rows.length; at += row) rows.fill(255, at + 1, at + row)
  return concat([
    Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a),
    chunk('IHDR', new Uint8Array(header.buffer)),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', new Uint8Array()),
  ])
}

export const pdf = utf8.encode(
  '%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj 3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 90 90]>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n',
)

/** The metadata of a camera: an entry for the maker, then the orientation. */
export function exifOf(orientation: number, isLittle = true): Uint8Array {
  const data = new DataView(new ArrayBuffer(38))
  data.setUint16(0, isLittle ? 0x4949 : 0x4d4d)
  data.setUint16(2, 42, isLittle)
  data.setUint32(4, 8, isLittle)
  data.setUint16(8, 2, isLittle)
  data.setUint16(10, 0x010f, isLittle)
  data.setUint16(22, 0x0112, isLittle)
  data.setUint16(24, 3, isLittle)
  data.setUint32(26, 1, isLittle)
  data.setUint16(30, orientation, isLittle)
  return new Uint8Array(data.buffer)
}

/** A JPEG with this metadata after its first marker. */
export function jpegWith(exif: Uint8Array, jpeg: Uint8Array): Uint8Array {
  const length = exif.length + 8
  return concat([
    jpeg.subarray(0, 2),
    Uint8Array.of(0xff, 0xe1, length >> 8, length & 255),
    utf8.encode('Exif\0\0'),
    exif,
    jpeg.subarray(2),
  ])
}

export function concat(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
  let offset = 0
  for (const part of parts) {
    whole.set(part, offset)
    offset += part.length
  }
  return whole
}

function chunk(name: string, data: Uint8Array): Uint8Array {
  const named = concat([utf8.encode(name), data])
  const frame = new DataView(new ArrayBuffer(8))
  frame.setUint32(0, data.length)
  frame.setUint32(4, crc32(named))
  const bytes = new Uint8Array(frame.buffer)
  return concat([bytes.subarray(0, 4), named, bytes.subarray(4)])
}

function crc32(bytes: Uint8Array): number {
  let crc = ~0
  for (const byte of bytes) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (0xedb88320 & -(crc & 1))
  }
  return ~crc >>> 0
}

/** Detects the file type from the first bytes. File names and headers are not trusted. */
import type { FileType } from './files.ts'

/** Number of bytes that the detection reads. */
export const signatureBytes = 512

const signatures: readonly { readonly type: FileType; readonly at: readonly (readonly [offset: number, bytes: string])[] }[] = [
  { type: 'image/png', at: [[0, '\x89PNG\r\n\x1a\n']] },
  { type: 'image/jpeg', at: [[0, '\xff\xd8\xff']] },
  { type: 'image/gif', at: [[0, 'GIF87a']] },
  { type: 'image/gif', at: [[0, 'GIF89a']] },
  {
    type: 'image/webp',
    at: [
      [0, 'RIFF'],
      [8, 'WEBP'],
    ],
  },
]
const pdfMark = '%PDF-'

/** PDF readers skip a byte order mark and whitespace before the signature. A `%PDF-` after other characters is text. */
const blankBytes: ReadonlySet<number> = new Set([0xef, 0xbb, 0xbf, 0x00, 0x09, 0x0a, 0x0c, 0x0d, 0x20])

/**
 * Null for a type that cannot be attached. A file without a signature and without NUL bytes counts as text; UTF-8 validity is checked
 * elsewhere.
 */
export function typeOf(head: Uint8Array): FileType | null {
  const known = signatures.find(({ at }) => at.every(([offset, bytes]) => hasAt(head, offset, bytes)))
  if (known) return known.type
  const start = head.findIndex((byte) => !blankBytes.has(byte))
  if (start !== -1 && start < signatureBytes && hasAt(head, start, pdfMark)) return 'application/pdf'
  return head.subarray(0, signatureBytes).includes(0) ? null : 'text/plain'
}

/** Brands of HEIF and AVIF files. */
const imageBrands = /^(?:he[iv][cxms]|mif1|msf1|avi[fs])$/

/** HEIC or AVIF. The server can convert it where the browser cannot. */
export const isHeif = (head: Uint8Array): boolean =>
  hasAt(head, 4, 'ftyp') && imageBrands.test(String.fromCharCode(...head.subarray(8, 12)))

/** A picture that a browser may decode and that cannot be attached as it is: HEIC, AVIF, TIFF or BMP. */
export function isConvertibleImage(head: Uint8Array): boolean {
  if (isHeif(head)) return true
  if (hasAt(head, 0, 'II*\0') || hasAt(head, 0, 'MM\0*')) return true
  // The letters alone also begin texts; the reserved bytes of a BMP are zero.
  return hasAt(head, 0, 'BM') && hasAt(head, 6, '\0\0\0\0')
}

const hasAt = (head: Uint8Array, offset: number, bytes: string): boolean =>
  head.length >= offset + bytes.length && Array.from(bytes).every((character, index) => head[offset + index] === character.charCodeAt(0))

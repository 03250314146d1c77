/** What a file is, by its first bytes. Names and headers say what somebody wishes it were. */
import type { FileType } from './files.ts'

/** This many bytes decide; a shorter file is looked at whole. */
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

/** What every reader of PDF passes over: a byte order mark and what is blank. A mark behind words is a text that speaks of PDF. */
const blankBytes: ReadonlySet<number> = new Set([0xef, 0xbb, 0xbf, 0x00, 0x09, 0x0a, 0x0c, 0x0d, 0x20])

/** Null: nothing that may be attached. Text is what has no signature and no NUL; that it is UTF-8 is for its reader to find out. */
export function typeOf(head: Uint8Array): FileType | null {
  const known = signatures.find(({ at }) => at.every(([offset, bytes]) => hasAt(head, offset, bytes)))
  if (known) return known.type
  const start = head.findIndex((byte) => !blankBytes.has(byte))
  if (start !== -1 && start < signatureBytes && hasAt(head, start, pdfMark)) return 'application/pdf'
  return head.subarray(0, signatureBytes).includes(0) ? null : 'text/plain'
}

const hasAt = (head: Uint8Array, offset: number, bytes: string): boolean =>
  head.length >= offset + bytes.length && Array.from(bytes).every((character, index) => head[offset + index] === character.charCodeAt(0))

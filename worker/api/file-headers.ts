/** Response headers of stored files. A file is never served as a page of our origin. Pure. */
import { fileKindOf } from '../contract/files.ts'
import type { StoredFile } from '../db/attachments.ts'
import type { ByteRange } from '../db/file-store.ts'

/** Images and text are shown inline. Documents and unknown types are downloaded, because the sandbox blocks PDF viewers. */
export function fileHeaders({ name, mediaType, etag, storedAt }: StoredFile): Record<string, string> {
  const isShown = fileKindOf(mediaType) === 'image' || mediaType === 'text/plain'
  return {
    'content-type': mediaType === 'text/plain' ? 'text/plain; charset=utf-8' : mediaType,
    'content-disposition': `${isShown ? 'inline' : 'attachment'}; filename="${asciiName(name)}"; filename*=UTF-8''${encodedName(name)}`,
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
    'cross-origin-resource-policy': 'same-origin',
    'x-content-type-options': 'nosniff',
    'accept-ranges': 'bytes',
    etag,
    'last-modified': new Date(storedAt).toUTCString(),
    // Revalidated on every request, so that a signed-out user or a deleted file gets no cached copy.
    'cache-control': 'private, no-cache',
    vary: 'cookie',
  }
}

const asciiName = (name: string): string => name.replace(/[^\x20-\x7e]|["\\%]/g, '_')

/** RFC 8187: characters that encodeURIComponent keeps but the grammar forbids. */
const encodedName = (name: string): string =>
  encodeURIComponent(name).replace(/['()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)

/** One byte range (RFC 9110, section 14). Null: the whole file, also for multiple and invalid ranges. */
export function rangeOf(header: string | undefined, sizeBytes: number): ByteRange | 'unsatisfiable' | null {
  const match = /^bytes=(\d*)-(\d*)$/.exec(header?.trim() ?? '')
  if (!match || (match[1] === '' && match[2] === '')) return null
  const [first, last] = [match[1], match[2]].map((digits) => (digits ? Number(digits) : null))
  if (first == null) {
    const length = Math.min(last ?? 0, sizeBytes)
    return length === 0 ? 'unsatisfiable' : { offset: sizeBytes - length, length }
  }
  if (last != null && last < first) return null
  if (first >= sizeBytes) return 'unsatisfiable'
  return { offset: first, length: Math.min(last ?? sizeBytes - 1, sizeBytes - 1) - first + 1 }
}

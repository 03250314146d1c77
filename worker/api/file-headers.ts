/** How a stored file is served: never as a page of ours, whatever is in it. Pure. */
import { fileKindOf } from '../contract/files.ts'
import type { StoredFile } from '../db/attachments.ts'
import type { ByteRange } from '../db/file-store.ts'

/** Images and text are shown where they are asked for; a document is saved, because a viewer would not run inside the sandbox, and so is what we do not know. */
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
    // Asked again each time: who has signed out, or deleted it, does not see it any more.
    'cache-control': 'private, no-cache',
    vary: 'cookie',
  }
}

const asciiName = (name: string): string => name.replace(/[^\x20-\x7e]|["\\%]/g, '_')

/** RFC 8187: what encodeURIComponent leaves alone and the grammar does not. */
const encodedName = (name: string): string =>
  encodeURIComponent(name).replace(/['()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)

/** One range of bytes (RFC 9110, section 14). Null: the whole; several ranges, and what is no range, are answered with the whole too. */
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

/**
 * A file that a model made, out of the part of its stream: parsed, because a server of models may send anything, and held as it came, in
 * base64, because of a picture of 8 MB there should be no second copy.
 */
import * as z from 'zod/mini'
import { typeOf } from '../contract/file-signature.ts'
import { type FileType, fileTypes, type StoredType, unknownType } from '../contract/files.ts'
import { base64Of, bytesOfBase64, sliceLetters } from '../lib/base64.ts'
import { UnreadableModelError } from './model-errors.ts'

export type MadeBytes = {
  readonly kind: 'bytes'
  /** What its model says it is. */
  readonly mediaType: string
  readonly base64: string
  readonly sizeBytes: number
}

/** Kept by its vendor; an address that no page should open is none. */
export type MadeElsewhere = { readonly kind: 'elsewhere'; readonly mediaType: string; readonly url: string }

export type MadeFile = MadeBytes | MadeElsewhere

const filePart = z.object({
  mediaType: z.string(),
  data: z.union([
    z.object({ type: z.literal('data'), data: z.union([z.string(), z.instanceof(Uint8Array)]) }),
    z.object({ type: z.literal('url'), url: z.union([z.string(), z.instanceof(URL)]) }),
  ]),
})

const maxAddressChars = 4096

/** Null for one without a byte. Throws for what is no file. */
export function madeFileOf(part: unknown): MadeFile | null {
  const parsed = filePart.safeParse(part)
  if (!parsed.success) throw new UnreadableModelError('a file has no content', { cause: parsed.error })
  const { mediaType, data } = parsed.data
  if (data.type === 'data') return madeBytes(mediaType, typeof data.data === 'string' ? data.data : base64Of(data.data))
  const url = typeof data.url === 'string' ? data.url : data.url.href
  const inside = /^data:([^,]{0,200});base64,/i.exec(url)
  if (inside) return madeBytes(inside[1] || mediaType, url.slice(inside[0].length))
  return { kind: 'elsewhere', mediaType: plainType(mediaType), url: isPublic(url) ? url : '' }
}

const isPublic = (url: string): boolean => url.length <= maxAddressChars && URL.canParse(url) && new URL(url).protocol === 'https:'

const letters = /^[A-Za-z0-9+/]*$/

function madeBytes(mediaType: string, given: string): MadeBytes | null {
  const base64 = plainBase64(given)
  if (base64 === '') return null
  return { kind: 'bytes', mediaType: plainType(mediaType), base64, sizeBytes: Math.floor((base64.length * 3) / 4) }
}

/** Without padding and lines, in the usual letters. */
function plainBase64(given: string): string {
  const end = given.endsWith('==') ? -2 : given.endsWith('=') ? -1 : given.length
  const base64 = given.slice(0, end)
  const plain = letters.test(base64)
    ? base64
    : base64
        .replace(/[\s=]+/g, '')
        .replaceAll('-', '+')
        .replaceAll('_', '/')
  if (!letters.test(plain) || plain.length % 4 === 1) throw new UnreadableModelError('a file is not in base64')
  return plain
}

/** Without parameters, of which some have a meaning in an address. */
function plainType(mediaType: string): string {
  const [plain = ''] = mediaType.toLowerCase().split(/[;,]/)
  return /^[a-z]{1,20}\/[a-z0-9.+-]{1,80}$/.test(plain.trim()) ? plain.trim() : unknownType
}

/**
 * The same for the same file, null for one of which nothing is known. Of its content no more than this is held to tell whether the next is
 * another: two numbers, each made of every letter, which no two files of one answer share unless somebody sets out to make them.
 */
export function printOf(made: MadeFile): string | null {
  const content = made.kind === 'bytes' ? made.base64 : made.url
  if (content === '') return null
  let [one, other] = [0, 0]
  for (let at = 0; at < content.length; at++) {
    const letter = content.charCodeAt(at)
    one = Math.imul(one ^ letter, 0x01000193)
    other = Math.imul(other + letter, 0x9e3779b1) ^ (other >>> 15)
  }
  return `${made.mediaType} ${content.length} ${one} ${other}`
}

/** Some at a time. */
export function* bytesOf({ base64 }: MadeBytes): Generator<Uint8Array> {
  for (let at = 0; at < base64.length; at += sliceLetters) yield bytesOfBase64(base64.slice(at, at + sliceLetters))
}

/** What it is by its bytes. Text is what is UTF-8 to its end; what is nothing that we know is only ever saved. */
export function foundType(made: MadeBytes): StoredType {
  let type: FileType | null = null
  const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })
  try {
    for (const bytes of bytesOf(made)) {
      type ??= typeOf(bytes)
      if (type !== 'text/plain') return type ?? unknownType
      if (bytes.includes(0)) return unknownType
      text.decode(bytes, { stream: true })
    }
    text.decode()
    return type ?? unknownType
  } catch {
    // It began as text and is none.
    return unknownType
  }
}

/** What it is called by: its model may say which kind of text it is, or of what we do not know; never that it is one of those we do. */
export const namedType = (found: StoredType, { mediaType }: MadeBytes): string =>
  (found === 'text/plain' || found === unknownType) && !fileTypes.some((type) => type === mediaType) ? mediaType : found

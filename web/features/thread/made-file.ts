/**
 * A file that a model made, as it can be shown. What is stored here says what it is, because that was found in its bytes; of what stands in the
 * answer itself only the address decides, whatever its vendor calls it. Only pictures that run nothing are drawn. Pure.
 */
import { isFileAddress } from '../../../worker/contract/files.ts'
import { endingOf, isPicture, madeFileName } from '../../../worker/contract/made-files.ts'
import type { FilePart } from '../../../worker/contract/messages.ts'

export type MadeFile =
  | { readonly kind: 'picture'; readonly name: string; readonly url: string }
  | { readonly kind: 'download'; readonly name: string; readonly url: string; readonly type: string; readonly sizeBytes: number }
  /** Kept by its vendor and not here. */
  | { readonly kind: 'elsewhere'; readonly name: string; readonly url: string; readonly host: string }
  | { readonly kind: 'unknown'; readonly name: string }

const inside = /^data:([a-z]+\/[a-z0-9.+-]+)(?:;[a-z0-9=._-]+)*;base64,/i
/** Of something. */
const letters = /[A-Za-z0-9+/]{4}/y

/** `number`: which of the files of its answer it is. */
export function madeFile(part: FilePart, number: number): MadeFile {
  const { url } = part
  if (isFileAddress(url)) return storedFile(part, number)
  const data = inside.exec(url)
  if (data) return inlineFile(url, (data[1] ?? '').toLowerCase(), data[0].length, number)
  const address = URL.canParse(url) ? new URL(url) : null
  if (address?.protocol === 'https:') return { kind: 'elsewhere', name: `File ${number}`, url: address.href, host: address.host }
  return { kind: 'unknown', name: `File ${number}` }
}

function storedFile({ url, mediaType, filename, sizeBytes = 0 }: FilePart, number: number): MadeFile {
  const name = filename ?? madeFileName(mediaType, number)
  if (isPicture(mediaType)) return { kind: 'picture', name, url }
  return { kind: 'download', name, url, type: (name.split('.').at(-1) ?? '').toUpperCase(), sizeBytes }
}

/** In an answer of before, or where nothing is stored. */
function inlineFile(url: string, mediaType: string, from: number, number: number): MadeFile {
  letters.lastIndex = from
  if (isPicture(mediaType) && letters.test(url)) return { kind: 'picture', name: madeFileName(mediaType, number), url }
  const ending = endingOf(mediaType)
  const sizeBytes = Math.floor(((url.length - from) * 3) / 4)
  return { kind: 'download', name: `File ${number}.${ending}`, url, type: ending.toUpperCase(), sizeBytes }
}

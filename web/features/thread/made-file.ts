/**
 * A file that a model made, as it can be shown. A vendor names it as it likes, so only the address itself decides, and only pictures that
 * run nothing are drawn; an SVG is a document with scripts. Pure.
 */
import type { FilePart } from '../../../worker/contract/messages.ts'

export type MadeFile =
  | { readonly kind: 'picture'; readonly name: string; readonly url: string }
  | { readonly kind: 'download'; readonly name: string; readonly url: string; readonly type: string; readonly sizeBytes: number }
  /** Kept by its vendor and not here. */
  | { readonly kind: 'elsewhere'; readonly name: string; readonly url: string; readonly host: string }
  | { readonly kind: 'unknown'; readonly name: string }

const pictures = /^data:image\/(png|jpeg|gif|webp);base64,(?=[A-Za-z0-9+/]{4})/
const anything = /^data:([a-z]+\/[a-z0-9.+-]+)(?:;[a-z0-9=._-]+)*;base64,/i

/** By media type, where the second half of it is no ending. */
const endings: { readonly [mediaType: string]: string } = {
  'image/jpeg': 'jpg',
  'image/svg+xml': 'svg',
  'text/plain': 'txt',
  'text/markdown': 'md',
  'audio/mpeg': 'mp3',
}

/** `number`: which of the files of its answer it is. */
export function madeFile({ url }: FilePart, number: number): MadeFile {
  const picture = pictures.exec(url)
  if (picture) return { kind: 'picture', name: `Picture ${number}.${endingOf(`image/${picture[1]}`)}`, url }
  const data = anything.exec(url)
  if (data) {
    const ending = endingOf(data[1]?.toLowerCase() ?? '')
    const sizeBytes = Math.floor(((url.length - data[0].length) * 3) / 4)
    return { kind: 'download', name: `File ${number}.${ending}`, url, type: ending.toUpperCase(), sizeBytes }
  }
  const address = URL.canParse(url) ? new URL(url) : null
  if (address?.protocol === 'https:') return { kind: 'elsewhere', name: `File ${number}`, url: address.href, host: address.host }
  return { kind: 'unknown', name: `File ${number}` }
}

function endingOf(mediaType: string): string {
  const second = mediaType.split('/')[1] ?? ''
  return endings[mediaType] ?? (/^[a-z0-9]{1,5}$/.test(second) ? second : 'bin')
}

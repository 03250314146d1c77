/**
 * What a model makes besides words: how large it may be, and what it is called. A vendor names no file, so its place in the answer does, and
 * its type, which was found in its bytes.
 */
import { maxImageBytes } from './limits.ts'

/** As large as a picture that a person attaches, whatever it is. */
export const maxMadeFileBytes = maxImageBytes

/** By media type, where the second half of it is no ending. */
const endings: { readonly [mediaType: string]: string } = {
  'image/jpeg': 'jpg',
  'image/svg+xml': 'svg',
  'text/plain': 'txt',
  'text/markdown': 'md',
  'audio/mpeg': 'mp3',
}

export function endingOf(mediaType: string): string {
  const second = mediaType.split('/')[1] ?? ''
  return endings[mediaType] ?? (/^[a-z0-9]{1,5}$/.test(second) ? second : 'bin')
}

/** Those that a page draws: they run nothing. An SVG is a document with scripts. */
const pictures: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp'])
export const isPicture = (mediaType: string): boolean => pictures.has(mediaType)

/** `number`: which of the files of its answer it is. */
export const madeFileName = (mediaType: string, number: number): string =>
  `${isPicture(mediaType) ? 'Picture' : 'File'} ${number}.${endingOf(mediaType)}`

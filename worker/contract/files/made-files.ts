/**
 * Files that a model generates: size limit and names. Providers send no file name, so the name is built from the position in the answer and
 * the detected type.
 */
import { maxImageBytes } from '../limits.ts'

/** The same limit for every type. */
export const maxMadeFileBytes = maxImageBytes

/** Extensions of media types whose subtype is not a usable extension. */
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

/** Types that the page renders as images. SVG is excluded, because it can contain scripts. */
const pictures: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp'])
export const isPicture = (mediaType: string): boolean => pictures.has(mediaType)

/** `number`: position among the generated files of the answer. */
export const madeFileName = (mediaType: string, number: number): string =>
  `${isPicture(mediaType) ? 'Picture' : 'File'} ${number}.${endingOf(mediaType)}`

/** Earlier files of a branch that the chosen model cannot read. The model receives only their names, and the page shows a note. Pure. */
import { canRead, fileKindOf, filesOf } from './files.ts'
import type { ChatMessage } from './messages.ts'

type Reader = Parameters<typeof canRead>[0]

/**
 * A description such as "2 images and PDF" with the number of files. Null if the model reads all files. Generated files are not counted.
 */
export function unseenFiles(model: Reader, messages: readonly ChatMessage[]): { readonly what: string; readonly count: number } | null {
  const unseen = messages
    .flatMap((message) => (message.role === 'user' ? filesOf(message) : []))
    .map(({ mediaType }) => fileKindOf(mediaType))
    .filter((kind) => !canRead(model, kind))
  if (unseen.length === 0) return null
  const images = unseen.filter((kind) => kind === 'image').length
  const what = [countOf(images, 'image'), countOf(unseen.length - images, 'PDF')].filter(Boolean).join(' and ')
  return { what, count: unseen.length }
}

const countOf = (count: number, name: string): string => (count === 0 ? '' : count === 1 ? name : `${count} ${name}s`)

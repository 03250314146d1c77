/** Earlier files of a branch that the chosen model cannot read. The model receives only their names, and the page shows a note. Pure. */

import type { ChatMessage } from '../threads/messages.ts'
import { canRead, fileKindOf, filesOf } from './files.ts'

type Reader = Parameters<typeof canRead>[0]

export type UnseenFiles = { readonly images: number; readonly documents: number }

/** Null if the model reads all files. Generated files are not counted. */
export function unseenFiles(model: Reader, messages: readonly ChatMessage[]): UnseenFiles | null {
  const unseen = messages
    .flatMap((message) => (message.role === 'user' ? filesOf(message) : []))
    .map(({ mediaType }) => fileKindOf(mediaType))
    .filter((kind) => !canRead(model, kind))
  const images = unseen.filter((kind) => kind === 'image').length
  return unseen.length === 0 ? null : { images, documents: unseen.length - images }
}

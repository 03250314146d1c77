/** Files said earlier on a branch that a model cannot read: it is told of them by name, and the person is told that. Pure. */
import { canRead, fileKindOf, filesOf } from './files.ts'
import type { ChatMessage } from './messages.ts'

type Reader = Parameters<typeof canRead>[0]

/** In words, like "2 images and PDF", with how many they are; null when it can read them all. What a model made is none of them. */
export function unseenFiles(model: Reader, said: readonly ChatMessage[]): { readonly what: string; readonly count: number } | null {
  const unseen = said
    .flatMap((message) => (message.role === 'user' ? filesOf(message) : []))
    .map(({ mediaType }) => fileKindOf(mediaType))
    .filter((kind) => !canRead(model, kind))
  if (unseen.length === 0) return null
  const images = unseen.filter((kind) => kind === 'image').length
  const what = [countOf(images, 'image'), countOf(unseen.length - images, 'PDF')].filter(Boolean).join(' and ')
  return { what, count: unseen.length }
}

const countOf = (count: number, name: string): string => (count === 0 ? '' : count === 1 ? name : `${count} ${name}s`)

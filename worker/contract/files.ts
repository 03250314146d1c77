/**
 * What may be attached to a message, what is said of it, and which model can read it. Both sides decide by these functions.
 * A file is stored once under its id; a message shows it by the address that follows from the id.
 */
import * as z from 'zod/mini'
import { type Refusal, refusal } from './errors.ts'
import { idSchema } from './ids.ts'
import { maxDocumentBytes, maxFileNameChars, maxFilesPerMessage, maxImageBytes, maxTextBytes, maxThumbnailBytes } from './limits.ts'
import type { FilePart, MessagePart } from './messages.ts'
import type { Capability } from './schema.ts'
import { withoutEnd } from './text-end.ts'

/** Found in the content, never taken from a name or a header. All text is plain text: nothing of it is ever run or drawn. */
export const fileTypes = ['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'application/pdf', 'text/plain'] as const
export type FileType = (typeof fileTypes)[number]
/** A model may make what nobody may attach; that is kept, and only ever saved. */
export const unknownType = 'application/octet-stream'
export type StoredType = FileType | typeof unknownType
export type FileKind = 'image' | 'document' | 'text'

export const fileKindOf = (mediaType: string): FileKind =>
  mediaType.startsWith('image/') ? 'image' : mediaType === 'application/pdf' ? 'document' : 'text'

export const maxBytesOf: { readonly [Kind in FileKind]: number } = {
  image: maxImageBytes,
  document: maxDocumentBytes,
  text: maxTextBytes,
}
export const maxFileBytes = Math.max(...Object.values(maxBytesOf))

const attachedFile = z.object({
  id: idSchema,
  name: z.string().check(z.minLength(1), z.maxLength(maxFileNameChars)),
  mediaType: z.enum(fileTypes),
  sizeBytes: z.int().check(z.gte(1)),
})

/** A stored file, as its upload was answered. */
export type AttachedFile = z.infer<typeof attachedFile>

const areDifferent = (files: readonly AttachedFile[]): boolean => new Set(files.map(({ id }) => id)).size === files.length

/** A file named twice would be told to the model twice. */
export const filesArg = z.optional(z.array(attachedFile).check(z.maxLength(maxFilesPerMessage, 'too_many_files'), z.refine(areDifferent)))

/** What a browser kept; none, when that cannot be read any more. */
export const parseFiles = (value: unknown): readonly AttachedFile[] => z.array(attachedFile).safeParse(value).data ?? []

const address = '/api/files/'
export const fileAddress = (id: string): string => address + id
export const isFileAddress = (url: string): boolean => url.startsWith(address) && idSchema.safeParse(url.slice(address.length)).success

/** Whether a small picture stands for it where it is shown small. A GIF moves, which no small one does. */
export const hasThumbnail = ({ mediaType, sizeBytes }: Pick<FilePart, 'mediaType'> & Pick<AttachedFile, 'sizeBytes'>): boolean =>
  fileKindOf(mediaType) === 'image' && mediaType !== 'image/gif' && sizeBytes > maxThumbnailBytes

/** Where a picture is fetched to be shown small. Until there is a small one, its address gives the picture itself. */
export const thumbnailAddress = (file: Pick<AttachedFile, 'id' | 'mediaType' | 'sizeBytes'>): string =>
  hasThumbnail(file) ? `${fileAddress(file.id)}/thumbnail` : fileAddress(file.id)

export const filePart = ({ id, name, mediaType, sizeBytes }: AttachedFile): FilePart => ({
  type: 'file',
  mediaType,
  url: fileAddress(id),
  filename: name,
  sizeBytes,
})

/** The stored files that a message shows. One that its answer holds itself is none of them. */
export const filesOf = ({ parts }: { readonly parts: readonly MessagePart[] }): readonly AttachedFile[] =>
  parts.flatMap((part) => {
    if (!isFilePart(part) || !part.url.startsWith(address)) return []
    const { url, mediaType, filename = '', sizeBytes = 0 } = part
    const mediaTypeKnown = fileTypes.find((type) => type === mediaType)
    return mediaTypeKnown ? [{ id: url.slice(address.length), name: filename, mediaType: mediaTypeKnown, sizeBytes }] : []
  })

const isFilePart = (part: MessagePart): part is FilePart => part.type === 'file'

type ModelFacts = { readonly capabilities?: readonly Capability[] | null | undefined }

/** Whether this model reads a file of this kind. Text is told to every model. */
export const canRead = ({ capabilities }: ModelFacts, kind: FileKind): boolean =>
  kind === 'text' || (capabilities?.includes(kind === 'image' ? 'vision' : 'documents') ?? false)

/** Why this model cannot be asked about these files, or null when it can. */
export function fileRefusal(model: ModelFacts | null | undefined, files: readonly Pick<AttachedFile, 'mediaType'>[]): Refusal | null {
  if (!model) return null
  const unread = files.map(({ mediaType }) => fileKindOf(mediaType)).find((kind) => !canRead(model, kind))
  return unread ? refusal(unread === 'image' ? 'images_unsupported' : 'documents_unsupported') : null
}

/**
 * The name as it is shown and stored: no path, nothing invisible, nothing that changes the direction of what follows, not too long,
 * and with its ending kept.
 */
export function cleanFileName(name: string): string {
  const last = name.normalize('NFC').split(/[/\\]/u).at(-1) ?? ''
  const shown = last.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+/gu, '').replace(/\s+/gu, ' ')
  const plain = withoutEnd(shown.replace(/^[\s.]+/u, ''), /[\s.]/u)
  if (plain === '') return 'file'
  const characters = [...plain]
  if (plain.length <= maxFileNameChars) return plain
  const ending = /\.[^.\s]{1,10}$/u.exec(plain)?.[0] ?? ''
  let start = ''
  for (const character of characters) {
    if (start.length + character.length + ending.length + 1 > maxFileNameChars) break
    start += character
  }
  return `${start}…${ending}`
}

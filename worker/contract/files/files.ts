/**
 * Attachments: allowed types, file parts of messages, and which models read which types. The client and the server use the same functions.
 * A file is stored once, and messages refer to it by the URL of its id.
 */
import * as z from 'zod/mini'
import { type Refusal, refusal } from '../errors.ts'
import { idSchema } from '../ids.ts'
import { maxDocumentBytes, maxFileNameChars, maxFilesPerMessage, maxImageBytes, maxTextBytes, maxThumbnailBytes } from '../limits.ts'
import { withoutEnd } from '../text.ts'
import type { FilePart, MessagePart } from '../threads/messages.ts'

/** Detected from the content, never from a name or header. Every text file is plain text and is never executed or rendered. */
export const fileTypes = ['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'application/pdf', 'text/plain'] as const
export type FileType = (typeof fileTypes)[number]
/**
 * A filter for the dialog that chooses files; every file is checked afterwards. Without HEIC, because iOS then converts photos to JPEG itself.
 */
export const offeredTypes =
  'image/png,image/jpeg,image/gif,image/webp,image/avif,image/bmp,application/pdf,text/*,.md,.csv,.json,.log,.yaml,.yml,.toml,.xml,.ts,.tsx,.js,.py,.sql'
/** Type of files that a model generated but that cannot be attached. The page offers them only as downloads. */
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

export const attachedFile = z.object({
  id: idSchema,
  name: z.string().check(z.minLength(1), z.maxLength(maxFileNameChars)),
  mediaType: z.enum(fileTypes),
  sizeBytes: z.int().check(z.gte(1)),
  /** The pages of a PDF. Null for other files. */
  pages: z.optional(z.nullable(z.int().check(z.gte(1)))),
})

/** A stored file, as returned by the upload. */
export type AttachedFile = z.infer<typeof attachedFile>

const areDifferent = (files: readonly AttachedFile[]): boolean => new Set(files.map(({ id }) => id)).size === files.length

/** A duplicate id would send the file to the model twice. */
export const filesArg = z.optional(z.array(attachedFile).check(z.maxLength(maxFilesPerMessage, 'too_many_files'), z.refine(areDifferent)))

/** Files that the browser stored. Empty if the stored value does not match the schema. */
export const parseFiles = (value: unknown): readonly AttachedFile[] => z.array(attachedFile).safeParse(value).data ?? []

const address = '/api/files/'
export const fileAddress = (id: string): string => address + id
export const isFileAddress = (url: string): boolean => url.startsWith(address) && idSchema.safeParse(url.slice(address.length)).success

/** True if small views use a thumbnail. A GIF is animated and a thumbnail is not. */
export const hasThumbnail = ({ mediaType, sizeBytes }: Pick<FilePart, 'mediaType'> & Pick<AttachedFile, 'sizeBytes'>): boolean =>
  fileKindOf(mediaType) === 'image' && mediaType !== 'image/gif' && sizeBytes > maxThumbnailBytes

export const filePart = ({ id, name, mediaType, sizeBytes, pages }: AttachedFile): FilePart => ({
  type: 'file',
  mediaType,
  url: fileAddress(id),
  filename: name,
  sizeBytes,
  ...(pages != null && { pages }),
})

/** The stored files of a message, without files that are inlined in the answer. */
export const filesOf = ({ parts }: { readonly parts: readonly MessagePart[] }): readonly AttachedFile[] =>
  parts.flatMap((part) => {
    if (!isFilePart(part) || !part.url.startsWith(address)) return []
    const { url, mediaType, filename = '', sizeBytes = 0, pages } = part
    const mediaTypeKnown = fileTypes.find((type) => type === mediaType)
    if (!mediaTypeKnown) return []
    return [{ id: url.slice(address.length), name: filename, mediaType: mediaTypeKnown, sizeBytes, ...(pages !== undefined && { pages }) }]
  })

export const isFilePart = (part: MessagePart): part is FilePart => part.type === 'file'

/** Abilities of a model in addition to text. */
export const capabilities = ['tools', 'reasoning', 'vision', 'documents'] as const
export type Capability = (typeof capabilities)[number]

export type ModelCapabilities = { readonly capabilities?: readonly Capability[] | null | undefined }

/** True if the model reads files of this kind. Every model reads text. */
export const canRead = ({ capabilities }: ModelCapabilities, kind: FileKind): boolean =>
  kind === 'text' || (capabilities?.includes(kind === 'image' ? 'vision' : 'documents') ?? false)

/** The reason why this model cannot read these files, or null. */
export function fileRefusal(
  model: ModelCapabilities | null | undefined,
  files: readonly Pick<AttachedFile, 'mediaType'>[],
): Refusal | null {
  if (!model) return null
  const unread = files.map(({ mediaType }) => fileKindOf(mediaType)).find((kind) => !canRead(model, kind))
  return unread ? refusal(unread === 'image' ? 'images_unsupported' : 'documents_unsupported') : null
}

/**
 * The display name of a file: without a path, invisible characters and bidi controls, at most `maxFileNameChars` long. A long name keeps
 * its extension.
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

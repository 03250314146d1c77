/**
 * A person's files as a model gets them. Messages carry a short placeholder for each; the bytes take its place while the request is on
 * its way (models/file-body.ts), so a document of 32 MB is never whole in memory. What a model cannot read, it is told of by name: a
 * question with such a file is refused before, but a conversation may have begun with another model.
 */
import type { UserContent } from 'ai'
import { type AttachedFile, canRead, fileKindOf, filesOf, fileTypes } from '../contract/files.ts'
import type { FilePart } from '../contract/messages.ts'
import type { RowOf } from '../contract/schema.ts'
import { readFiles } from '../db/attachments.ts'
import { type FileBindings, openFile } from '../db/file-store.ts'
import { contentDb } from '../db/shards.ts'
import { bytesOfBase64 } from '../lib/base64.ts'
import type { FileSlot, FileSlots } from './models/file-body.ts'
import { plainName, quotedName, quoteUntrusted } from './tools/untrusted.ts'

type Part = Exclude<UserContent, string>[number]

export type AttachedFiles = {
  readonly slots: FileSlots
  readonly partsOf: (file: AttachedFile) => readonly Part[]
  /** Of a file that a model made; nothing for a model that cannot read it, which is told of it in words all the same. */
  readonly madePartsOf: (file: FilePart) => readonly Part[]
}

export class MissingFileError extends Error {
  override readonly name = 'MissingFileError'
}

/** `open`: the bytes of one file of this person. */
export function attachFiles(model: Pick<RowOf<'model'>, 'capabilities'>, open: (id: string) => FileSlot['open']): AttachedFiles {
  const slots = new Map<string, FileSlot>()
  const mark = `file-${crypto.randomUUID()}`
  const partsOf = ({ id, name, mediaType, sizeBytes }: AttachedFile): readonly Part[] => {
    const kind = fileKindOf(mediaType)
    if (!canRead(model, kind))
      return [{ type: 'text', text: `[The person attached ${kinds[kind]} here, ${quotedName(name)}, which you cannot see.]` }]
    const placeholder = newPlaceholder()
    slots.set(placeholder, { encoding: kind === 'text' ? 'text' : 'base64', sizeBytes, open: open(id) })
    if (kind === 'text') return [{ type: 'text', text: quoteUntrusted(mark, `the attached file ${quotedName(name)}`, placeholder) }]
    return [{ type: 'file', mediaType, filename: plainName(name), data: placeholder }]
  }
  const madePartsOf = (made: FilePart): readonly Part[] => {
    const { mediaType } = made
    if (fileKindOf(mediaType) !== 'image' || !fileTypes.some((type) => type === mediaType) || !canRead(model, 'image')) return []
    const [stored] = filesOf({ parts: [made] })
    const slot = stored ? { sizeBytes: stored.sizeBytes, open: open(stored.id) } : inlineSlot(made.url)
    if (slot === null) return []
    const placeholder = newPlaceholder()
    slots.set(placeholder, { encoding: 'base64', ...slot })
    return [
      { type: 'text', text: '[The picture that was made in the answer before this message:]' },
      { type: 'file', mediaType, data: placeholder },
    ]
  }
  return { slots, partsOf, madePartsOf }
}

/** One that stands in its message as a whole. Null when nothing can be read there: it is the vendor's own writing. */
function inlineSlot(url: string): Omit<FileSlot, 'encoding'> | null {
  const base64 = /^data:[^,]*;base64,(.+)$/s.exec(url)?.[1]
  if (base64 === undefined) return null
  try {
    const bytes = bytesOfBase64(base64)
    return { sizeBytes: bytes.length, open: async () => new Blob([bytes]).stream() }
  } catch {
    return null
  }
}

const kinds = { image: 'an image', document: 'a PDF', text: 'a text' } as const

/** The store's files of one person; a row that is gone is an error of its own, which no second attempt mends. */
export const filesOfPerson =
  (env: FileBindings, userId: string) =>
  (id: string): FileSlot['open'] =>
  async () => {
    const [file] = await readFiles(contentDb(env, userId), userId, [id])
    if (!file) throw new MissingFileError('a file of the conversation is no longer stored')
    return openFile(env, file)
  }

const placeholderBytes = 24

/** Base64, because some of the SDK's packages decode it; no image begins with these letters, and nobody can guess the rest. */
const newPlaceholder = (): string => btoa(`parley${String.fromCharCode(...crypto.getRandomValues(new Uint8Array(placeholderBytes)))}`)

/**
 * Files that a model makes: parsed from its stream, and stored in R2 like an attachment, or in the answer itself where no bucket is bound. A file is
 * kept as base64 as it arrived, so that there is no second copy.
 *
 * The row exists before the object, and both before the file is shown. So a crash leaves at most a file that no message shows, which is
 * removed like an upload that was never sent, once its generation has ended.
 */
import * as z from 'zod/mini'
import type { Env } from '../../bindings.ts'
import { planOf } from '../../contract/access.ts'
import { typeOf } from '../../contract/files/file-signature.ts'
import { type FileType, fileAddress, fileKindOf, fileTypes, type StoredType, unknownType } from '../../contract/files/files.ts'
import { madeFileName, maxMadeFileBytes } from '../../contract/files/made-files.ts'
import { maxModelImageBytes, maxModelImageEdgePixels, storedFileBytes } from '../../contract/limits.ts'
import type { FilePart } from '../../contract/threads/messages.ts'
import { beginMadeFile, breakUpload, reserveOriginal } from '../../db/attachments.ts'
import { readAccountOf, readIsGuest } from '../../db/current-owner.ts'
import { readSubscriptions } from '../../db/customers.ts'
import { type FileBindings, storeMadeFile, storeVariant } from '../../db/file-store.ts'
import { newId } from '../../db/new-id.ts'
import { contentDb, directoryDb } from '../../db/shards.ts'
import { base64Of, bytesOfBase64, sliceChars } from '../../lib/base64.ts'
import { convertedImage } from '../../lib/images.ts'
import { withTimeout } from '../../lib/with-timeout.ts'
import { MadeFileError, UnreadableModelError } from './errors.ts'

export type MadeBytes = {
  readonly kind: 'bytes'
  /** The media type that the model names. */
  readonly mediaType: string
  readonly base64: string
  readonly sizeBytes: number
}

/** A file at the provider's address. Only https addresses are accepted. */
type MadeElsewhere = { readonly kind: 'elsewhere'; readonly mediaType: string; readonly url: string }

export type MadeFile = MadeBytes | MadeElsewhere

const filePart = z.object({
  mediaType: z.string(),
  data: z.union([
    z.object({ type: z.literal('data'), data: z.union([z.string(), z.instanceof(Uint8Array)]) }),
    z.object({ type: z.literal('url'), url: z.union([z.string(), z.instanceof(URL)]) }),
  ]),
})

const maxAddressChars = 4096

/** Null for an empty file. Throws if the part is not a file. */
export function madeFileOf(part: unknown): MadeFile | null {
  const parsed = filePart.safeParse(part)
  if (!parsed.success) throw new UnreadableModelError('a file has no content', { cause: parsed.error })
  const { mediaType, data } = parsed.data
  if (data.type === 'data') return madeBytes(mediaType, typeof data.data === 'string' ? data.data : base64Of(data.data))
  const url = typeof data.url === 'string' ? data.url : data.url.href
  const inside = /^data:([^,]{0,200});base64,/i.exec(url)
  if (inside) return madeBytes(inside[1] || mediaType, url.slice(inside[0].length))
  return { kind: 'elsewhere', mediaType: plainType(mediaType), url: isPublic(url) ? url : '' }
}

const isPublic = (url: string): boolean => url.length <= maxAddressChars && URL.canParse(url) && new URL(url).protocol === 'https:'

const base64Chars = /^[A-Za-z0-9+/]*$/

function madeBytes(mediaType: string, given: string): MadeBytes | null {
  const base64 = plainBase64(given)
  if (base64 === '') return null
  return { kind: 'bytes', mediaType: plainType(mediaType), base64, sizeBytes: Math.floor((base64.length * 3) / 4) }
}

/** Standard base64 without padding and line breaks. */
function plainBase64(given: string): string {
  const end = given.endsWith('==') ? -2 : given.endsWith('=') ? -1 : given.length
  const base64 = given.slice(0, end)
  const plain = base64Chars.test(base64)
    ? base64
    : base64
        .replace(/[\s=]+/g, '')
        .replaceAll('-', '+')
        .replaceAll('_', '/')
  if (!base64Chars.test(plain) || plain.length % 4 === 1) throw new UnreadableModelError('a file is not in base64')
  return plain
}

/** Without parameters, because some have a meaning in a data URL. */
function plainType(mediaType: string): string {
  const [plain = ''] = mediaType.toLowerCase().split(/[;,]/)
  return /^[a-z]{1,20}\/[a-z0-9.+-]{1,80}$/.test(plain.trim()) ? plain.trim() : unknownType
}

/** Decodes in pieces. */
export function* bytesOf({ base64 }: MadeBytes): Generator<Uint8Array> {
  for (let at = 0; at < base64.length; at += sliceChars) yield bytesOfBase64(base64.slice(at, at + sliceChars))
}

/** The media type by content. Valid UTF-8 is text; an unknown type can only be downloaded. */
export function foundType(made: MadeBytes): StoredType {
  let type: FileType | null = null
  const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })
  try {
    for (const bytes of bytesOf(made)) {
      type ??= typeOf(bytes)
      if (type !== 'text/plain') return type ?? unknownType
      if (bytes.includes(0)) return unknownType
      text.decode(bytes, { stream: true })
    }
    text.decode()
    return type ?? unknownType
  } catch {
    // The beginning is valid UTF-8 and the rest is not.
    return unknownType
  }
}

/** The stored media type. The model's own type counts only for kinds of text and for unknown types. */
export const namedType = (found: StoredType, { mediaType }: MadeBytes): string =>
  (found === 'text/plain' || found === unknownType) && !fileTypes.some((type) => type === mediaType) ? mediaType : found

/** Stores the file and returns its part. `number`: its position among the answer's files. Throws a `MadeFileError`. */
export type StoreMadeFile = (made: MadeFile, number: number) => Promise<FilePart>

/** Chosen: enough for scaling a picture and storing 8 MB in a slow store. */
const storeTimeoutMs = 40_000

export const storedInline: StoreMadeFile = async (made) => ({
  type: 'file',
  mediaType: made.mediaType,
  url: made.kind === 'elsewhere' ? made.url : `data:${made.mediaType};base64,${padded(made.base64)}`,
})

const padded = (base64: string): string => base64 + '='.repeat((4 - (base64.length % 4)) % 4)

type FileOrigin = { readonly userId: string; readonly generationId: string }

type Bindings = FileBindings & Pick<Env, 'IMAGES'>

export function madeFileStore(env: Bindings, origin: FileOrigin): StoreMadeFile {
  if (!env.FILES) return storedInline
  return async (made, number) => {
    if (made.kind === 'elsewhere') return storedInline(made, number)
    if (made.sizeBytes > maxMadeFileBytes) throw new MadeFileError('made_file_too_large')
    try {
      return await withTimeout(storeTimeoutMs, store(env, origin, made, number), () => {
        throw new Error('the store does not respond')
      })
    } catch (cause) {
      throw cause instanceof MadeFileError ? cause : new MadeFileError('made_file_not_kept', { cause })
    }
  }
}

async function store(env: Bindings, { userId: startedBy, generationId }: FileOrigin, made: MadeBytes, number: number): Promise<FilePart> {
  const userId = (await readAccountOf(env, startedBy)) ?? startedBy
  const db = contentDb(env, userId)
  const foundAs = foundType(made)
  const copy = await copyForModels(env, made, foundAs)
  const mediaType = copy?.mediaType ?? foundAs
  const sizeBytes = copy?.bytes.byteLength ?? made.sizeBytes
  const file = { id: newId(), name: madeFileName(namedType(foundAs, made), number), mediaType, sizeBytes }
  const maxBytes = await storageLimitOf(env, userId)
  const shortage = await beginMadeFile(db, { ...file, userId, generationId }, maxBytes, Date.now())
  if (shortage) throw new MadeFileError(shortage.type)
  try {
    const open = () => (copy ? sizedBody([copy.bytes].values(), sizeBytes) : bodyOf(made))
    if (!(await storeMadeFile(env, userId, file, open, Date.now()))) throw new Error('its row was removed meanwhile')
  } catch (error) {
    // Frees the reserved bytes. If this fails, they are freed when the row is deleted.
    await breakUpload(db, file.id).catch(() => undefined)
    throw error
  }
  if (copy && foundAs !== unknownType) await storeOriginal(env, userId, made, { id: file.id, mediaType: foundAs, maxBytes })
  return { type: 'file', mediaType, url: fileAddress(file.id), filename: file.name, sizeBytes: file.sizeBytes }
}

type Copy = { readonly bytes: Uint8Array<ArrayBuffer>; readonly mediaType: FileType }

/**
 * A picture that is too large for models becomes the original of a scaled copy, like a picture that a user attaches. Null if it is small enough or
 * cannot be scaled; it is then stored as it is, and later requests only name it. A PNG may be transparent, so JPEG is tried only after it.
 */
async function copyForModels({ IMAGES }: Pick<Env, 'IMAGES'>, made: MadeBytes, type: StoredType): Promise<Copy | null> {
  if (!IMAGES || fileKindOf(type) !== 'image' || made.sizeBytes <= maxModelImageBytes) return null
  for (const mediaType of type === 'image/png' ? (['image/png', 'image/jpeg'] as const) : (['image/jpeg'] as const)) {
    const target = { type: mediaType, maxEdgePixels: maxModelImageEdgePixels, maxBytes: maxModelImageBytes }
    const bytes = await convertedImage(IMAGES, bodyOf(made), target)
    if (bytes) return { bytes, mediaType }
  }
  return null
}

/** If the storage is full, the answer has no picture, as without a copy. */
async function storeOriginal(
  env: FileBindings,
  userId: string,
  made: MadeBytes,
  { id, mediaType, maxBytes }: { readonly id: string; readonly mediaType: FileType; readonly maxBytes: number },
): Promise<void> {
  const db = contentDb(env, userId)
  const refused = await reserveOriginal(db, userId, { id, sizeBytes: made.sizeBytes }, maxBytes)
  if (refused?.type === 'file_missing') throw new Error('its row was removed meanwhile')
  if (refused) throw new MadeFileError(refused.type)
  if (!(await storeVariant(env, userId, id, 'original', bodyOf(made), mediaType))) throw new Error('its row was removed meanwhile')
}

const bodyOf = (made: MadeBytes): ReadableStream<Uint8Array> => sizedBody(bytesOf(made), made.sizeBytes)

/** R2 needs the length before the first byte, and reads as fast as it stores. */
function sizedBody(slices: Iterator<Uint8Array>, sizeBytes: number): ReadableStream<Uint8Array> {
  const { readable, writable } = new FixedLengthStream(sizeBytes)
  const source = new ReadableStream<Uint8Array>({
    pull(controller) {
      const { done, value } = slices.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
  })
  // The error of the store names the cause.
  source.pipeTo(writable).catch(() => undefined)
  return readable
}

async function storageLimitOf(env: FileBindings, userId: string): Promise<number> {
  const directory = directoryDb(env)
  const [shared, isAnonymous] = await Promise.all([readSubscriptions(directory, userId), readIsGuest(directory, userId)])
  return storedFileBytes[planOf({ isAnonymous, shared }, Date.now())]
}

/**
 * POST /api/files: uploads one file as the request body, streamed to R2. GET and HEAD /api/files/:id: its bytes, for its owner only. DELETE
 * /api/files/:id: deletes a file that was never sent.
 */
import type { SessionViewer } from '../auth/session.ts'
import { type Plan, planOf } from '../contract/access.ts'
import type { RefusalCode } from '../contract/errors.ts'
import { signatureBytes, typeOf } from '../contract/files/file-signature.ts'
import { type AttachedFile, cleanFileName, fileKindOf, hasThumbnail, maxBytesOf, maxFileBytes } from '../contract/files/files.ts'
import { typeRefusal } from '../contract/files/type-refusal.ts'
import type { FileBody } from '../contract/http.ts'
import { idSchema } from '../contract/ids.ts'
import { maxImageBytes, maxModelImageBytes, maxThumbnailBytes, storedFileBytes, uploadsPerHour } from '../contract/limits.ts'
import {
  beginUpload,
  breakUpload,
  readFile,
  readUploaded,
  releaseOriginal,
  reserveOriginal,
  type StorageRefusal,
  type StoredFile,
} from '../db/attachments.ts'
import { readSubscriptions } from '../db/customers.ts'
import { classifyD1Error } from '../db/errors.ts'
import {
  type ByteRange,
  discardFile,
  hasVariant,
  openFile,
  openVariant,
  type StoredVariant,
  storeFile,
  storeVariant,
} from '../db/file-store.ts'
import { newId } from '../db/new-id.ts'
import { contentDb, directoryDb } from '../db/shards.ts'
import { logger } from '../lib/logger.ts'
import { brokenBody, type OpenedBody, openBody, WrongBodyError } from './checked-body.ts'
import { type AppContext, readViewer, refuseWith } from './http.ts'

export async function handleUpload(c: AppContext): Promise<Response> {
  const refuse = async (code: Parameters<typeof refuseWith>[1]) => {
    await drain(c.req.raw.body)
    return refuseWith(c, code)
  }
  const sizeBytes = Number(c.req.header('content-length') ?? Number.NaN)
  // Above every limit, so the body is not read.
  if (sizeBytes > maxFileBytes) return refuseWith(c, 'file_too_large')
  const viewer = await readViewer(c)
  if (!viewer) return refuse('session_required')
  if (!c.var.settings.hasFiles) return refuse('files_unavailable')
  const uploadId = idSchema.safeParse(c.req.header('x-upload-id'))
  const name = nameFrom(c.req.header('x-file-name'))
  if (!uploadId.success || name === null || !Number.isInteger(sizeBytes)) return refuse('invalid_request')
  if (sizeBytes === 0 || !c.req.raw.body) return refuse('file_empty')

  const { userId } = viewer
  const db = contentDb(c.env, userId)
  const uploaded = await readUploaded(db, userId, uploadId.data)
  if (uploaded) {
    await drain(c.req.raw.body)
    return c.json({ file: uploaded } satisfies FileBody)
  }
  const body = await openBody(c.req.raw.body)
  const { type } = body
  if (type === null) {
    await body.drained()
    return refuseWith(c, typeRefusal(name).code)
  }
  const nowMs = Date.now()
  const plan = await planOfViewer(c, viewer, nowMs)
  const kind = fileKindOf(type)
  const isTooLarge = sizeBytes > maxBytesOf[kind]
  const isUnscaled = kind === 'image' && sizeBytes > maxModelImageBytes
  const upload = { id: newId(), userId, uploadId: uploadId.data, name, mediaType: type, sizeBytes }
  const limit = { maxBytes: storedFileBytes[plan], perHour: uploadsPerHour[plan] }
  const begun = isTooLarge
    ? ({ type: 'file_too_large' } as const)
    : isUnscaled
      ? ({ type: 'image_too_large' } as const)
      : await beginUpload(db, upload, limit, nowMs).catch(refusedUpload)
  if (begun.type !== 'begun') {
    await body.drained()
    return refuseUpload(c, begun)
  }
  const file: AttachedFile = { id: begun.id, name, mediaType: type, sizeBytes }
  return store(c, userId, uploadId.data, file, body)
}

/** The refusal of a guard: the guest was linked to an account after the session was read, or guests may store nothing more today. */
function refusedUpload(error: unknown): { readonly type: 'session_required' | 'guest_storage_reached' } {
  const failure = classifyD1Error(error)
  if (failure.kind === 'guard' && failure.code === 'guest_linked') return { type: 'session_required' }
  if (failure.kind === 'guard' && failure.code === 'guest_storage_reached') return { type: failure.code }
  throw error
}

async function store(c: AppContext, userId: string, uploadId: string, file: AttachedFile, body: OpenedBody): Promise<Response> {
  const db = contentDb(c.env, userId)
  const result = await saveBody(body, file, async (bytes) => {
    try {
      return await storeFile(c.env, userId, file, bytes, Date.now(), body.pages)
    } catch (error) {
      await breakUpload(db, file.id)
      throw error
    }
  })
  if ('code' in result) return refuseWith(c, result.code)
  if (result.saved) return c.json({ file: { ...file, pages: body.pages() } } satisfies FileBody, 201)
  // A later attempt with the same upload id took over. Respond with its result.
  const later = await readUploaded(db, userId, uploadId)
  return later ? c.json({ file: later } satisfies FileBody) : refuseWith(c, 'file_incomplete')
}

/** Streams the body into `save`. Returns a code if the body breaks off, or is not what its first bytes and its length promise. */
async function saveBody<T>(
  body: OpenedBody,
  { mediaType, sizeBytes }: Pick<AttachedFile, 'mediaType' | 'sizeBytes'>,
  save: (bytes: ReadableStream<Uint8Array>) => Promise<T>,
): Promise<{ readonly saved: T } | { readonly code: RefusalCode }> {
  // R2 requires the length before the first byte.
  const { readable, writable } = new FixedLengthStream(sizeBytes)
  // The error of this stream is the reason to report. R2 reports only that the stream failed.
  const passed = body
    .checked(mediaType, sizeBytes)
    .pipeTo(writable)
    .then(
      () => null,
      (error: unknown) => error,
    )
  try {
    return { saved: await save(readable) }
  } catch (error) {
    const reason = await passed
    await body.drained()
    if (reason instanceof WrongBodyError) return { code: reason.code }
    if (reason === null) throw error
    logger.warn('upload_broke_off')
    return { code: 'file_incomplete' }
  }
}

export async function handleFile(c: AppContext): Promise<Response> {
  const found = await ownFile(c)
  return found instanceof Response ? found : serveFile(c, found.file)
}

/** The requested file if the user owns it, otherwise the refusal. */
async function ownFile(c: AppContext): Promise<{ readonly viewer: SessionViewer; readonly file: StoredFile } | Response> {
  const viewer = await readViewer(c)
  if (!viewer) return refuseWith(c, 'session_required')
  const id = idSchema.safeParse(c.req.param('id'))
  const file = id.success ? await readFile(contentDb(c.env, viewer.userId), viewer.userId, id.data) : null
  return file ? { viewer, file } : refuseWith(c, 'not_found')
}

export async function serveFile(c: AppContext, file: StoredFile): Promise<Response> {
  const headers = new Headers(fileHeaders(file))
  if (isCachedByClient(c, file.etag)) return new Response(null, { status: 304, headers })
  const ifRange = c.req.header('if-range')
  // `Range` applies only to GET; other methods ignore it (RFC 9110, 14.2).
  const isAsked = c.req.method === 'GET' && (ifRange === undefined || ifRange === file.etag)
  const range = isAsked ? rangeOf(c.req.header('range'), file.sizeBytes) : null
  if (range === 'unsatisfiable') {
    c.header('content-range', `bytes */${file.sizeBytes}`)
    c.header('vary', 'cookie')
    return refuseWith(c, 'range_unsatisfiable')
  }
  const { offset, length } = range ?? { offset: 0, length: file.sizeBytes }
  if (range) headers.set('content-range', `bytes ${offset}-${offset + length - 1}/${file.sizeBytes}`)
  headers.set('content-length', String(length))
  const body = c.req.method === 'HEAD' ? null : await openFile(c.env, file, range ?? undefined)
  return new Response(body, { status: range ? 206 : 200, headers })
}

/** The variant of an image; or the file itself if it has no such variant. */
async function serveVariant(c: AppContext, file: StoredFile, variant: StoredVariant | null): Promise<Response> {
  if (!variant) return serveFile(c, file)
  const headers = new Headers(fileHeaders({ ...file, mediaType: variant.mediaType, etag: variant.etag }))
  // Images are not requested in parts.
  headers.delete('accept-ranges')
  if (c.req.method === 'GET' && !isCachedByClient(c, variant.etag)) {
    headers.set('content-length', String(variant.sizeBytes))
    return new Response(variant.body, { headers })
  }
  await variant.body.cancel()
  return new Response(null, { status: isCachedByClient(c, variant.etag) ? 304 : 200, headers })
}

/** True if the browser has this version cached. A compressing proxy makes the ETag weak, which is irrelevant here (RFC 9110, 13.1.2). */
const isCachedByClient = (c: AppContext, etag: string): boolean => {
  const asked = c.req.header('if-none-match')?.split(',') ?? []
  return asked.some((one) => one.trim() === '*' || one.trim().replace(/^W\//, '') === etag)
}

/** The response is the same for an own file, a foreign file and a missing file. */
export async function handleDiscard(c: AppContext): Promise<Response> {
  const viewer = await readViewer(c)
  if (!viewer) return refuseWith(c, 'session_required')
  const id = idSchema.safeParse(c.req.param('id'))
  if (id.success && c.var.settings.hasFiles) await discardFile(c.env, viewer.userId, id.data, Date.now())
  return c.body(null, 204)
}

function nameFrom(header: string | undefined): string | null {
  try {
    return header === undefined ? null : cleanFileName(decodeURIComponent(header))
  } catch {
    // Malformed percent-encoding.
    return null
  }
}

export const planOfViewer = async (c: AppContext, { userId, isAnonymous }: SessionViewer, nowMs: number): Promise<Plan> =>
  planOf({ isAnonymous, shared: await readSubscriptions(directoryDb(c.env), userId) }, nowMs)

/** Refuses a file for which there is no storage, or that may not be stored at all. */
const refuseUpload = (c: AppContext, refused: StorageRefusal | { readonly type: Exclude<RefusalCode, 'storage_held'> }): Response =>
  refuseWith(
    c,
    refused.type,
    undefined,
    refused.type === 'storage_held' ? { values: { heldBytes: refused.heldBytes, untilMs: refused.untilMs } } : {},
  )

/** Reads the body of a refused request. If the body is not read, the browser may see a broken connection instead of the response. */
export async function drain(body: ReadableStream<Uint8Array> | null): Promise<void> {
  await body?.pipeTo(new WritableStream()).catch(() => undefined)
}

/**
 * A file is never served as a page of our origin. Images and text are shown inline. Documents and unknown types are downloaded, because the
 * sandbox blocks PDF viewers.
 */
function fileHeaders({ name, mediaType, etag, storedAt }: StoredFile): Record<string, string> {
  const isShown = fileKindOf(mediaType) === 'image' || mediaType === 'text/plain'
  return {
    'content-type': mediaType === 'text/plain' ? 'text/plain; charset=utf-8' : mediaType,
    'content-disposition': `${isShown ? 'inline' : 'attachment'}; filename="${asciiName(name)}"; filename*=UTF-8''${encodedName(name)}`,
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
    'cross-origin-resource-policy': 'same-origin',
    'x-content-type-options': 'nosniff',
    'accept-ranges': 'bytes',
    etag,
    'last-modified': new Date(storedAt).toUTCString(),
    // Revalidated on every request, so that a signed-out user or a deleted file gets no cached copy.
    'cache-control': 'private, no-cache',
    vary: 'cookie',
  }
}

const asciiName = (name: string): string => name.replace(/[^\x20-\x7e]|["\\%]/g, '_')

/** RFC 8187: characters that encodeURIComponent keeps but the grammar forbids. */
const encodedName = (name: string): string =>
  encodeURIComponent(name).replace(/['()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)

/** One byte range (RFC 9110, section 14). Null: the whole file, also for multiple and invalid ranges. */
function rangeOf(header: string | undefined, sizeBytes: number): ByteRange | 'unsatisfiable' | null {
  const match = /^bytes=(\d*)-(\d*)$/.exec(header?.trim() ?? '')
  if (!match || (match[1] === '' && match[2] === '')) return null
  const [first, last] = [match[1], match[2]].map((digits) => (digits ? Number(digits) : null))
  if (first == null) {
    const length = Math.min(last ?? 0, sizeBytes)
    return length === 0 ? 'unsatisfiable' : { offset: sizeBytes - length, length }
  }
  if (last != null && last < first) return null
  if (first >= sizeBytes) return 'unsatisfiable'
  return { offset: first, length: Math.min(last ?? sizeBytes - 1, sizeBytes - 1) - first + 1 }
}

/**
 * POST /api/files/:id/original: the image as the user chose it. The file itself is the copy that the browser scaled for models.
 * GET: the original, or the file itself if models receive the image unscaled.
 */
export async function handleOriginalUpload(c: AppContext): Promise<Response> {
  const sizeBytes = Number(c.req.header('content-length') ?? Number.NaN)
  // Not worth reading to its end.
  if (sizeBytes > maxImageBytes) return refuseWith(c, 'file_too_large')
  const found = await ownFile(c)
  const isImage = !(found instanceof Response) && fileKindOf(found.file.mediaType) === 'image'
  if (!isImage || !c.req.raw.body || !(sizeBytes > 0)) {
    await drain(c.req.raw.body)
    if (found instanceof Response) return found
    return refuseWith(c, !isImage ? 'not_found' : sizeBytes === 0 ? 'file_empty' : 'invalid_request')
  }
  const { id } = found.file
  const { userId } = found.viewer
  const body = await openBody(c.req.raw.body)
  const { type } = body
  const isStored = await hasVariant(c.env, id, 'original')
  if (isStored || type === null || fileKindOf(type) !== 'image') {
    await body.drained()
    return isStored ? c.body(null, 204) : refuseWith(c, 'file_type')
  }
  const db = contentDb(c.env, userId)
  const maxBytes = storedFileBytes[await planOfViewer(c, found.viewer, Date.now())]
  const problem = await reserveOriginal(db, userId, { id, sizeBytes }, maxBytes).catch(refusedUpload)
  if (problem) {
    await body.drained()
    return refuseUpload(c, problem)
  }
  const result = await saveBody(body, { mediaType: type, sizeBytes }, async (bytes) => {
    try {
      return await storeVariant(c.env, userId, id, 'original', bytes, type)
    } catch (error) {
      // A request at the same time may have stored it.
      if (!(await hasVariant(c.env, id, 'original'))) await releaseOriginal(db, id)
      throw error
    }
  })
  if ('code' in result) return refuseWith(c, result.code)
  return result.saved ? c.body(null, 204) : refuseWith(c, 'not_found')
}

export async function handleOriginal(c: AppContext): Promise<Response> {
  const found = await ownFile(c)
  if (found instanceof Response) return found
  const { file } = found
  return serveVariant(c, file, file.originalBytes > 0 ? await openVariant(c.env, file, 'original') : null)
}

/**
 * POST /api/files/:id/thumbnail: stores a thumbnail that the browser created. GET: the thumbnail, or the original until one exists. Only
 * the owner sees it, so only its type and size are checked. It does not count as storage, because the original does.
 */
export async function handleThumbnailUpload(c: AppContext): Promise<Response> {
  const sizeBytes = Number(c.req.header('content-length') ?? Number.NaN)
  // Above the limit, so the body is not read.
  if (sizeBytes > maxThumbnailBytes) return refuseWith(c, 'file_too_large')
  const found = await ownFile(c)
  if (found instanceof Response || !hasThumbnail(found.file) || !Number.isInteger(sizeBytes)) {
    await drain(c.req.raw.body)
    if (found instanceof Response) return found
    return refuseWith(c, hasThumbnail(found.file) ? 'invalid_request' : 'not_found')
  }
  const { file, viewer } = found
  const bytes = await c.req.arrayBuffer().catch(brokenBody)
  const type = typeOf(new Uint8Array(bytes, 0, Math.min(bytes.byteLength, signatureBytes)))
  if (bytes.byteLength === 0) return refuseWith(c, 'file_empty')
  if (bytes.byteLength > maxThumbnailBytes) return refuseWith(c, 'file_too_large')
  if (type === null || fileKindOf(type) !== 'image') return refuseWith(c, 'file_type')
  if (await hasVariant(c.env, file.id, 'thumbnail')) return c.body(null, 204)
  const isStored = await storeVariant(c.env, viewer.userId, file.id, 'thumbnail', bytes, type)
  return isStored ? c.body(null, 204) : refuseWith(c, 'not_found')
}

export async function handleThumbnail(c: AppContext): Promise<Response> {
  const found = await ownFile(c)
  if (found instanceof Response) return found
  const { file } = found
  return serveVariant(c, file, hasThumbnail(file) ? await openVariant(c.env, file, 'thumbnail') : null)
}

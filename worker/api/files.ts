/**
 * POST /api/files: one file, the body as it is, streamed to R2. GET and HEAD /api/files/:id: its bytes, for its owner alone.
 * DELETE /api/files/:id: takes back what was never sent.
 */
import { viewerOf } from '../auth/session.ts'
import { planOf } from '../contract/access.ts'
import { type AttachedFile, cleanFileName, fileKindOf, maxBytesOf, maxFileBytes } from '../contract/files.ts'
import type { FileBody } from '../contract/http.ts'
import { idSchema } from '../contract/ids.ts'
import { storedFileBytes, uploadsPerHour } from '../contract/limits.ts'
import { beginUpload, breakUpload, readFile, readUploaded, type StoredFile } from '../db/attachments.ts'
import { readSubscriptions } from '../db/customers.ts'
import { classifyD1Error } from '../db/errors.ts'
import type { StorageRefusal } from '../db/file-storage-limit.ts'
import { discardFile, openFile, storeFile } from '../db/file-store.ts'
import { newId } from '../db/new-id.ts'
import { contentDb, directoryDb } from '../db/shards.ts'
import { logger } from '../lib/logger.ts'
import { type OpenedBody, openBody, WrongBodyError } from './checked-body.ts'
import { fileHeaders, rangeOf } from './file-headers.ts'
import { type AppContext, refuseWith } from './http.ts'

const whoAsks = (c: AppContext) => viewerOf(c.req.raw, c.env, c.var.settings)

export async function handleUpload(c: AppContext): Promise<Response> {
  const refuse = async (code: Parameters<typeof refuseWith>[1]) => {
    await drain(c.req.raw.body)
    return refuseWith(c, code)
  }
  const sizeBytes = Number(c.req.header('content-length') ?? Number.NaN)
  // Longer than anything we take: not worth reading to its end.
  if (sizeBytes > maxFileBytes) return refuseWith(c, 'file_too_large')
  const viewer = await whoAsks(c)
  if (!viewer) return refuse('session_required')
  if (!c.var.settings.hasFiles) return refuse('files_unavailable')
  const uploadId = idSchema.safeParse(c.req.header('x-upload-id'))
  const name = nameFrom(c.req.header('x-file-name'))
  if (!uploadId.success || name === null || !Number.isInteger(sizeBytes)) return refuse('invalid_request')
  if (sizeBytes === 0 || !c.req.raw.body) return refuse('file_empty')

  const { userId } = viewer
  const db = contentDb(c.env, userId)
  const known = await readUploaded(db, userId, uploadId.data)
  if (known) {
    await drain(c.req.raw.body)
    return c.json({ file: known } satisfies FileBody)
  }
  const body = await openBody(c.req.raw.body)
  const { type } = body
  if (type === null) {
    await body.drained()
    return refuseWith(c, 'file_type')
  }
  const nowMs = Date.now()
  const plan = planOf({ isAnonymous: viewer.isAnonymous, shared: await readSubscriptions(directoryDb(c.env), userId) }, nowMs)
  const isTooLarge = sizeBytes > maxBytesOf[fileKindOf(type)]
  const upload = { id: newId(), userId, uploadId: uploadId.data, name, mediaType: type, sizeBytes }
  const limit = { maxBytes: storedFileBytes[plan], perHour: uploadsPerHour[plan] }
  const begun = isTooLarge ? ({ type: 'file_too_large' } as const) : await beginUpload(db, upload, limit, nowMs).catch(endedSession)
  if (begun.type !== 'begun') {
    await body.drained()
    return refuseWith(c, begun.type, undefined, begun.type === 'storage_held' ? heldText(begun) : undefined)
  }
  const file: AttachedFile = { id: begun.id, name, mediaType: type, sizeBytes }
  return store(c, userId, uploadId.data, file, body)
}

/** The guest was linked to an account after the session was read. */
function endedSession(error: unknown): { readonly type: 'session_required' } {
  const failure = classifyD1Error(error)
  if (failure.kind === 'guard' && failure.code === 'handed_over') return { type: 'session_required' }
  throw error
}

async function store(c: AppContext, userId: string, uploadId: string, file: AttachedFile, body: OpenedBody): Promise<Response> {
  // R2 wants to know the length before the first byte.
  const { readable, writable } = new FixedLengthStream(file.sizeBytes)
  // Its reason is the one that counts: what the store says of a broken stream is that it broke.
  const passed = body
    .checked(file.mediaType, file.sizeBytes)
    .pipeTo(writable)
    .then(
      () => null,
      (error: unknown) => error,
    )
  try {
    if (await storeFile(c.env, userId, file, readable, Date.now())) return c.json({ file } satisfies FileBody, 201)
    // Sent again meanwhile: what the later attempt has become is the answer to this one too.
    const later = await readUploaded(contentDb(c.env, userId), userId, uploadId)
    return later ? c.json({ file: later } satisfies FileBody) : refuseWith(c, 'file_incomplete')
  } catch (error) {
    await breakUpload(contentDb(c.env, userId), file.id)
    const reason = await passed
    await body.drained()
    if (reason instanceof WrongBodyError) return refuseWith(c, reason.code)
    if (reason === null) throw error
    logger.warn('upload_broke_off')
    return refuseWith(c, 'file_incomplete')
  }
}

export async function handleFile(c: AppContext): Promise<Response> {
  const found = await ownFile(c)
  return found instanceof Response ? found : serveFile(c, found.file)
}

/** The file that the address names, if it is theirs; or what to answer instead. */
export async function ownFile(c: AppContext): Promise<{ readonly userId: string; readonly file: StoredFile } | Response> {
  const viewer = await whoAsks(c)
  if (!viewer) return refuseWith(c, 'session_required')
  const id = idSchema.safeParse(c.req.param('id'))
  const file = id.success ? await readFile(contentDb(c.env, viewer.userId), viewer.userId, id.data) : null
  return file ? { userId: viewer.userId, file } : refuseWith(c, 'not_found')
}

export async function serveFile(c: AppContext, file: StoredFile): Promise<Response> {
  const headers = new Headers(fileHeaders(file))
  if (isKnown(c, file.etag)) return new Response(null, { status: 304, headers })
  const ifRange = c.req.header('if-range')
  // A range is a part of what GET gives; asked with anything else it is passed over (RFC 9110, 14.2).
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

/** Whether the browser has it already. Whoever compressed it on the way calls it weak, which makes no difference here (RFC 9110, 13.1.2). */
export const isKnown = (c: AppContext, etag: string): boolean => {
  const asked = c.req.header('if-none-match')?.split(',') ?? []
  return asked.some((one) => one.trim() === '*' || one.trim().replace(/^W\//, '') === etag)
}

/** The same answer whether it was theirs, somebody else's, or nobody's. */
export async function handleDiscard(c: AppContext): Promise<Response> {
  const viewer = await whoAsks(c)
  if (!viewer) return refuseWith(c, 'session_required')
  const id = idSchema.safeParse(c.req.param('id'))
  if (id.success && c.var.settings.hasFiles) await discardFile(c.env, viewer.userId, id.data, Date.now())
  return c.body(null, 204)
}

function nameFrom(header: string | undefined): string | null {
  try {
    return header === undefined ? null : cleanFileName(decodeURIComponent(header))
  } catch {
    // Percent signs that encode nothing.
    return null
  }
}

/** States the size and the date, because deleting more would not free space before then. */
function heldText({ heldBytes, untilMs }: Extract<StorageRefusal, { type: 'storage_held' }>): string {
  const day = new Date(untilMs).toLocaleDateString('en-GB', { day: 'numeric', month: 'long', timeZone: 'UTC' })
  const size = `${Math.ceil(heldBytes / 1024 / 1024)} MB`
  return `${size} of your storage are files of what you deleted, which stay for 30 days before they go. There is room for this one after ${day}.`
}

/** An answer to a body that nobody read may be lost with the connection; the browser would only see that it broke. */
export async function drain(body: ReadableStream<Uint8Array> | null): Promise<void> {
  await body?.pipeTo(new WritableStream()).catch(() => undefined)
}

/**
 * POST /api/files/:id/thumbnail: stores a thumbnail that the browser created. GET: the thumbnail, or the original until one exists. Only
 * the owner sees it, so only its type and size are checked. It does not count as storage, because the original does.
 */
import { signatureBytes, typeOf } from '../contract/file-signature.ts'
import { fileKindOf, hasThumbnail } from '../contract/files.ts'
import { maxThumbnailBytes } from '../contract/limits.ts'
import { hasVariant, openVariant, storeVariant } from '../db/file-store.ts'
import { brokenBody } from './checked-body.ts'
import { drain, ownFile, serveVariant } from './files.ts'
import { type AppContext, refuseWith } from './http.ts'

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

/**
 * POST /api/files/:id/thumbnail: the small picture of a large one, made by the browser that attached it. GET: that, or while there is none
 * the picture itself. It is its owner's own and shown to nobody else, so what is in it is their business as with the file; only its kind
 * and its size are checked. It counts for nobody's storage: it is smaller than the picture, which does.
 */
import { signatureBytes, typeOf } from '../contract/file-signature.ts'
import { fileKindOf, hasThumbnail } from '../contract/files.ts'
import { maxThumbnailBytes } from '../contract/limits.ts'
import { openThumbnail, storeThumbnail } from '../db/file-store.ts'
import { fileHeaders } from './file-headers.ts'
import { drain, isKnown, ownFile, serveFile } from './files.ts'
import { type AppContext, refuseWith } from './http.ts'

export async function handleThumbnailUpload(c: AppContext): Promise<Response> {
  const sizeBytes = Number(c.req.header('content-length') ?? Number.NaN)
  // Longer than anything we take: not worth reading to its end.
  if (sizeBytes > maxThumbnailBytes) return refuseWith(c, 'file_too_large')
  const found = await ownFile(c)
  if (found instanceof Response || !hasThumbnail(found.file) || !Number.isInteger(sizeBytes)) {
    await drain(c.req.raw.body)
    if (found instanceof Response) return found
    return refuseWith(c, hasThumbnail(found.file) ? 'invalid_request' : 'not_found')
  }
  const bytes = await c.req.arrayBuffer()
  const type = typeOf(new Uint8Array(bytes, 0, Math.min(bytes.byteLength, signatureBytes)))
  if (bytes.byteLength === 0) return refuseWith(c, 'file_empty')
  if (bytes.byteLength > maxThumbnailBytes) return refuseWith(c, 'file_too_large')
  if (type === null || fileKindOf(type) !== 'image') return refuseWith(c, 'file_type')
  return (await storeThumbnail(c.env, found.userId, found.file.id, bytes, type)) ? c.body(null, 204) : refuseWith(c, 'not_found')
}

export async function handleThumbnail(c: AppContext): Promise<Response> {
  const found = await ownFile(c)
  if (found instanceof Response) return found
  const { file } = found
  const small = hasThumbnail(file) ? await openThumbnail(c.env, file) : null
  if (!small) return serveFile(c, file)
  const headers = new Headers(fileHeaders({ ...file, mediaType: small.mediaType, etag: small.etag }))
  // It is small: nobody needs a part of it.
  headers.delete('accept-ranges')
  if (c.req.method === 'GET' && !isKnown(c, small.etag)) {
    headers.set('content-length', String(small.sizeBytes))
    return new Response(small.body, { headers })
  }
  await small.body.cancel()
  return new Response(null, { status: isKnown(c, small.etag) ? 304 : 200, headers })
}

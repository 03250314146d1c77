/**
 * POST /api/files/:id/original: the image as the user chose it. The file itself is the copy that the browser scaled for models.
 * GET: the original, or the file itself if models receive the image unscaled.
 */
import { fileKindOf } from '../contract/files.ts'
import { maxImageBytes, storedFileBytes } from '../contract/limits.ts'
import { releaseOriginal, reserveOriginal } from '../db/attachments.ts'
import { hasVariant, openVariant, storeVariant } from '../db/file-store.ts'
import { contentDb } from '../db/shards.ts'
import { openBody } from './checked-body.ts'
import { drain, ownFile, planOfViewer, refusedUpload, refuseUpload, saveBody, serveVariant } from './files.ts'
import { type AppContext, refuseWith } from './http.ts'

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

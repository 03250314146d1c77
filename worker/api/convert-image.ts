/**
 * POST /api/files/convert: converts an image that the browser cannot decode, such as a HEIC photo, to JPEG. Stores nothing: the page uploads
 * the JPEG like an image that it has converted.
 */
import { createCounter } from '../auth/counters.ts'
import { isHeif, signatureBytes } from '../contract/files/file-signature.ts'
import { maxConvertedEdgePixels, maxConvertibleBytes, maxImageBytes, uploadsPerHour } from '../contract/limits.ts'
import { convertedImage } from '../lib/images.ts'
import { brokenBody } from './checked-body.ts'
import { drain, planOfViewer } from './files.ts'
import { type AppContext, readViewer, refuseWith } from './http.ts'

export async function handleConvert(c: AppContext): Promise<Response> {
  const refuse = async (code: Parameters<typeof refuseWith>[1]) => {
    await drain(c.req.raw.body)
    return refuseWith(c, code)
  }
  const { settings } = c.var
  const sizeBytes = Number(c.req.header('content-length') ?? Number.NaN)
  // Too large to drain.
  if (sizeBytes > maxConvertibleBytes) return refuseWith(c, 'file_too_large')
  const viewer = await readViewer(c)
  if (!viewer) return refuse('session_required')
  if (!settings.hasFiles) return refuse('files_unavailable')
  if (!Number.isInteger(sizeBytes)) return refuse('invalid_request')
  const { IMAGES } = c.env
  if (!IMAGES) return refuse('image_format')
  const nowMs = Date.now()
  const maxPerHour = uploadsPerHour[await planOfViewer(c, viewer, nowMs)]
  const { count } = await createCounter(c.env, settings.redis, () => nowMs)(`convert:${viewer.userId}`, 3600)
  if (count > maxPerHour) return refuse('uploads_too_often')
  const image = new Uint8Array(await c.req.arrayBuffer().catch(brokenBody))
  if (image.byteLength > maxConvertibleBytes || !isHeif(image.subarray(0, signatureBytes))) return refuseWith(c, 'image_format')
  const target = { type: 'image/jpeg', maxEdgePixels: maxConvertedEdgePixels, maxBytes: maxImageBytes } as const
  const jpeg = await convertedImage(IMAGES, new Blob([image]).stream(), target)
  return jpeg ? c.body(jpeg, 200, { 'content-type': target.type, 'cache-control': 'no-store' }) : refuseWith(c, 'image_format')
}

/** Converts and scales images through the Images binding of Cloudflare. */
import { checkedBody, failAbove } from './bounded-body.ts'
import { logger } from './logger.ts'
import { withTimeout } from './with-timeout.ts'

type Target = {
  readonly type: 'image/jpeg' | 'image/png' | 'image/webp' | 'image/gif'
  /** A larger image is scaled down. */
  readonly maxEdgePixels: number
  readonly maxBytes: number
}

/** Chosen: a photo of 12 megapixels takes about a second. */
const convertWithinMs = 15_000
/** Chosen: no visible loss. */
const quality = 90

/**
 * Null if Images cannot read the image or does not answer, or if the result is too large. Images turns a photo upright and removes its
 * metadata, such as the location.
 */
export async function convertedImage(
  images: ImagesBinding,
  body: ReadableStream<Uint8Array>,
  { type, maxEdgePixels, maxBytes }: Target,
): Promise<Uint8Array<ArrayBuffer> | null> {
  const convert = async () => {
    const size = { width: maxEdgePixels, height: maxEdgePixels, fit: 'scale-down' } as const
    const result = await images.input(body).transform(size).output({ format: type, quality })
    return new Uint8Array(await new Response(checkedBody(result.image(), failAbove(maxBytes))).arrayBuffer())
  }
  try {
    return await withTimeout(convertWithinMs, convert(), () => {
      throw new Error('Images does not answer')
    })
  } catch (error) {
    logger.warn('image_not_converted', { reason: error instanceof Error ? error.name : 'unknown' })
    return null
  }
}

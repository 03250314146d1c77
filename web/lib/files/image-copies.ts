/** Smaller copies of an image, made in the browser because a Worker would need megabytes of codec. */
import { maxImageBytes, maxModelImageBytes, maxModelImageEdgePixels, maxThumbnailBytes } from '../../../worker/contract/limits.ts'
import { isTurned } from './image-orientation.ts'

type Area = { readonly width: number; readonly height: number }
type Format = { readonly type: string; readonly quality: number }

/** Chosen: the largest tile is 288 × 224 points. The size is exact at two pixels a point and slightly soft at three. */
const tile = { width: 576, height: 448 }

/** Tried in turn until one is small enough. A browser that cannot write WebP writes PNG, which keeps transparency. */
const thumbnailFormats: readonly Format[] = [0.8, 0.5].map((quality) => ({ type: 'image/webp', quality }))

/** Null if this browser cannot decode the image, or the copy does not become small enough: then the image itself is shown. */
export async function thumbnailOf(body: Blob): Promise<Blob | null> {
  const image = await decoded(body)
  if (!image) return null
  // A tile shows the middle of the image, cropped to at most the tile's aspect ratio.
  const area = { width: Math.min(image.width, (image.height * tile.width) / tile.height), height: Math.min(image.height, image.width) }
  const scale = Math.min(1, Math.max(tile.width / area.width, tile.height / area.height))
  return firstWithin(maxThumbnailBytes, draw(image, area, scale), thumbnailFormats)
}

/**
 * The copy of an image that models receive. Null if models can receive the image as it is, or if this browser cannot decode it. An image with
 * an orientation in its metadata is copied upright, because models do not read the metadata. The copy keeps the type of the image, which
 * may be transparent, unless it is too large then. Browsers write PNG for a type that they cannot write.
 */
export async function modelCopyOf(body: Blob, type: string): Promise<Blob | null> {
  const image = await decoded(body)
  if (!image) return null
  const scale = Math.min(1, maxModelImageEdgePixels / Math.max(image.width, image.height))
  if (scale === 1 && body.size <= maxModelImageBytes && !isTurned(new Uint8Array(await body.arrayBuffer()))) {
    image.close()
    return null
  }
  const formats = [type, 'image/jpeg'].map((each) => ({ type: each, quality: 0.9 }))
  return firstWithin(maxModelImageBytes, draw(image, image, scale), formats)
}

/** Chosen: within the canvas of all browsers, and above what models read. */
const maxConvertedEdgePixels = 4096

/** A copy in a format that can be attached. Null if this browser cannot decode the image. A photo becomes JPEG, other images PNG if possible. */
export async function convertedImageOf(body: Blob): Promise<Blob | null> {
  const image = await decoded(body)
  if (!image) return null
  const scale = Math.min(1, maxConvertedEdgePixels / Math.max(image.width, image.height))
  const isPhoto = image.width * image.height > maxModelImageEdgePixels ** 2
  const formats = (isPhoto ? ['image/jpeg'] : ['image/png', 'image/jpeg']).map((type) => ({ type, quality: 0.9 }))
  return firstWithin(maxImageBytes, draw(image, image, scale), formats)
}

const decoded = (body: Blob): Promise<ImageBitmap | null> => createImageBitmap(body).catch(() => null)

/** Draws the middle of the image, and closes the image. Null if the browser has no memory left for a canvas. */
function draw(image: ImageBitmap, { width, height }: Area, scale: number): HTMLCanvasElement | null {
  const canvas = document.createElement('canvas')
  canvas.width = Math.max(1, Math.round(width * scale))
  canvas.height = Math.max(1, Math.round(height * scale))
  const context = canvas.getContext('2d')
  if (context) {
    context.imageSmoothingQuality = 'high'
    const [left, top] = [(image.width - width) / 2, (image.height - height) / 2]
    context.drawImage(image, left, top, width, height, 0, 0, canvas.width, canvas.height)
  }
  image.close()
  return context && canvas
}

async function firstWithin(maxBytes: number, canvas: HTMLCanvasElement | null, formats: readonly Format[]): Promise<Blob | null> {
  if (!canvas) return null
  for (const { type, quality } of formats) {
    const copy = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, type, quality))
    if (copy && copy.size <= maxBytes) return copy
  }
  return null
}

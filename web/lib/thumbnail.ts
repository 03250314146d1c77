/** A small picture of a large one, made where the large one is: a page that shows it later need not fetch megabytes for a tile. */
import { maxThumbnailBytes } from '../../worker/contract/limits.ts'

/** The largest tile is 288 × 224 points; at two pixels a point it is covered, at three it is a little soft. */
const tile = { width: 576, height: 448 }

/** Tried in turn until one is small enough. A browser that cannot write WebP writes PNG, which keeps what is seen through. */
const qualities = [0.8, 0.5]

/** Null for what this browser cannot read, and for what does not become small enough: then the picture itself is shown. */
export async function thumbnailOf(picture: Blob): Promise<Blob | null> {
  const image = await createImageBitmap(picture).catch(() => null)
  if (!image) return null
  // What a tile shows is the middle, cut to its own shape, which is a square or a little wider: more of a long picture is not needed.
  const width = Math.min(image.width, (image.height * tile.width) / tile.height)
  const height = Math.min(image.height, image.width)
  const scale = Math.min(1, Math.max(tile.width / width, tile.height / height))
  const canvas = document.createElement('canvas')
  canvas.width = Math.max(1, Math.round(width * scale))
  canvas.height = Math.max(1, Math.round(height * scale))
  const context = canvas.getContext('2d')
  if (!context) return null
  context.imageSmoothingQuality = 'high'
  const [left, top] = [(image.width - width) / 2, (image.height - height) / 2]
  context.drawImage(image, left, top, width, height, 0, 0, canvas.width, canvas.height)
  image.close()
  for (const quality of qualities) {
    const small = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/webp', quality))
    if (small && small.size <= maxThumbnailBytes) return small
  }
  return null
}

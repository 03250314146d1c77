/** Copies of an image in another size or format, made in the browser. The server makes one only where the browser cannot decode the image. */
import { type Refusal, refusal } from '../../../worker/contract/errors.ts'
import { isHeif, signatureBytes } from '../../../worker/contract/files/file-signature.ts'
import type { ErrorBody } from '../../../worker/contract/http.ts'
import {
  maxConvertedEdgePixels,
  maxImageBytes,
  maxModelImageBytes,
  maxModelImageEdgePixels,
  maxThumbnailBytes,
} from '../../../worker/contract/limits.ts'
import { publicUrls } from '../public-urls.ts'

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

/**
 * A copy in a format that can be attached, or the reason for a refusal. A photo becomes JPEG, other images PNG if possible. Chromium and Firefox
 * do not decode HEIC, so the server converts it.
 */
export async function convertedImageOf(body: Blob): Promise<Blob | Refusal> {
  const image = await decoded(body)
  if (!image) return convertedByServer(body)
  const scale = Math.min(1, maxConvertedEdgePixels / Math.max(image.width, image.height))
  const isPhoto = image.width * image.height > maxModelImageEdgePixels ** 2
  const formats = (isPhoto ? ['image/jpeg'] : ['image/png', 'image/jpeg']).map((type) => ({ type, quality: 0.9 }))
  return (await firstWithin(maxImageBytes, draw(image, image, scale), formats)) ?? refusal('image_format')
}

async function convertedByServer(body: Blob): Promise<Blob | Refusal> {
  const head = new Uint8Array(await body.slice(0, signatureBytes).arrayBuffer())
  if (!isHeif(head)) return refusal('image_format')
  try {
    const response = await fetch(`${publicUrls().apiUrl}/api/files/convert`, { method: 'POST', credentials: 'include', body })
    if (response.ok) return await response.blob()
    const { error } = (await response.json()) as Partial<ErrorBody>
    return error ?? refusal('upload_failed')
  } catch {
    return refusal('upload_failed')
  }
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

/**
 * Reads the orientation that a camera stores in the metadata of a photo (Exif 2.32, tag 0x0112). Browsers turn the photo accordingly; models
 * receive the pixels as they are stored.
 */

/** True if the pixels of a JPEG, PNG or WebP are not stored upright. False for metadata that cannot be read. */
export function isTurned(image: Uint8Array): boolean {
  const at = exifStart(image)
  const orientation = at === null ? null : orientationIn(new DataView(image.buffer, image.byteOffset + at, image.byteLength - at))
  return orientation !== null && orientation >= 2 && orientation <= 8
}

/** Where the TIFF header of the metadata begins. */
function exifStart(image: Uint8Array): number | null {
  const view = new DataView(image.buffer, image.byteOffset, image.byteLength)
  const wordAt = (at: number) => (at + 4 <= view.byteLength ? view.getUint32(at) : 0)
  if (wordAt(0) >>> 16 === 0xff_d8) {
    // The segments of a JPEG, up to its pixels.
    for (let at = 2; at + 10 <= view.byteLength && view.getUint8(at) === 0xff && view.getUint8(at + 1) !== 0xda; ) {
      if (view.getUint8(at + 1) === 0xe1 && wordAt(at + 4) === exif) return at + 10
      at += 2 + view.getUint16(at + 2)
    }
    return null
  }
  const isPng = wordAt(0) === 0x89_50_4e_47
  if (!isPng && wordAt(8) !== webp) return null
  for (let at = isPng ? 8 : 12; at + 8 <= view.byteLength; ) {
    // A chunk of a PNG has its length before its name and a checksum behind; one of a WebP has an even length.
    const length = isPng ? view.getUint32(at) : view.getUint32(at + 4, true)
    if (wordAt(isPng ? at + 4 : at) === (isPng ? pngExif : webpExif)) return wordAt(at + 8) === exif ? at + 14 : at + 8
    at += isPng ? 12 + length : 8 + length + (length % 2)
  }
  return null
}

const [exif, webp, webpExif, pngExif] = [0x45_78_69_66, 0x57_45_42_50, 0x45_58_49_46, 0x65_58_49_66]

function orientationIn(tiff: DataView): number | null {
  if (tiff.byteLength < 10) return null
  const isLittle = tiff.getUint16(0) === 0x49_49
  const directory = tiff.getUint32(4, isLittle)
  if (directory + 2 > tiff.byteLength) return null
  const entries = tiff.getUint16(directory, isLittle)
  for (let index = 0; index < entries; index += 1) {
    const at = directory + 2 + 12 * index
    if (at + 12 > tiff.byteLength) return null
    if (tiff.getUint16(at, isLittle) === 0x0112) return tiff.getUint16(at + 8, isLittle)
  }
  return null
}

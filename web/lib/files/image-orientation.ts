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

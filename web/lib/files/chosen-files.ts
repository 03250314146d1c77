/** Checks and converts files that the user has chosen, and sends requests about uploaded ones. */
import { type Refusal, refusal } from '../../../worker/contract/errors.ts'
import { isConvertibleImage, signatureBytes, typeOf } from '../../../worker/contract/files/file-signature.ts'
import { formatBytesIn } from '../../../worker/contract/files/file-size.ts'
import { type FileType, fileKindOf, fileTypes, maxBytesOf, maxFileBytes } from '../../../worker/contract/files/files.ts'
import { pdfEncryption } from '../../../worker/contract/files/pdf-encryption.ts'
import { typeRefusal } from '../../../worker/contract/files/type-refusal.ts'
import { maxTextBytes } from '../../../worker/contract/limits.ts'
import { formatLocale } from '../i18n/intl-format.ts'
import { publicUrls } from '../public-urls.ts'

/** `convertedFrom`: the encoding of a text that was converted to UTF-8. */
export type PreparedFile = { readonly body: File; readonly mediaType: FileType; readonly convertedFrom: string | null }
type Preparation = PreparedFile | Refusal

/** Prepares the upload of a file that the user chose, or returns why the file cannot be attached. Sends nothing. */
export async function prepareFile(chosen: File): Promise<Preparation> {
  if (chosen.size === 0) return refusal('file_empty')
  try {
    const head = new Uint8Array(await chosen.slice(0, signatureBytes).arrayBuffer())
    const type = typeOf(head)
    if (isConvertibleImage(head)) return await convertImage(chosen)
    if (type === null || fileKindOf(type) === 'text') return await prepareText(chosen, type)
    const kind = fileKindOf(type)
    if (chosen.size > maxBytesOf[kind]) return refusal('file_too_large')
    if (kind === 'image' && !(await isDecodable(chosen))) return refusal('image_unreadable')
    if (kind === 'document' && (await isEncryptedPdf(chosen))) return refusal('pdf_encrypted')
    return { body: chosen, mediaType: type, convertedFrom: null }
  } catch {
    // A directory, or a file that no longer exists.
    return refusal('file_type')
  }
}

const isDecodable = (body: Blob): Promise<boolean> =>
  createImageBitmap(body).then(
    (image) => {
      image.close()
      return true
    },
    () => false,
  )

async function isEncryptedPdf(body: Blob): Promise<boolean> {
  const encryption = pdfEncryption()
  const decoder = new TextDecoder('latin1')
  const reader = body.stream().getReader()
  for (let read = await reader.read(); !read.done; read = await reader.read()) encryption.add(decoder.decode(read.value, { stream: true }))
  return encryption.isEncrypted()
}

/** Chosen: the longest encoding of a text that fits as UTF-8 has two bytes for each ASCII character. */
const maxUnconvertedBytes = 2 * maxTextBytes

async function prepareText(chosen: File, type: FileType | null): Promise<Preparation> {
  if (chosen.size > maxUnconvertedBytes) return type === null ? typeRefusal(chosen.name) : refusal('file_too_large')
  const bytes = new Uint8Array(await chosen.arrayBuffer())
  if (isPlainUtf8(bytes)) {
    if (chosen.size > maxTextBytes) return refusal('file_too_large')
    return { body: chosen, mediaType: 'text/plain', convertedFrom: null }
  }
  const detector = await import('./text-encoding.ts').catch(() => null)
  if (!detector) return refusal('upload_failed')
  const decoded = detector.decodeText(bytes, [...navigator.languages])
  if (decoded === null) return typeRefusal(chosen.name)
  const body = new File([decoded.text], chosen.name, { type: 'text/plain', lastModified: chosen.lastModified })
  if (body.size === 0) return refusal('file_empty')
  if (body.size > maxTextBytes) return refusal('file_too_large')
  return { body, mediaType: 'text/plain', convertedFrom: decoded.encoding }
}

function isPlainUtf8(bytes: Uint8Array): boolean {
  if (bytes.includes(0) || bytes.includes(escapeByte) || (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf)) return false
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return true
  } catch {
    return false
  }
}
/** Begins the characters of ISO-2022-JP. */
const escapeByte = 0x1b

/** A format that models do not read and that some browsers decode. */
async function convertImage(chosen: File): Promise<Preparation> {
  if (chosen.size > maxFileBytes) return refusal('file_too_large')
  const copies = await import('./image-copies.ts').catch(() => null)
  if (!copies) return refusal('upload_failed')
  const picture = await copies.convertedImageOf(chosen)
  if ('code' in picture) return picture
  const mediaType = fileTypes.find((type) => type === picture.type)
  if (!mediaType) return refusal('image_format')
  const name = `${chosen.name.replace(/\.[^.]{1,5}$/, '')}.${mediaType === 'image/png' ? 'png' : 'jpg'}`
  return { body: new File([picture], name, { type: mediaType, lastModified: chosen.lastModified }), mediaType, convertedFrom: null }
}

/** Loads the code that scales images with the first one. Without a thumbnail the file itself is shown. */
export async function addThumbnail(fileId: string, body: Blob): Promise<void> {
  const { thumbnailOf } = await import('./image-copies.ts')
  const picture = await thumbnailOf(body)
  if (picture) sendThumbnail(fileId, picture)
}

/** Without the thumbnail the file itself is shown. */
function sendThumbnail(id: string, picture: Blob): void {
  void fetch(`${publicUrls().apiUrl}/api/files/${id}/thumbnail`, { method: 'POST', credentials: 'include', body: picture }).catch(
    () => undefined,
  )
}

/** Deletes a file that will not be sent. The daily cleanup deletes the file if this request is lost. */
export function discardFile(id: string): void {
  void fetch(`${publicUrls().apiUrl}/api/files/${id}`, { method: 'DELETE', credentials: 'include', keepalive: true }).catch(() => undefined)
}

/** For example 640 kB or 2.4 MB, in the language of the page. */
export const formatBytes = (bytes: number): string => formatBytesIn(formatLocale(), bytes)

/**
 * Counts the pages of a PDF while it streams, by its page objects in the file and in its compressed object streams. The count is for the
 * estimate of tokens: a file that is made to deceive can show more pages than it has page objects.
 */
import { Buffer } from 'node:buffer'
import { constants, inflateSync } from 'node:zlib'

/** Chosen: longer than the dictionary of a page or of a stream, which a chunk may divide. */
const overlapChars = 2_048
/** Chosen: several times the largest object streams of PDF writers, and the most that one file makes the Worker unpack. */
const maxPackedBytes = 4 * 1024 * 1024
const maxUnpackedBytes = 8 * 1024 * 1024
const maxUnpackedBytesOfFile = 64 * 1024 * 1024
/** Chosen: above what any plan can send. */
const maxPages = 10_000

/** Reads no character twice, however often the type is repeated. */
const objectStreamStart = /\/ObjStm\b(?:(?!\/ObjStm)[\s\S]){0,1000}?\bstream\r?\n/
/** The patterns have bounds, so that a file cannot make them slow. */
const pageType = /\/Type\s{0,9}\/Page(?![\w#])/g
const streamEnd = 'endstream'

export type PdfPages = {
  add(chunk: Uint8Array): void
  /** Null if no pages were found, or if a part of the file could not be read, as in an encrypted file. */
  count(): number | null
}

type PackedStream = { readonly dictionary: string; data: string; end: string }

export function pdfPages(): PdfPages {
  /** The numbers of the page objects, because a later revision repeats an object. Pages of object streams have negative numbers, each its own. */
  const pages = new Set<number>()
  let unread = ''
  let object = 0
  let packedPages = 0
  let packed: PackedStream | null = null
  let unpackedBytes = 0
  let isUnreadable = false

  const addPage = (number: number) => {
    if (pages.size < maxPages) pages.add(number)
  }
  /** Reads `unread` up to `end`, or to the end of a match across `end`. */
  const scan = (end: number): void => {
    const token = new RegExp(`(?<!\\d)(\\d{1,10})\\s{1,9}\\d{1,5}\\s{1,9}obj\\b|${pageType.source}`, 'g')
    let readTo = end
    for (let match = token.exec(unread); match !== null && match.index < end; match = token.exec(unread)) {
      if (match[1] === undefined) addPage(object)
      else object = Number(match[1])
      readTo = Math.max(end, token.lastIndex)
    }
    unread = unread.slice(readTo)
  }
  const scanPacked = (dictionary: string, packed: string): void => {
    const text = /\/FlateDecode/.test(dictionary) ? unpack(packed) : packed
    for (const _page of text.matchAll(pageType)) addPage(--packedPages)
  }
  const unpack = (packed: string): string => {
    if (unpackedBytes > maxUnpackedBytesOfFile) throw new RangeError('the object streams are too large')
    // The end of the line before `endstream` is not part of the data. Flushing accepts data that ends early.
    const options = { maxOutputLength: maxUnpackedBytes, finishFlush: constants.Z_SYNC_FLUSH }
    const unpacked = inflateSync(Buffer.from(packed, 'latin1'), options)
    unpackedBytes += unpacked.length
    return unpacked.toString('latin1')
  }

  /** Returns what follows the object stream, or null if its end has not arrived. */
  const readPacked = (stream: PackedStream, text: string): string | null => {
    // The end mark may be divided between two chunks.
    const joined = stream.end + text
    const end = joined.indexOf(streamEnd)
    const read = end === -1 ? Math.max(0, joined.length - streamEnd.length) : end
    stream.data += joined.slice(0, read)
    stream.end = joined.slice(read)
    if (end === -1) {
      isUnreadable = stream.data.length > maxPackedBytes
      return null
    }
    packed = null
    try {
      scanPacked(stream.dictionary, stream.data)
    } catch {
      isUnreadable = true
    }
    return stream.end
  }

  return {
    add(chunk) {
      let text: string | null = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString('latin1')
      while (text !== null && !isUnreadable) {
        if (packed) {
          text = readPacked(packed, text)
          continue
        }
        unread += text
        const start = objectStreamStart.exec(unread)
        if (start === null) return scan(Math.max(0, unread.length - overlapChars))
        const dataStart = start.index + start[0].length
        packed = { dictionary: unread.slice(unread.lastIndexOf('obj', start.index) + 1, dataStart), data: '', end: '' }
        text = unread.slice(dataStart)
        unread = unread.slice(0, dataStart)
        scan(dataStart)
      }
    },
    count() {
      scan(unread.length)
      return isUnreadable || pages.size === 0 ? null : pages.size
    },
  }
}

/**
 * Counts the pages of a PDF while it streams, by its page objects in the file and in its compressed object streams. The count is for the
 * estimate of tokens: a hostile file can show more pages than it has page objects.
 *
 * Not a library: those that are maintained add 1.5 MB, unpack streams without a limit, and hold the whole file in memory.
 */
import { Buffer } from 'node:buffer'
import { constants, inflateSync } from 'node:zlib'

/** Chosen: longer than the dictionary of a page or of a stream, which a chunk may divide. */
const overlapChars = 2_048
/** Chosen: several times the largest object streams of PDF writers. */
const maxCompressedBytes = 4 * 1024 * 1024
const maxInflatedBytes = 8 * 1024 * 1024
/** Chosen: limits the CPU time of one upload. */
const maxInflatedBytesOfFile = 64 * 1024 * 1024
/** Chosen: above what any plan can send. */
const maxPages = 10_000

/** Reads no character twice, however often the type is repeated. */
const objectStreamStart = /\/ObjStm\b(?:(?!\/ObjStm)[\s\S]){0,1000}?\bstream\r?\n/
/** The patterns have bounds, so that a file cannot make them slow. */
const pageType = /\/Type\s{0,9}\/Page(?![\w#])/g
const streamEnd = 'endstream'

type PdfPages = {
  add(chunk: Uint8Array): void
  /** Null if no pages were found, or if a part of the file could not be read, as in an encrypted file. */
  count(): number | null
}

type ObjectStream = { readonly dictionary: string; data: string; end: string }

export function pdfPages(): PdfPages {
  /** The numbers of the page objects, because a later revision repeats an object. Negative for a page whose number is unknown. */
  const pages = new Set<number>()
  let unread = ''
  let object = 0
  let unnumberedPages = 0
  let objectStream: ObjectStream | null = null
  let inflatedBytes = 0
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
  /** An object stream begins with the number and the offset of each object; `/First` is where the objects begin. */
  const scanObjects = (dictionary: string, data: string): void => {
    const text = /\/FlateDecode/.test(dictionary) ? inflated(data) : data
    const first = Number(/\/First\s{1,9}(\d{1,10})/.exec(dictionary)?.[1] ?? 0)
    const index = text.slice(0, first).trim().split(/\s+/).map(Number)
    let at = 0
    for (const { index: position } of text.matchAll(pageType)) {
      while (first + (index[at + 3] ?? Number.POSITIVE_INFINITY) <= position) at += 2
      addPage(index[at] || --unnumberedPages)
    }
  }
  const inflated = (data: string): string => {
    if (inflatedBytes > maxInflatedBytesOfFile) throw new RangeError('the object streams are too large')
    // The end of the line before `endstream` is not part of the data. `Z_SYNC_FLUSH` accepts truncated data.
    const options = { maxOutputLength: maxInflatedBytes, finishFlush: constants.Z_SYNC_FLUSH }
    const bytes = inflateSync(Buffer.from(data, 'latin1'), options)
    inflatedBytes += bytes.length
    return bytes.toString('latin1')
  }

  /** Returns what follows the object stream, or null if its end has not arrived. */
  const readObjectStream = (stream: ObjectStream, text: string): string | null => {
    // The end mark may be divided between two chunks.
    const joined = stream.end + text
    const end = joined.indexOf(streamEnd)
    const read = end === -1 ? Math.max(0, joined.length - streamEnd.length) : end
    stream.data += joined.slice(0, read)
    stream.end = joined.slice(read)
    if (end === -1) {
      isUnreadable = stream.data.length > maxCompressedBytes
      return null
    }
    objectStream = null
    try {
      scanObjects(stream.dictionary, stream.data)
    } catch {
      isUnreadable = true
    }
    return stream.end
  }

  return {
    add(chunk) {
      let text: string | null = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString('latin1')
      while (text !== null && !isUnreadable) {
        if (objectStream) {
          text = readObjectStream(objectStream, text)
          continue
        }
        unread += text
        const start = objectStreamStart.exec(unread)
        if (start === null) return scan(Math.max(0, unread.length - overlapChars))
        const dataStart = start.index + start[0].length
        objectStream = { dictionary: unread.slice(unread.lastIndexOf('obj', start.index) + 1, dataStart), data: '', end: '' }
        text = unread.slice(dataStart)
        unread = unread.slice(0, dataStart)
        scan(dataStart)
      }
    },
    count() {
      scan(unread.length)
      return isUnreadable || objectStream !== null || pages.size === 0 ? null : pages.size
    },
  }
}

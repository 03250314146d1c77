/**
 * Detects an encrypted PDF while it streams, in the browser before the upload and on the server. Its trailer, or the dictionary of its
 * cross-reference stream, refers to an encryption dictionary, and both are never encrypted. Files that open without a password are found, too:
 * the providers' documents ask for PDFs without encryption.
 */

/** Chosen: longer than a trailer, which a chunk may divide. */
const maxTrailerChars = 2048
const key = '/Encrypt'
/** Chosen: a PDF has a few. Limits the CPU time of one upload; a file with more entries counts as encrypted. */
const maxEntries = 1000
/** A reference or a dictionary; not `/EncryptMetadata`. */
const entry = /^\/Encrypt\s{0,9}(?:\d{1,10}\s{1,9}\d{1,5}\s{1,9}R\b|<<)/
const dictionaryEnd = /\b(?:stream|startxref|endobj)\b/
const crossReferences = /^trailer\b|\/Type\s{0,9}\/XRef\b/

export type PdfEncryption = {
  /** The bytes as Latin-1. */
  add(chunk: string): void
  /** Called after the last chunk. */
  isEncrypted(): boolean
}

export function pdfEncryption(): PdfEncryption {
  let text = ''
  /** Everything in `text` before this position has been searched. */
  let searchedTo = 0
  let entries = 0
  let found = false
  const search = (end: number): void => {
    for (let at = text.indexOf(key, searchedTo); at !== -1 && at < end && !found; at = text.indexOf(key, at + 1)) {
      if (!entry.test(text.slice(at, at + 64))) continue
      entries += 1
      found = entries > maxEntries || isInTrailer(text, at)
    }
  }
  return {
    add(chunk) {
      text += chunk
      const end = text.length - maxTrailerChars
      search(end)
      const kept = Math.max(0, end - maxTrailerChars)
      searchedTo = Math.max(0, end - kept)
      text = text.slice(kept)
    },
    isEncrypted() {
      search(text.length)
      return found
    },
  }
}

function isInTrailer(text: string, at: number): boolean {
  const after = text.slice(at, at + maxTrailerChars)
  const before = text.slice(Math.max(0, at - maxTrailerChars), at)
  const start = Math.max(before.lastIndexOf('trailer'), before.lastIndexOf(' obj'))
  const end = dictionaryEnd.exec(after)?.index ?? after.length
  return start !== -1 && crossReferences.test(before.slice(start) + after.slice(0, end))
}

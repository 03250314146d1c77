/**
 * Checks an upload while it streams. The first bytes determine the type. The stream fails if later bytes do not match the type, if a PDF is
 * encrypted or its pages cannot be counted, or if the length differs from the header; a failed upload stores no file.
 */

import { signatureBytes, typeOf } from '../contract/files/file-signature.ts'
import { type FileType, fileKindOf } from '../contract/files/files.ts'
import { pdfEncryption } from '../contract/files/pdf-encryption.ts'
import { pdfPages } from '../lib/pdf-pages.ts'

type WrongBodyCode = 'file_type' | 'file_incomplete' | 'pdf_encrypted' | 'pdf_unreadable'

export class WrongBodyError extends Error {
  override readonly name = 'WrongBodyError'
  readonly code: WrongBodyCode

  constructor(code: WrongBodyCode) {
    super(code)
    this.code = code
  }
}

/** The client disconnected within a request body, or the body's encoding is malformed. */
export class BrokenBodyError extends Error {
  override readonly name = 'BrokenBodyError'
}

/** For the rejection of a read from a request body. Its own error looks like one of the database ("Network connection lost"). */
export function brokenBody(cause: unknown): never {
  throw new BrokenBodyError('the request body broke off', { cause })
}

export type OpenedBody = {
  /** Null: a type that cannot be attached. */
  readonly type: FileType | null
  /** Reads the rest of a refused body. If the body is not read, the response can be lost with the connection. */
  readonly drained: () => Promise<void>
  /** The whole body. Exactly `sizeBytes` long, otherwise it fails with a `WrongBodyError`. */
  readonly checked: (as: FileType, sizeBytes: number) => ReadableStream<Uint8Array>
  /** The pages of a PDF, after `checked` has read its last byte. Null for other files. */
  readonly pages: () => number | null
}

export async function openBody(body: ReadableStream<Uint8Array>): Promise<OpenedBody> {
  const reader = body.getReader()
  const first: Uint8Array[] = []
  let received = 0
  let isDone = false
  while (received < signatureBytes && !isDone) {
    const { done, value } = await reader.read().catch(brokenBody)
    isDone = done
    if (!value) continue
    first.push(value)
    received += value.length
  }
  // Detected before the stream below consumes the chunks.
  const type = typeOf(joined(first))
  const rest = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const chunk = first.shift()
      if (chunk) return controller.enqueue(chunk)
      const { done, value } = isDone ? { done: true, value: undefined } : await reader.read()
      if (done) controller.close()
      else if (value) controller.enqueue(value)
    },
    cancel: () => readOut(reader),
  })
  let pages: number | null = null
  const onPages = (count: number | null) => {
    pages = count
  }
  return {
    type,
    drained: () => readOut(reader),
    checked: (as, sizeBytes) => rest.pipeThrough(watch(as, sizeBytes, onPages)),
    pages: () => pages,
  }
}

function watch(type: FileType, sizeBytes: number, onPages: (count: number | null) => void): TransformStream<Uint8Array, Uint8Array> {
  let seen = 0
  const text = fileKindOf(type) === 'text' ? new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }) : null
  const document =
    fileKindOf(type) === 'document' ? { pages: pdfPages(), encryption: pdfEncryption(), decoder: new TextDecoder('latin1') } : null
  const countPages = (pages: number | null): void => {
    if (pages === null) throw new WrongBodyError('pdf_unreadable')
    onPages(pages)
  }
  const check = (chunk: Uint8Array, isLast: boolean): void => {
    if (document) {
      document.encryption.add(document.decoder.decode(chunk, { stream: true }))
      document.pages.add(chunk)
      if (isLast && document.encryption.isEncrypted()) throw new WrongBodyError('pdf_encrypted')
      if (isLast) countPages(document.pages.count())
    }
    if (!text) return
    if (chunk.includes(0)) throw new WrongBodyError('file_type')
    try {
      text.decode(chunk, { stream: !isLast })
    } catch (cause) {
      throw Object.assign(new WrongBodyError('file_type'), { cause })
    }
  }
  return new TransformStream({
    transform(chunk, controller) {
      seen += chunk.length
      if (seen > sizeBytes) throw new WrongBodyError('file_incomplete')
      // Ends the checks with the last byte. In `flush` an error would be too late.
      check(chunk, seen === sizeBytes)
      controller.enqueue(chunk)
    },
    flush() {
      if (seen < sizeBytes) throw new WrongBodyError('file_incomplete')
    },
  })
}

async function readOut(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  try {
    while (!(await reader.read()).done);
  } catch {
    // The client has disconnected.
  }
}

function joined(chunks: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(chunks.reduce((sum, { length }) => sum + length, 0))
  let offset = 0
  for (const chunk of chunks) {
    whole.set(chunk, offset)
    offset += chunk.length
  }
  return whole
}

/**
 * What a server of models may send. Packages of the SDK gather a line until it ends, an event until an empty line, and an answer that does
 * not stream until the connection closes: of a server that never gets there they would fill the memory of everybody whose object is in
 * the same machine. So bytes are counted where `fetch` hands them over, and too many are something that we could not read.
 */
import { boundedResponse, checkedBody, countTo, EndlessBodyError, firstBytes } from '../../lib/bounded-body.ts'
import { UnreadableModelError } from '../failures.ts'
import { maxEventChars } from './event-data.ts'
import type { VendorModel, VendorPart } from './vendor-model.ts'

/** Ours: an answer as long as one may be, a letter or two to an event, fits into it. */
const maxStreamBytes = 256 * 1024 * 1024
/** Ours: what an event may take; titles, which are all that is asked for in one piece, take far less. */
const maxWholeBytes = maxEventChars
/** Ours: of a refusal the status says the most, and its reason stands at the beginning. */
const maxRefusalBytes = 64 * 1024

/**
 * `connect` makes the model of a package, which calls its server by what it is given. That for an answer in one piece is made when one is
 * asked for: nearly all are streamed, and the first word waits for what is made before.
 */
export function boundedModel(connect: (by: typeof fetch) => VendorModel, send: typeof fetch): VendorModel {
  const doGenerate: VendorModel['doGenerate'] = (options) => connect(boundedBy(send, wholeCheck)).doGenerate(options)
  return Object.assign(connect(boundedBy(send, eventsCheck)), { doGenerate })
}

/** Of a refusal its beginning, which is enough to say what it is. */
export const boundedRefusal = (response: Response): Response =>
  boundedResponse(response, (body) => body.pipeThrough(firstBytes(maxRefusalBytes)))

/** Of whoever answers by something else than `fetch`. */
export const boundedEvents = (body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> => checkedBody(body, eventsCheck())

type Check = (chunk: Uint8Array) => void

const boundedBy =
  (send: typeof fetch, createCheck: () => Check): typeof fetch =>
  async (input, init) => {
    const response = await send(input, init)
    if (!response.ok) return boundedRefusal(response)
    return boundedResponse(response, (body) => checkedBody(body, createCheck()))
  }

function wholeCheck(): Check {
  return readable(countTo(maxWholeBytes))
}

function eventsCheck(): Check {
  const bytesOfEvent = createEventCounter()
  const count = readable(countTo(maxStreamBytes))
  return (chunk) => {
    count(chunk)
    if (bytesOfEvent(chunk) > maxEventChars) throw new UnreadableModelError('an event has no end')
  }
}

const readable =
  (check: Check): Check =>
  (chunk) => {
    try {
      check(chunk)
    } catch (error) {
      if (error instanceof EndlessBodyError) throw new UnreadableModelError('the answer has no end', { cause: error })
      throw error
    }
  }

const lineFeed = 10
const carriageReturn = 13

/** How many bytes of an event are there that has not ended by now. A line ends with either mark or with both. */
export function createEventCounter(): (chunk: Uint8Array) => number {
  let bytes = 0
  let isLineEmpty = true
  let wasReturn = false
  return (chunk) => {
    for (const byte of chunk) {
      const isSecondMark = byte === lineFeed && wasReturn
      wasReturn = byte === carriageReturn
      if (isSecondMark) continue
      bytes += 1
      const isLineEnd = wasReturn || byte === lineFeed
      if (isLineEnd && isLineEmpty) bytes = 0
      isLineEmpty = isLineEnd
    }
    return bytes
  }
}

/** Ours: a hundred times what our tools take, together with everything else that is no prose. */
const maxAsideChars = 256 * 1024
/** What a part costs besides its words. */
const partChars = 16

/**
 * For one stream. Prose is bounded by what an answer may hold; calls of tools are gathered by the SDK, and by nobody else until they are
 * whole. Throws at the first part too many.
 */
export function boundedAsides(): (part: VendorPart) => void {
  let chars = 0
  return (part) => {
    if (part.type === 'file') return
    chars += partChars
    if (part.type === 'tool-input-delta') chars += part.delta.length
    else if (part.type === 'tool-call') chars += part.input.length
    if (chars > maxAsideChars) throw new UnreadableModelError('what is called has no end')
  }
}

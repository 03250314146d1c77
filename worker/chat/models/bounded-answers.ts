/**
 * What a server of models may send. Packages of the SDK gather a line until it ends, an event until an empty line, and an answer that does
 * not stream until the connection closes: of a server that never gets there they would fill the memory of everybody whose object is in
 * the same machine. So bytes are counted where `fetch` hands them over, and too many are something that we could not read.
 *
 * Here a stream ends, too, when its server says so: the packages wait for the connection to close, and some never do.
 */
import { boundedResponse, checkedBody, countTo, EndlessBodyError, firstBytes } from '../../lib/bounded-body.ts'
import { ModelStreamError, NoStreamError, UnreadableModelError } from '../model-errors.ts'
import { completionJudge } from './completion-events.ts'
import { judgedLines } from './event-lines.ts'
import { HeldEvent, isLargeEvent, markChars, maxEventChars, type Waiting } from './held-events.ts'
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
export function boundedModel(connect: (by: typeof fetch) => VendorModel, send: typeof fetch, waiting: Waiting = { atMs: 0 }): VendorModel {
  const doGenerate: VendorModel['doGenerate'] = (options) => connect(boundedBy(send, boundedWhole)).doGenerate(options)
  return Object.assign(connect(boundedBy(send, boundedStream(waiting))), { doGenerate, waiting })
}

/** Of a refusal its beginning, which is enough to say what it is. */
export const boundedRefusal = (response: Response): Response =>
  boundedResponse(response, (body) => body.pipeThrough(firstBytes(maxRefusalBytes)))

/** Of whoever answers by something else than `fetch`. */
export function boundedEvents(body: ReadableStream<Uint8Array>, waiting?: Waiting): ReadableStream<Uint8Array> {
  const event = createEventCounter()
  const held = new HeldEvent(waiting)
  const count = readable(countTo(maxStreamBytes))
  const check = async (chunk: Uint8Array): Promise<void> => {
    count(chunk)
    const bytes = event.count(chunk)
    if (isLargeEvent(bytes)) await held.goOn(bytes, event.start)
    else held.release()
  }
  return checkedBody(body, check, { isLast: createEndMark(), over: () => held.release() })
}

/** What a page or a document calls itself. Anything else may be a stream: not every server of models names it as the standard does. */
const noStream = /^\s*(?:text\/html|application\/(?:json|problem\+json|xhtml\+xml|xml))\b/i

export const isStream = ({ headers }: Response): boolean => !noStream.test(headers.get('content-type') ?? '')

/**
 * Some servers refuse with a status of 200 and say why in the document: that becomes the refusal it is. Any other document is no model's:
 * a network that wants to be signed in to, an address that is another one's, an answer in one piece from a server that does not stream.
 */
export async function refusalIn(response: Response): Promise<Response> {
  const said = await boundedRefusal(response).text()
  const status = statusIn(said)
  if (status === null) throw new NoStreamError(`a ${response.status} that is no stream`)
  return new Response(said, { status, headers: response.headers })
}

/** Of a refusal that names none: that of a request that is wrong somehow, and that it would not help to repeat. */
const unnamedStatus = 400

function statusIn(said: string): number | null {
  let json: unknown
  try {
    json = JSON.parse(said)
  } catch {
    return null
  }
  const { statusCode } = new ModelStreamError(json)
  const isError = typeof json === 'object' && json !== null && 'error' in json && json.error != null
  return statusCode ?? (isError ? unnamedStatus : null)
}

const boundedBy =
  (send: typeof fetch, bounded: (response: Response) => Response | Promise<Response>): typeof fetch =>
  async (input, init) => {
    const response = await send(input, init)
    return response.ok ? bounded(response) : boundedRefusal(response)
  }

const boundedWhole = (response: Response): Response =>
  boundedResponse(response, (body) => checkedBody(body, readable(countTo(maxWholeBytes))))

const boundedStream =
  (waiting: Waiting) =>
  (response: Response): Response | Promise<Response> =>
    isStream(response)
      ? boundedResponse(response, (body) => judgedLines(boundedEvents(body, waiting), completionJudge()))
      : refusalIn(response)

const readable =
  (check: (chunk: Uint8Array) => void) =>
  (chunk: Uint8Array): void => {
    try {
      check(chunk)
    } catch (error) {
      if (error instanceof EndlessBodyError) throw new UnreadableModelError('the answer has no end', { cause: error })
      throw error
    }
  }

const lineFeed = 10
const carriageReturn = 13
const space = 32

const endMark = new TextEncoder().encode('data:[DONE]')
const fieldLength = 'data:'.length

/** Whether OpenAI's last event has begun, which is a line of its own. What its answers cost is said before it. */
export function createEndMark(): (chunk: Uint8Array) => boolean {
  /** How much of the mark this line began with; -1: with something else. */
  let matched = 0
  return (chunk) => {
    for (const byte of chunk) {
      if (byte === lineFeed || byte === carriageReturn) matched = 0
      else if (matched >= 0 && byte === endMark[matched]) matched += 1
      else if (matched !== fieldLength || byte !== space) matched = -1
      if (matched === endMark.length) return true
    }
    return false
  }
}

/** How many bytes of an event are there that has not ended by now, and how it begins. A line ends with either mark or with both. */
export function createEventCounter(): { readonly count: (chunk: Uint8Array) => number; readonly start: () => string } {
  let bytes = 0
  let isLineEmpty = true
  let wasReturn = false
  const start = new Uint8Array(markChars)
  const count = (chunk: Uint8Array): number => {
    for (const byte of chunk) {
      const isSecondMark = byte === lineFeed && wasReturn
      wasReturn = byte === carriageReturn
      if (isSecondMark) continue
      if (bytes < markChars) start[bytes] = byte
      bytes += 1
      const isLineEnd = wasReturn || byte === lineFeed
      if (isLineEnd && isLineEmpty) bytes = 0
      isLineEmpty = isLineEnd
    }
    return bytes
  }
  return { count, start: () => new TextDecoder().decode(start.subarray(0, bytes)) }
}

/** Ours: a hundred times what our tools take, together with everything else that is no prose. */
const maxAsideChars = 256 * 1024
/** What a part costs besides its words. */
const partChars = 16
/**
 * Ours: more than any tool asks for, and fewer than it takes to stumble over, reading or writing them. SQLite reads no JSON of more than a
 * thousand levels, and of what it cannot read nobody is told.
 */
export const maxJsonLevels = 100

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
    if (chars > maxAsideChars || (part.type === 'tool-call' && levelsIn(part.input) > maxJsonLevels))
      throw new UnreadableModelError('what is called has no end')
  }
}

/** How deep JSON goes, be it whole or not. */
function levelsIn(json: string): number {
  let [levels, deepest] = [0, 0]
  let isText = false
  for (let at = 0; at < json.length; at++) {
    const mark = json[at]
    if (mark === '"') isText = !isText
    else if (isText) at += mark === '\\' ? 1 : 0
    else if (mark === '[' || mark === '{') deepest = Math.max(deepest, ++levels)
    else if (mark === ']' || mark === '}') levels -= 1
  }
  return deepest
}

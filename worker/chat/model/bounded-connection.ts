/**
 * Limits what a model server may send, and how long it may send nothing. The SDK's parsers buffer a line until it ends and an event until its
 * empty line, so a line or an event without an end would fill the memory of the isolate. Bytes are counted after decompression, where `fetch`
 * returns them.
 */
import { maxMadeFileBytes } from '../../contract/files/made-files.ts'
import { parsedJson } from '../../contract/parsed-json.ts'
import { boundedResponse, truncateAt } from '../../lib/bounded-body.ts'
import { coalesced, type Stage } from './coalesced.ts'
import { ModelStreamError, NoStreamError, SilentModelError, UnreadableModelError } from './errors.ts'

/** Chosen: the longest answer that a row can hold, with a letter or two per event, fits. */
const maxStreamBytes = 256 * 1024 * 1024
/** The largest file that is stored, in base64, and 1 MB for the rest of its event. */
export const maxEventBytes = Math.ceil((maxMadeFileBytes * 4) / 3) + 1024 * 1024
/** Chosen: titles are the only answers that are not streamed. */
const maxDocumentBytes = 4 * 1024 * 1024
/** Chosen: the reason for a refusal is at its beginning. */
const maxRefusalBytes = 64 * 1024

/** The `fetch` of one model connection, for one call at a time. */
export type BoundedConnection = {
  readonly fetch: typeof fetch
  /** Why the last stream was ended early, once; null if it was not. The SDK sees a normal end, so that words in its queues are not lost. */
  readonly takeViolation: () => Error | null
}

/** Rewrites the events of a stream. */
type EventReader = Pick<Stage<Uint8Array, Uint8Array>, 'read' | 'end'>
export type NewEventReader = (onViolation: (error: Error) => void) => EventReader

/** `silenceMs`: the longest wait for bytes of a stream. */
export function boundedConnection(send: typeof fetch, silenceMs: number, eventReader?: NewEventReader): BoundedConnection {
  let violation: Error | null = null
  const onViolation = (error: Error) => {
    violation = error
  }
  return {
    fetch: async (input, init) => {
      violation = null
      const response = await send(input, init)
      if (!response.ok) return boundedRefusal(response)
      if (isStream(response)) return boundedResponse(response, (body) => boundedEvents(body, { silenceMs, onViolation, eventReader }))
      return isStreamRequest(init)
        ? refusalIn(response)
        : boundedResponse(response, (body) => body.pipeThrough(truncateAt(maxDocumentBytes)))
    },
    takeViolation: () => {
      const taken = violation
      violation = null
      return taken
    },
  }
}

type EventBounds = {
  readonly silenceMs: number
  readonly onViolation: (error: Error) => void
  readonly eventReader?: NewEventReader | undefined
}

/** Chosen: two frames of the screen. */
const intervalMs = 33
/** Chosen: the first words are passed on as they arrive. */
const unjoinedBytes = 1024
/** Chosen: longer chunks are not copied again. */
const maxJoinedBytes = 4096

const unchangedEvents: NewEventReader = () => ({
  read: (bytes, emit) => {
    emit(bytes)
    return false
  },
  end: () => {},
})

/** Events up to the end mark of the OpenAI protocol, the server's end, or the first violation. A lost connection is a violation, too. */
export function boundedEvents(
  body: ReadableStream<Uint8Array>,
  { silenceMs, onViolation, eventReader = unchangedEvents }: EventBounds,
): ReadableStream<Uint8Array> {
  const scan = eventScanner()
  const events = eventReader(onViolation)
  let sentBytes = 0
  return coalesced<Uint8Array, Uint8Array>(body, {
    read: (bytes, emit) => {
      const { exceedsLimit, hasDoneMark } = scan(bytes)
      if (!exceedsLimit) return events.read(bytes, emit) || hasDoneMark
      onViolation(new UnreadableModelError('the stream exceeds its limits'))
      return true
    },
    end: (emit, failure) => {
      events.end(emit, failure)
      if (failure) onViolation(failure.error instanceof Error ? failure.error : new ModelStreamError(failure.error))
    },
    intervalMs,
    join: joinedBytes,
    isUrgent: ({ byteLength }) => {
      sentBytes += byteLength
      return sentBytes < unjoinedBytes
    },
    silence: { limitMs: silenceMs, onSilence: () => onViolation(new SilentModelError('no bytes within the time limit')) },
  })
}

function joinedBytes(first: Uint8Array, second: Uint8Array): Uint8Array | null {
  if (first.byteLength + second.byteLength > maxJoinedBytes) return null
  const joined = new Uint8Array(first.byteLength + second.byteLength)
  joined.set(first)
  joined.set(second, first.byteLength)
  return joined
}

const lineFeed = 10
const carriageReturn = 13
const space = 32
const doneMark = new TextEncoder().encode('data:[DONE]')
const fieldLength = 'data:'.length

type Scan = { readonly exceedsLimit: boolean; readonly hasDoneMark: boolean }

/** Counts the bytes of the stream and of its unfinished event, and finds the line `data: [DONE]`. */
function eventScanner(): (chunk: Uint8Array) => Scan {
  let streamBytes = 0
  let eventBytes = 0
  let isLineEmpty = true
  let wasReturn = false
  /** Length of the prefix of the mark that this line has; -1 after a mismatch. */
  let matched = 0
  return (chunk) => {
    streamBytes += chunk.byteLength
    for (const byte of chunk) {
      const isSecondMark = byte === lineFeed && wasReturn
      wasReturn = byte === carriageReturn
      if (isSecondMark) continue
      eventBytes += 1
      if (byte === lineFeed || byte === carriageReturn) {
        if (isLineEmpty) eventBytes = 0
        isLineEmpty = true
        matched = 0
        continue
      }
      isLineEmpty = false
      if (matched >= 0 && byte === doneMark[matched]) matched += 1
      else if (matched !== fieldLength || byte !== space) matched = -1
      if (matched === doneMark.length) return { exceedsLimit: false, hasDoneMark: true }
    }
    return { exceedsLimit: eventBytes > maxEventBytes || streamBytes > maxStreamBytes, hasDoneMark: false }
  }
}

const isStreamRequest = (init: RequestInit | undefined): boolean =>
  new Headers(init?.headers).get('ai-language-model-streaming') === 'true' ||
  (typeof init?.body === 'string' && init.body.includes('"stream":true'))

/** Content types of a page or a document. Other types may be a stream: not every server sends the standard's type. */
const noStream = /^\s*(?:text\/html|application\/(?:json|problem\+json|xhtml\+xml|xml))\b/i

const isStream = ({ headers }: Response): boolean => !noStream.test(headers.get('content-type') ?? '')

const boundedRefusal = (response: Response): Response => boundedResponse(response, (body) => body.pipeThrough(truncateAt(maxRefusalBytes)))

/** Some servers refuse with status 200 and an error document; that becomes the refusal. Throws for any other document. */
async function refusalIn(response: Response): Promise<Response> {
  const text = await boundedRefusal(response).text()
  const status = statusIn(text)
  if (status === null) throw new NoStreamError(`status ${response.status} without a stream`)
  return new Response(text, { status, headers: response.headers })
}

/** For an error document without a status: a bad request, which is not retried. */
const unnamedStatus = 400

function statusIn(text: string): number | null {
  const json = parsedJson(text)
  if (json === undefined) return null
  const { statusCode } = new ModelStreamError(json)
  const isError = typeof json === 'object' && json !== null && 'error' in json && json.error != null
  return statusCode ?? (isError ? unnamedStatus : null)
}

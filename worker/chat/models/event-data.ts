/**
 * Server-sent events from a vendor's connection. Waking up for what it brings is most of what a word costs, so an event is asked for whole:
 * the runtime's reader of chunked HTTP would bring each in two pieces.
 */
import { UnreadableModelError } from '../failures.ts'

/**
 * Ours: less than the shortest part of an answer takes on the wire, more than what the runtime reads ahead with a chunk's length. What is
 * shorter is a comment or the last mark of the stream, and may come with what follows it.
 */
const leastEventBytes = 32

const readBytes = 16 * 1024

/** Ours: twice what an answer may hold. One that goes on for longer without an end is none, and must not fill the memory of everybody here. */
export const maxEventChars = 4_000_000

/** The runtime knows the standard's `min`; its types know only a method of its own for the same, which Node has not. */
type PatientReader = {
  read(view: Uint8Array<ArrayBuffer>, options: { readonly min: number }): Promise<{ done: boolean; value?: Uint8Array<ArrayBuffer> }>
  cancel(): Promise<void>
}

/** Tells the data of each event until `heard` returns false; an event that was cut off is none. The body is one of bytes, as of `fetch`. */
export async function readEventData(body: ReadableStream<Uint8Array>, heard: (data: string) => boolean): Promise<void> {
  const reader = body.getReader({ mode: 'byob' }) as unknown as PatientReader
  const decoder = new TextDecoder()
  let buffer = new Uint8Array(readBytes)
  let rest = ''
  let data: string | null = null
  try {
    for (;;) {
      const isBetweenEvents = rest === '' && data === null
      const { done, value } = await reader.read(buffer, { min: isBetweenEvents ? leastEventBytes : 1 })
      if (value === undefined) return
      const lines = (rest + decoder.decode(value, { stream: true })).split(/\r\n|\n|\r(?!$)/)
      rest = lines.pop() ?? ''
      if (rest.length + (data?.length ?? 0) > maxEventChars) throw new UnreadableModelError('an event has no end')
      for (const line of lines) {
        if (line === '') {
          if (data !== null && !heard(data)) return
          data = null
        } else if (line.startsWith('data:')) {
          const said = line.slice(line[5] === ' ' ? 6 : 5)
          data = data === null ? said : `${data}\n${said}`
        }
      }
      if (done) return
      buffer = new Uint8Array(value.buffer)
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}

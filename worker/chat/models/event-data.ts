/**
 * Server-sent events from a vendor's connection. Waking up for what it brings is most of what a word costs, so an event is asked for whole:
 * the runtime's reader of chunked HTTP would bring each in two pieces.
 */
import { HeldEvent, isLargeEvent, markChars } from './held-events.ts'
import type { GoesOn } from './vendor-model.ts'

/**
 * Ours: less than the shortest part of an answer takes on the wire, more than what the runtime reads ahead with a chunk's length. What is
 * shorter is a comment or the last mark of the stream, and may come with what follows it.
 */
const leastEventBytes = 32

const readBytes = 16 * 1024

/** The runtime knows the standard's `min`; its types know only a method of its own for the same, which Node has not. */
type PatientReader = {
  read(view: Uint8Array<ArrayBuffer>, options: { readonly min: number }): Promise<{ done: boolean; value?: Uint8Array<ArrayBuffer> }>
  cancel(): Promise<void>
}

/** Tells the data of each event until `heard` says no; an event that was cut off is none. The body is one of bytes, as of `fetch`. */
export async function readEventData(
  body: ReadableStream<Uint8Array>,
  heard: (data: string) => GoesOn,
  held: HeldEvent = new HeldEvent(),
): Promise<void> {
  const reader = body.getReader({ mode: 'byob' }) as unknown as PatientReader
  const decoder = new TextDecoder()
  const { lines, restChars, restStart } = lineReader()
  let buffer = new Uint8Array(readBytes)
  let data: string | null = null
  try {
    for (;;) {
      const isBetweenEvents = restChars() === 0 && data === null
      const { done, value } = await reader.read(buffer, { min: isBetweenEvents ? leastEventBytes : 1 })
      if (value === undefined) return
      const whole = lines(decoder.decode(value, { stream: true }))
      for (let at = 0; at < whole.length; at++) {
        const line = whole[at] ?? ''
        // Let go of before it is waited for: it may be a picture.
        whole[at] = ''
        if (line === '') {
          const said: string | null = data
          data = null
          const goesOn = said === null || heard(said)
          if (!(typeof goesOn === 'boolean' ? goesOn : await goesOn)) return
          held.release()
        } else if (line.startsWith('data:')) {
          const said = line.slice(line[5] === ' ' ? 6 : 5)
          data = data === null ? said : `${data}\n${said}`
        }
      }
      const chars = restChars() + (data?.length ?? 0)
      if (isLargeEvent(chars)) await held.goOn(chars, () => (data ?? restStart()).slice(0, markChars))
      if (done) return
      buffer = new Uint8Array(value.buffer)
    }
  } finally {
    held.release()
    await reader.cancel().catch(() => undefined)
  }
}

/** Text in pieces, out in lines. A line that goes on is not looked at again for each piece: one may be a picture. */
export function lineReader() {
  let pieces: string[] = []
  let chars = 0
  return {
    lines(text: string): string[] {
      const isCut = pieces.at(-1)?.endsWith('\r') === true
      if (!isCut && !/[\r\n]/.test(text)) {
        if (text !== '') pieces.push(text)
        chars += text.length
        return []
      }
      const joined = pieces.length === 0 ? text : [...pieces, text].join('')
      pieces = []
      const whole = joined.split(/\r\n|\n|\r(?!$)/)
      const rest = whole.pop() ?? ''
      pieces = rest === '' ? [] : [rest]
      chars = rest.length
      return whole
    },
    restChars: () => chars,
    rest: () => pieces.join(''),
    restStart(): string {
      let start = ''
      for (const piece of pieces) if (start.length < markChars) start += piece
      return start.slice(0, markChars)
    },
  }
}

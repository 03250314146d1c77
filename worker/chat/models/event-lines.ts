/**
 * The events of a server, looked at before a package reads them that takes them for something else: line by line, because nobody who speaks
 * these protocols writes one in several. What is passed on are whole lines; one that was cut off is none, unless nothing of it is missing.
 */
import { leave } from '../../lib/bounded-body.ts'
import { lineReader } from './event-data.ts'

/** The data to pass on, the same or another; null: none. What it throws is the end. */
export type Judge = (data: string) => string | null

/** The mark with which OpenAI's protocol ends. */
export const lastData = '[DONE]'

/**
 * `broke`: what the judge threw. The stream then ends as if its server had said no more, because an error would take along what is still on
 * its way through the package.
 */
export function judgedLines(
  body: ReadableStream<Uint8Array>,
  judge: Judge,
  broke: (error: unknown) => void = () => undefined,
): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  const { lines, rest } = lineReader()
  let isOver = false

  /** What of these lines is passed on, up to the one that is the last. */
  const judged = (whole: readonly string[]): string => {
    let passed = ''
    for (const line of whole) {
      const data = dataOf(line)
      try {
        const kept = data === null ? line : lineOf(judge(data))
        if (kept !== null) passed += `${kept}\n`
      } catch (error) {
        broke(error)
        isOver = true
      }
      isOver ||= data === lastData
      if (isOver) break
    }
    return passed
  }

  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        for (let passed = ''; passed === '' && !isOver; ) {
          const { done, value } = await reader.read()
          passed = judged(done ? wholeRest(rest()) : lines(decoder.decode(value, { stream: true })))
          if (passed !== '') controller.enqueue(utf8.encode(passed))
          isOver ||= done
        }
        if (!isOver) return
        controller.close()
        leave(reader)
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  )
}

const dataOf = (line: string): string | null => (line.startsWith('data:') ? line.slice(line[5] === ' ' ? 6 : 5).trim() : null)

const lineOf = (data: string | null): string | null => data && `data: ${data}`

/** Some servers close behind the last letter. */
function wholeRest(line: string): readonly string[] {
  const data = dataOf(line)
  if (data === null || data === lastData) return line === '' ? [] : [line]
  try {
    JSON.parse(data)
    return [line]
  } catch {
    return []
  }
}

const utf8 = new TextEncoder()

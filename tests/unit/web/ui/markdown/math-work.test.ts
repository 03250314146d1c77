// The time to find formulas in adversarial text is linear.
import remarkGfm from 'remark-gfm'
import remarkParse from 'remark-parse'
import { unified } from 'unified'
import { describe, expect, test } from 'vitest'
import { mathSyntax } from '../../../../../web/ui/markdown/math-syntax.ts'
import { isWithinDollars } from '../../../../../web/ui/markdown/paragraph-dollars.ts'
import { isFormula } from '../../../../../web/ui/streaming-markdown/math-rules.ts'
import { mathSpans } from '../../../../../web/ui/streaming-markdown/math-spans.ts'

test.each(['$', '$$', '$a ', '\\(', '\\[', '\\(\\[', '$$ a ', '\\( a $', '$$\n', '\\[\n', '- $$\n  ', '$a\n', 'a $$\n$$\n'])(
  '%j ten thousand times is parsed',
  (unit) => {
    const parser = unified().use(remarkParse).use(remarkGfm).use(mathSyntax)
    expect(() => parser.runSync(parser.parse(unit.repeat(10_000)))).not.toThrow()
  },
)

describe('no character is read again from every earlier opener', () => {
  const leastOf = (run: () => void): number => {
    const times = Array.from({ length: 5 }, () => {
      const start = performance.now()
      run()
      return performance.now() - start
    })
    return Math.min(...times)
  }
  /** The ratio to the time for a simple text of the same length. Repeated reading makes it thousands. */
  const timesAsLong = (hard: () => void, easy: () => void): number => leastOf(hard) / Math.max(leastOf(easy), 1)

  test('in a word that might have been prose', () => {
    const word = 'a'.repeat(3200)
    const ratio = timesAsLong(
      () => isFormula('$$', ` ${word}1`, ''),
      () => isFormula('$$', ` 1${word}`, ''),
    )
    expect(ratio).toBeLessThan(100)
  })

  test.each(['\\$a', '$a ', '\\$$a ', '$$ a', '\\( a', '\\[ a $ ', '$a\\$ \\( $$ \\[ ', '$a\\$a'])('in %j at an unfinished end', (unit) => {
    const hard = `$a${unit.repeat(40_000)}`
    const easy = '$a$ '.repeat(hard.length / 4)
    const ratio = timesAsLong(
      () => mathSpans(hard),
      () => mathSpans(easy),
    )
    expect(ratio).toBeLessThan(100)
  })
})

describe('of a paragraph with possibly open dollars', () => {
  const size = 2000
  type Context = Parameters<typeof isWithinDollars>[0]
  type Point = ReturnType<Context['now']>

  /** A parser in the middle of a paragraph that counts the read characters. */
  const paragraphOf = (text: string) => {
    const point = (offset: number): Point => ({ line: 1, column: offset + 1, offset, _index: 0, _bufferIndex: offset })
    const token = { type: 'content', start: point(0) }
    let read = 0
    const parser = {
      events: [['enter', token]],
      sliceSerialize: ({ start, end }: { start: Point; end: Point }) => {
        read += end.offset - start.offset
        return text.slice(start.offset, end.offset)
      },
    }
    // The parser passes another copy of itself each time.
    const asked = (offset: number) => isWithinDollars(Object.create(parser) as Context, point(offset))
    return { asked, leave: () => Object.assign(token, { end: point(text.length) }), charsRead: () => read }
  }

  test('each line is read once', () => {
    const text = 'a $$\n$$\n'.repeat(size)
    const paragraph = paragraphOf(text)
    for (let line = 0; line < size; line += 1) expect(paragraph.asked(line * 8 + 5)).toBe(true)
    expect(paragraph.charsRead()).toBeLessThanOrEqual(text.length)
  })

  test('a question about an earlier line reads again', () => {
    const paragraph = paragraphOf('a $$\nb $$\nc $$\n')
    expect([15, 10, 5, 0].map(paragraph.asked)).toEqual([true, false, true, false])
  })

  test('nothing is open after the paragraph', () => {
    const paragraph = paragraphOf('a $$\nb')
    expect(paragraph.asked(5)).toBe(true)
    paragraph.leave()
    expect(paragraph.asked(6)).toBe(false)
  })

  test('lines that start with one dollar are not read', () => {
    let read = 0
    const counted = function (this: { data(): { micromarkExtensions?: { flow?: object | undefined }[] } }) {
      const extension = this.data().micromarkExtensions?.at(-1)
      const constructs = extension?.flow as Record<number, unknown> | undefined
      const construct = constructs?.[36] as { tokenize: (this: Context, ...rest: unknown[]) => unknown }
      const watched = {
        ...construct,
        tokenize(this: Context, ...rest: unknown[]) {
          const slice = (span: Parameters<Context['sliceSerialize']>[0]) => {
            const text = this.sliceSerialize(span)
            read += text.length
            return text
          }
          return construct.tokenize.apply(Object.create(this, { sliceSerialize: { value: slice } }) as Context, rest)
        },
      }
      this.data().micromarkExtensions?.push({ flow: { 36: watched } })
    }
    const parser = unified().use(remarkParse).use(mathSyntax).use(counted)
    parser.parse(`x\n${'$a\n'.repeat(size)}`)
    expect(read).toBe(0)
    // The same counter for a paragraph with open dollars: each line is read once by each of two readers.
    const text = `x\n${'a $$\n$$\n'.repeat(size)}`
    parser.parse(text)
    expect(read).toBeGreaterThan(text.length / 2)
    expect(read).toBeLessThanOrEqual(2 * text.length)
  })
})

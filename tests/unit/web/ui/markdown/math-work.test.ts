// The time to find formulas in adversarial text is linear.
import remarkGfm from 'remark-gfm'
import remarkMath from 'remark-math'
import remarkParse from 'remark-parse'
import { unified } from 'unified'
import { describe, expect, test } from 'vitest'
import { normalizeMath } from '../../../../../web/ui/markdown/math.ts'
import { isFormula } from '../../../../../web/ui/streaming-markdown/math-rules.ts'
import { formulasIn } from '../../../../../web/ui/streaming-markdown/math-spans.ts'

test.each(['$', '$$', '$a ', '\\(', '\\[', '\\(\\[', '$$ a ', '\\( a $', '$$\n', '\\[\n', '- $$\n  ', '$a\n', 'a $$\n$$\n'])(
  '%j ten thousand times is parsed',
  (unit) => {
    const parser = unified().use(remarkParse).use(remarkGfm).use(remarkMath, { singleDollarTextMath: false })
    expect(() => parser.parse(normalizeMath(unit.repeat(10_000)))).not.toThrow()
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

  test.each(['`a ``', '\\$a', '$a ', '\\$$a ', '$$ a', '\\( a', '\\[ a $ ', '$a\\$ \\( $$ \\[ ', '$a\\$a'])(
    'in %j at an unfinished end',
    (unit) => {
      const hard = `$a${unit.repeat(40_000)}`
      const easy = '$a$ '.repeat(hard.length / 4)
      const ratio = timesAsLong(
        () => formulasIn(hard),
        () => formulasIn(easy),
      )
      expect(ratio).toBeLessThan(100)
    },
  )
})

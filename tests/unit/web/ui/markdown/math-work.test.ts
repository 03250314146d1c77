// The time to find formulas in adversarial text is linear.
import { describe, expect, test } from 'vitest'
import { isFormula } from '../../../../../web/ui/streaming-markdown/math-rules.ts'
import { formulasIn } from '../../../../../web/ui/streaming-markdown/math-spans.ts'
import { timesAsLong } from '../../../../support/times-as-long.ts'

describe('no character is read again from every earlier opener', () => {
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

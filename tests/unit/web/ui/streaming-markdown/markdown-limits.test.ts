// Text that is not drawn as Markdown, and text of long answers that is.
import { describe, expect, test } from 'vitest'
import { emptySplit, exceedsRenderLimits, splitBlocks } from '../../../../../web/ui/streaming-markdown/blocks.ts'
import { timesAsLong } from '../../../../support/times-as-long.ts'

const many = (text: string, count = 1000): string => text.repeat(count)

const drawn = (text: string) => exceedsRenderLimits(splitBlocks(emptySplit, text).blocks)

describe('84 KB of the smallest parts are too much to render:', () => {
  test.each([
    ['paragraphs', 'a\n\n', ''],
    ['headings', '# a\n', ''],
    ['list items', '- a\n', ''],
    ['lists that are each below the limit', `${many('- a\n', 5000)}\nb\n\n`, ''],
    ['table cells', '|a|b|\n', '|a|b|\n|-|-|\n'],
    ['empty table cells', `${many('|', 100)}\n`, `${many('|a', 99)}|\n${many('|-', 99)}|\n`],
    ['tables', '|a|\n|-|\n|b|\n\n', ''],
    ['cells that are left out', '|\n', `|${many('a|', 900)}\n|${many('-|', 900)}\n`],
    ['quotes in quotes', '> a\n\n> > b\n\n', ''],
    ['code blocks', '- ```\n', ''],
    ['underlined headings', 'a\n=\n\n', ''],
    ['emphasis', '*a* ', ''],
  ])('%s', (_, unit, head) => expect(drawn(head + many(unit, Math.floor(84_000 / unit.length)))).toBe(true))
})

test.each([
  [11_000, false],
  [15_000, true],
])('a table of %i cells is too much to render: %s', (cells, isTooMuch) => {
  for (const columns of [10, 300])
    expect(drawn(`|${many('a|', columns)}\n|${many('-|', columns)}\n${many(`|${many('a|', columns)}\n`, cells / columns)}`)).toBe(isTooMuch)
})

describe('too many footnotes to render:', () => {
  test.each([
    ['definitions that refer to themselves', many('[^a]: see [^a]\n[^a]\n\n', 750)],
    ['definitions of one label', `${many('[^a]: x\n\n', 3000)}[^a]`],
    ['references to one footnote', `${many('[^a]\n\n', 5000)}[^a]: x`],
    ['footnotes that refer to each other', `${Array.from({ length: 1500 }, (_, i) => `[^${i}]: see [^${i + 1}]\n`).join('')}\n[^0]`],
  ])('%s', (_, text) => expect(drawn(text)).toBe(true))
})

test('400 footnotes and code with many character classes are not too much to render', () => {
  const notes = Array.from({ length: 400 }, (_, i) => i)
  const text = `${notes.map((i) => `A claim.[^${i}]\n\n`).join('')}${notes.map((i) => `[^${i}]: Its source.\n\n`).join('')}`
  expect(drawn(text)).toBe(false)
  expect(drawn(`\`\`\`ts\n${many('/[^a-z]/\n', 5000)}\`\`\``)).toBe(false)
})

test('the limits of a line of spaces are read in linear time', () => {
  const spaces = `${many(' ', 30_000)}a`
  const words = many('ab ', 10_000)
  expect(drawn(spaces)).toBe(false)
  const ratio = timesAsLong(
    () => drawn(spaces),
    () => drawn(words),
  )
  expect(ratio).toBeLessThan(100)
})

test('84 KB of prose, of code and of a list of 5,000 items are not too much to render', () => {
  expect(drawn(many('Some words of an answer that is as long as usual.\n\n', 1700))).toBe(false)
  expect(drawn(`\`\`\`sh\n${many('- a | b\n', 10_000)}\`\`\``)).toBe(false)
  expect(drawn(many('- a\n', 5000))).toBe(false)
})

// Text that is not parsed, and text of long answers that is.
import { describe, expect, test } from 'vitest'
import { emptySplit, splitBlocks } from '../../../../../web/ui/streaming-markdown/blocks.ts'
import { exceedsParserLimits, exceedsRenderLimits } from '../../../../../web/ui/streaming-markdown/markdown-limits.ts'
import { timesAsLong } from '../../../../support/times-as-long.ts'

const many = (text: string, count = 1000): string => text.repeat(count)

describe('too large:', () => {
  test.each([
    ['a paragraph of marks', many('*_ a] ')],
    ['the same over many lines', many('*_ a]\n')],
    ['in a quote', many('> *_ a]\n')],
    ['behind what looks like items and is indented too far to begin one', `a\n${many('      - *_ a]\n')}`],
    ['behind what looks like numbers and begins no list', `a\n${many('2. *_ a]\n')}`],
    ['behind what looks like a fence and is none', `a\n     \`\`\`\n${many('*_ a]\n')}`],
    ['behind code whose item is over', `- \`\`\`\n${many('*_ a]\n')}`],
    ['behind an item that is over', `- a\n  - b\n    - c\n\nd\n${many('      - *_ a]\n')}`],
    ['in bars that are no table', many('| *_ a] |\n')],
    ['in one cell', `| a |\n|---|\n| ${many('*_ a] ')} |`],
    ['a hundred quotes in each other', many('> ', 101)],
    ['a list that is indented a hundred levels deep', Array.from({ length: 102 }, (_, i) => `${' '.repeat(2 * i)}- a\n`).join('')],
    ['lists that open in items again and again', many('- a\n  - b\n', 2100)],
    ['items that open lists in one line', many('- - - a\n', 1100)],
    ['quotes that open in items', many('- > a\n', 2100)],
    ['quotes that open in quotes', many('> a\n> > b\n', 2100)],
    ['lists that open in a quote', many('> - a\n> ***\n', 2100)],
    ['quotes with lazy lines', many('> a\nb\n', 2100)],
    ['underlined headings without a blank line', many('a\n=\n', 501)],
    ['the same in a quote', many('> a\n> =\n', 501)],
    ['60 lists in each other with lazy lines', `${many('- ', 60)}a\n${many('b\n')}`],
    ['lists in quotes with lazy lines', `${many('> - ', 30)}a\n${many('b\n')}`],
    ['the same with lazy lines that continue the first quote', `${many('> - ', 30)}a\n${many('> b\n')}`],
    ['lists with lazy lines that are indented too far to begin an item', `${many('-    ', 60)}a\n${many('    - b\n')}`],
    ['60 lists in each other with many blank lines', `${many('- ', 60)}a\n${many('\n', 4000)}  b`],
    ['the same in code', `${many('- ', 60)}\`\`\`\n${many('\n', 4000)}  b`],
    ['a paragraph of backslashes and ampersands', `$$\\begin{matrix}${many('a&b\\\\', 14_000)}\\end{matrix}$$`],
    ['a paragraph of many lines', many('a b\n', 7000)],
    ['a label that is too long', `[${many('a ', 21_000)}]: x`],
    ['a reference whose label is too long', `[${many('a ', 21_000)}]`],
    ['words behind a bracket that is never closed', `[${many('a ', 5000)}`],
    ['the same, with brackets in code that close nothing', `[ \`]\n] \`${many('a ', 5000)}`],
    ['the same, with an escaped bracket that closes nothing', `[ \\]${many('a ', 5000)}`],
    ['items that each begin code', many('- ```\n', 1001)],
    ['a table of too many columns', `|${many('a|', 1001)}\n|${many('-|', 1001)}\n`],
    ['a table whose rows lack most of its cells', `|${many('a|', 900)}\n|${many('-|', 900)}\n${many('|\n', 12)}`],
  ])('%s', (_, text) => expect(exceedsParserLimits(text)).toBe(true))
})

describe('not too large:', () => {
  test.each([
    ['a long list', many('- **Bold** and [a link](https://example.com/a_b), `code`\n')],
    ['a long list of numbers', Array.from({ length: 1000 }, (_, i) => `${i + 1}. **Bold** and [a](b)\n`).join('')],
    ['a list in a list', many('- **One** [a](b)\n  - _two_ [a](b)\n    - `three` [a](b)\n')],
    ['a long table', `| a | b |\n|---|---|\n${many('| **Bold** | [a](b) |\n')}`],
    ['many paragraphs', many('**Bold** and [a link](https://example.com/a_b).\n\n')],
    ['code in an item', `1. Do this:\n   \`\`\`ts\n${many('   a[0] = *b_c < d\n')}   \`\`\`\n2. Done.`],
    ['code right below an item', `- Do this:\n\`\`\`ts\n${many('a[0] = *b_c < d\n')}\`\`\`\nDone.`],
    ['a paragraph of a thousand marks', many('[a] ')],
    ['a long list whose items are quoted', many('> - a\n', 5000)],
    ['a long quote in a quote', many('> > a\n', 5000)],
    ['a long flat list', many('- a\n', 5000)],
    ['items with a lazy line each', many('- a\nb\n', 1900)],
    ['nested lists with blank lines between', many('- a\n\n  - b\n\n    - c\n\n')],
    ['headings below deep items', many('- a\n  - b\n\n# c\n', 900)],
    ['a long paragraph after closed brackets', `[a] [b](c) ${many('word ', 10_000)}`],
    ['a log with a bracket in each line', many('[12:00] a message of six words here\n', 1900)],
    ['a paragraph of interval notation', `On [0, 1) it holds. ${many('word ', 3000)}`],
    ['a formula of matrices', `$$${many('\\begin{matrix}a&b\\\\c&d\\end{matrix}', 90)}$$`],
    ['underlined headings with blank lines', many('a\n=\n\n', 2000)],
    ['a wide table with all its cells', `|${many('a|', 50)}\n|${many('-|', 50)}\n${many(`|${many('a|', 50)}\n`, 500)}`],
  ])('%s', (_, text) => expect(exceedsParserLimits(text)).toBe(false))
})

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

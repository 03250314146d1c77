/** [Markdown 1] A list of several blocks renders as at once: for each property of a whole list, for random lists, and wherever it is cut. */
import { describe, expect, test } from 'vitest'
import { emptySplit, splitBlocks } from '../../../web/ui/streaming-markdown/blocks.ts'
import { createRng, type Rng } from '../../support/rng.ts'
import { atOnce, byBlocks } from './render.tsx'

/** Text after which the next item starts another block. */
const words = 'word '.repeat(110).trim()

const blocksOf = (text: string) => splitBlocks(emptySplit, text).blocks

const continued = (text: string): number => blocksOf(text).filter(({ list }) => list?.isFirst === false).length

describe('a list of three blocks', () => {
  test.each([
    ['is tight', `- a ${words}\n- b ${words}\n- c`],
    ['is loose by a blank line before its last block', `- a ${words}\n- b ${words}\n\n- c`],
    ['is loose by its last item', `- a ${words}\n- b ${words}\n- c\n\n  d`],
    ['is loose by its first item', `- a\n\n  ${words}\n- b ${words}\n- c`],
    ['is tight around a blank line in code', `- \`\`\`\n  a\n\n  b\n  \`\`\`\n  ${words}\n- c ${words}\n- d`],
    ['is tight around a loose inner list', `- a ${words}\n  - b\n\n  - c\n- d ${words}\n- e`],
    ['has inner lists', `- a ${words}\n  1. b\n  2. c\n- d ${words}\n  - e\n    - f\n- g\n  - h`],
    ['starts with 7', `7. a ${words}\n8. b ${words}\n1. c`],
    ['contains code', `1. a ${words}\n   \`\`\`js\n   b\n\n   - c\n   \`\`\`\n2. d ${words}\nlazy\n3. \`\`\`\n   e\n\n   \`\`\``],
    ['has one task in its last block', `- a ${words}\n- b ${words}\n- [x] c`],
    ['has its first letters in its last block', `- 1 ${'2 '.repeat(300)}\n- 3 ${'4 '.repeat(300)}\n- שלום`],
    ['changes its direction', `- سلام ${words}\n- b ${words}\n- c`],
    ['uses definitions of its items and of other blocks', `- [a] ${words}\n- [b] ${words}\n\n  [a]: /u\n- [a] [b]\n\n[b]: /v`],
    ['has footnotes', `- a[^2] ${words}\n- b[^1] ${words}\n- c[^2]\n\n[^1]: one\n\n[^2]: two`],
    ['has formulas', `- $a$ ${words}\n- b\n  $$\n  c\n  $$\n  ${words}\n- \\(d\\)`],
  ])('%s', (_, text) => {
    expect(continued(text)).toBe(2)
    expect(byBlocks(text)).toBe(atOnce(text))
  })
})

describe('a long list', () => {
  test.each([
    ['is followed by a paragraph', `- a ${words}\n- b\n\nc`],
    ['is followed by a list with another marker', `- a ${words}\n- b\n* c ${words}\n* d`],
    ['is followed by a rule that resembles an item', `- a ${words}\n- b\n- - -\n- c ${words}\n- d`],
    ['may have ended in its last block', `- a ${words}\n- \`b\`\nc\n\n2. d\n- e`],
    ['is followed by text that may belong to its last item', `- a ${words}\n- ~~~\nb\n<b>\n- c\n* * *`],
    ['is followed by indented code', `- a ${words}\n-  b\n\n     c\n\n    d`],
    ['contains a quote with a lazy line', `- a ${words}\n- > b ${words}\nlazy\n- c`],
    ['is behind a formula', `a\n\n$$\na\n$$ - b ${words}\n- c ${words}\n- d`],
    ['contains open code that contains the next blank lines', `- a ${words}\n- \`\`\`\n  ${words}\n\n\n- b`],
    ['contains HTML that may contain the next blank line', `- a ${words}\n- <script> ${words}\n\n- b`],
    ['contains a formula that may contain the next blank line', `- a ${words}\n- ${words}\n  $$\n\n- b`],
  ])('that %s', (_, text) => {
    expect(blocksOf(text).length).toBeGreaterThan(1)
    expect(byBlocks(text)).toBe(atOnce(text))
  })
})

const lines = [
  ...['- a', '- b', '* c', '+ d', '1. e', '2. f', '3) g', '-', '1.', '- [ ] h', '- [x] i', '-\t j', ' - k', '  - l', '   - m', '      - n'],
  ...[
    '- - o',
    '1. - p',
    '- 1. q',
    '- * r',
    '   2. s',
    '- > t',
    '- # u',
    '- 1',
    '- שלום',
    '- 🎉 v',
    '-     code',
    '- `w',
    '- | x |',
    '- “y”',
    '- <https://a.example>',
  ],
  ...[
    '  text',
    '    text',
    'lazy',
    '🎉',
    '',
    '',
    '',
    '  ',
    '  ```',
    '```',
    '- ```js',
    '  ~~~',
    '- ~~~',
    '> y',
    '  > y',
    '# z',
    '  # z',
    '---',
  ],
  ...[
    '* * *',
    '===',
    '<div>',
    '- <div>',
    '  <!-- -->',
    '<!--',
    '- <script>',
    '[a]: /u',
    '  [a]: /u',
    '- [a]',
    '- [b][a]',
    '| a |',
    '|---|',
  ],
  ...['  $$', '- $$', '$$', '- \\[', '  \\]', '- $x$', '- a[^1]'],
]

/** Few kinds of lines, so that lists become long. */
const listOf = (rng: Rng): string => {
  const common = Array.from({ length: 2 + rng.below(6) }, () => rng.pick(lines))
  const line = () => rng.pick(rng.chance(0.6) ? common : lines) + (rng.chance(0.3) ? ` ${words}` : '')
  return Array.from({ length: 2 + rng.below(16) }, line).join('\n')
}

const texts = process.env.PARLEY_LONG ? 10_000 : 500

test(`${texts} random lists render the same and end in the same blocks wherever they are cut`, { timeout: 600_000 }, () => {
  const rng = createRng(20_261_203)
  let continuing = 0
  for (let count = 0; count < texts; count += 1) {
    const text = listOf(rng)
    expect(byBlocks(text), JSON.stringify(text)).toBe(atOnce(text))
    const blocks = blocksOf(text)
    const cut = rng.below(text.length)
    expect(splitBlocks(splitBlocks(emptySplit, text.slice(0, cut)), text).blocks, `${JSON.stringify(text)} cut at ${cut}`).toEqual(blocks)
    continuing += continued(text)
  }
  expect(continuing).toBeGreaterThan(texts / 4)
})

test('finished blocks of a list keep their identity until a later item makes it loose', () => {
  const text = `- a ${words}\n- b ${words}\n- c\n`
  const before = splitBlocks(emptySplit, text)
  const tight = splitBlocks(before, `${text}- d`)
  expect(tight.blocks.slice(0, 2).every((block, index) => block === before.blocks[index])).toBe(true)
  expect(splitBlocks(tight, `${text}- d\n\n- e`).blocks.map(({ list }) => list?.isLoose)).toEqual([true, true, true])
})

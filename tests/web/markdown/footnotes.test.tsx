/** [Markdown 1] A text with footnotes renders block by block as at once, for random texts. */
import { expect, test } from 'vitest'
import { emptySplit, splitBlocks } from '../../../web/ui/streaming-markdown/blocks.ts'
import { createRng, type Rng } from '../../support/rng.ts'
import { atOnce, byBlocks } from './render.tsx'

const fragments = [
  ...['a[^1]', 'b [^2] c', '[^a][^1]', '[^none]', '**d[^1]**', '| a[^2] | b |\n|---|---|', '# e[^a]', '- f[^2]', '> g[^1]', '`[^1]`'],
  ...[
    '[^1]: one',
    '[^2]: two[^1]',
    '[^a]: three\nlazy',
    '[^1]: again',
    '[^2]: four\n\n    five',
    '[^a]: - item',
    '[^1]:',
    '- [^2]: six',
    '- h\n  [^1]: seven\n- i[^2]',
    '1. [^a]: eight\n\n   j',
    '- > [^2]: nine',
    '- k\n\n  [^2]: ten\nlazy',
    '> l[^2]\n> [^a]: eleven',
    '>     [^1]: code\n> m',
    '> ```\n> [^1]: twelve',
    `- ${'long '.repeat(120)}[^1]\n- [^2]: thirteen\n- n[^a]\n\n- [^1]: fourteen`,
    '- o\n  2. [^1]: fifteen',
    '[^a]: [seven](/u) more\nlazy',
    '[^1]: <https://a.example>\nlazy',
    '[^2]: see <https://a.example>\n<https://b.example>',
    '[^a]: “eight”\n„nine“\n🎉',
  ],
  ...['text', '    code', '```\n[^1]: x\n```', '---', '[l]: /u', '[l]', '***'],
]

const textOf = (rng: Rng): string =>
  Array.from({ length: 2 + rng.below(10) }, () => rng.pick(fragments) + rng.pick(['\n', '\n\n', '\n\n'])).join('')

const texts = process.env.PARLEY_LONG ? 30_000 : 1000

test(`${texts} random texts with footnotes render the same`, { timeout: 600_000 }, () => {
  const rng = createRng(20_261_126)
  const all = Array.from({ length: texts }, () => textOf(rng))
  expect(all.filter((text) => byBlocks(text) !== atOnce(text)).slice(0, 3)).toEqual([])
})

test('finished blocks keep their identity while a footnote grows', () => {
  const before = splitBlocks(emptySplit, 'a[^1]\n\nb\n\n[^1]: c\n')
  const after = splitBlocks(before, 'a[^1]\n\nb\n\n[^1]: c\nand more')
  expect(after.blocks.slice(0, 2).every((block, index) => block === before.blocks[index])).toBe(true)
})

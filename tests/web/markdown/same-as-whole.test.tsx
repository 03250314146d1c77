/** [Markdown 1] An answer rendered block by block equals one rendered at once, for any content and wherever it was cut while streaming. */
import { describe, expect, test } from 'vitest'
import { emptySplit, splitBlocks } from '../../../web/ui/streaming-markdown/blocks.ts'
import { createRng, type Rng } from '../../support/rng.ts'
import { answers } from './answers.ts'
import { atOnce, byBlocks } from './render.tsx'

describe.each(Object.entries(answers))('%s', (_, text) => {
  test('looks the same', () => expect(byBlocks(text)).toBe(atOnce(text)))

  test('ends in the same blocks wherever it was cut', () => {
    const whole = splitBlocks(emptySplit, text).blocks
    for (let cut = 0; cut <= text.length; cut += 1) {
      const begun = splitBlocks(emptySplit, text.slice(0, cut))
      expect(splitBlocks(begun, text).blocks, `cut at ${cut}`).toEqual(whole)
    }
  })

  test('renders at every length', () => {
    for (let length = 0; length <= text.length; length += 7) expect(() => byBlocks(text.slice(0, length), true)).not.toThrow()
  })
})

test.each([
  '$$\n$$$$\n$$\n*',
  ' $$\n>\n a',
  '[a]\n$$\n$$```[a]:',
  '2. ```\n   ```a\n\n\nr',
  '$$\n>$$',
  '1. \\[\n2\\]\n* ]',
  '[a]: /u```$$\n$$\n\nb',
  '$$\n1. a\n[a]: /u\n  ```\n- # u\n$$ b',
  'a $$x\n\\[\n$$\n\\]\n$$\nb',
  '```\n|---|\n| $a|b$ |\n```',
  '| $$ | b |\n|---|---|\n# h\n| $$ | c | $$ |\n|---|---|',
])('a formula or code next to another mark renders the same: %j', (text) => expect(byBlocks(text)).toBe(atOnce(text)))

const fragments = [
  'a',
  'foo bar',
  '- ',
  '* x',
  '+ y',
  '1. ',
  '2. b',
  '10) z',
  '> ',
  '>',
  '```',
  '````',
  '~~~',
  '```js',
  '    ',
  '  ',
  '   ',
  '\t',
  '\n',
  '\n',
  '\n\n',
  '\n\n',
  '# h',
  '#',
  '---',
  '***',
  '===',
  '- - -',
  '<div>',
  '</div>',
  '<!--',
  '-->',
  '<script>',
  '</script>',
  '<br>',
  '<a href="x">',
  '[a]: /u',
  '[a]: https://a.example',
  '[a]',
  '[b][a]',
  '| a | b |',
  '|---|---|',
  '| c | d |',
  ':-',
  'a | b',
  '-|-',
  '[ ] t',
  '`x`',
  '**b**',
  '"t"',
  '-',
  '*',
  '1.',
  '| ',
  '$$',
  '$$',
  '$',
  '$x$',
  '\\[',
  '\\]',
  '\\(',
  '\\)',
  'x^2',
  '$$y$$',
  '**「',
  '」**',
  '~',
  '~~',
  '<sub>',
  '</sub>',
  '<u>z</u>',
  'https://a.example/x_y_。',
  '（www.a.example）',
  '$a|b$',
]

const nonsense = (rng: Rng): string =>
  Array.from({ length: 1 + rng.below(22) }, () => rng.pick(fragments) + (rng.chance(0.35) ? '\n' : '')).join('')

const texts = process.env.PARLEY_LONG ? 60_000 : 1000

test(`${texts} random combinations of difficult constructs render the same`, { timeout: 600_000 }, () => {
  const rng = createRng(20_261_120)
  for (let count = 0; count < texts; count += 1) {
    const text = nonsense(rng)
    expect(byBlocks(text), JSON.stringify(text)).toBe(atOnce(text))
  }
})

test('texts that grow token by token end in the same blocks', () => {
  const rng = createRng(7)
  for (let count = 0; count < 400; count += 1) {
    const text = nonsense(rng)
    let split = emptySplit
    for (let length = 1; length <= text.length; length += 1 + rng.below(4)) split = splitBlocks(split, text.slice(0, length))
    expect(splitBlocks(split, text).blocks, JSON.stringify(text)).toEqual(splitBlocks(emptySplit, text).blocks)
  }
})

// Recognition of formulas: typical notations of models, but not money and escaped text.
import type { Nodes, Root } from 'mdast'
import remarkGfm from 'remark-gfm'
import remarkParse from 'remark-parse'
import { unified } from 'unified'
import { describe, expect, test } from 'vitest'
import { mathSyntax } from '../../../../../web/ui/markdown/math-syntax.ts'
import { mayHaveMath } from '../../../../../web/ui/streaming-markdown/math-rules.ts'
import { mathSpans } from '../../../../../web/ui/streaming-markdown/math-spans.ts'

const parser = unified().use(remarkParse).use(remarkGfm).use(mathSyntax)

/** The formulas of a text with their kinds. */
const formulasIn = (text: string): readonly string[] => {
  const found: string[] = []
  const visit = (node: Nodes): void => {
    if (node.type === 'formula') found.push(`${node.data.hProperties['data-math']} ${node.data.hChildren[0]?.value}`)
    if ('children' in node) node.children.forEach(visit)
  }
  visit(parser.runSync(parser.parse(text)) as Root)
  return found
}

describe('a formula', () => {
  test.each<[text: string, formulas: readonly string[]]>([
    ['let $x$ be', ['inline x']],
    ['the $n$th and the $k$-th, ($a$), $b$.', ['inline n', 'inline k', 'inline a', 'inline b']],
    ['公式$x^2$是', ['inline x^2']],
    ['$a_1 * b_2 * c$ and *this*', ['inline a_1 * b_2 * c']],
    ['$\\$5$ in TeX', ['inline \\$5']],
    ['$[a](b)$ and $<b>$', ['inline [a](b)', 'inline <b>']],
    ['by \\(a + b\\) and \\( c \\)', ['inline a + b', 'inline c']],
    ['by \\(\na\n\\)', ['inline a']],
    ['\\[x = 1\\]', ['display x = 1']],
    ['\\[\nx\n\n- 1\n\\]', ['display x\n\n- 1']],
    ['$$\nx\n$$', ['display x']],
    ['$$x$$', ['display x']],
    ['so:\n$$x + 1$$\nand', ['display x + 1']],
    ['so:\n$$\nx\n+ 1\n$$\nand', ['display x\n+ 1']],
    ['a $$x$$ within', ['inline x']],
    ['$$x\n= y\n$$\n\ntext', ['display x\n= y']],
    ['$$\nx = y$$\n\ntext', ['display x = y']],
    ['$$\nx\n$$, where *y*', ['display x']],
    ['$$\na \\$ b\n$$', ['display a \\$ b']],
    ['- a\n\n  $$\n  x\n  $$\n- \\[y = 1\\]', ['display x', 'display y = 1']],
    ['> $$\n> x\n> $$\n\nb', ['display x']],
    ['| $a$ | b |\n|---|---|\n| $c \\| d$ | e |', ['inline a', 'inline c | d']],
    ['$$\nx\n\nto the end', ['open x\n\nto the end']],
  ])('%j', (text, formulas) => {
    expect(formulasIn(text)).toEqual(formulas)
    expect(mayHaveMath(text) || formulas[0]?.startsWith('open')).toBe(true)
  })
})

test.each([
  '$5 and $10',
  '$5-$10, $5/$10, $5, $6',
  'from $1.50 (was $2) to $3',
  'US$5 and AU$6',
  '5$ and 6$',
  '$5 and then 10$',
  '$20 million, $30 million$',
  '$HOME/$USER and $PATH',
  'a $ b $ c',
  '$a\nb$',
  '`$x$` and ``\\(y\\)``',
  '$HOME and `$x`',
  '\\$x\\$ and \\\\(y\\\\)',
  '```\n$$\nx\n$$\n```',
  '    $$\n    x\n    $$',
  '$$ or $$$ restaurants',
  '$$ or $$',
  '$$ is the process',
  '\\(\\) \\[\\]',
  '\\[1\\] and \\[sic\\] and \\[a link\\](https://example.com)',
  '- \\[ \\] open\n- \\[ x \\] done',
  '[a\\(b\\)]: /u',
  '\\(x',
  '$$x',
])('%j has no formula', (text) => expect(formulasIn(text)).toEqual([]))

test.each([
  ['a $$x$$ and \\(y', 12],
  ['a $$x$$ and \\(y\\)', -1],
  ['it costs $5', -1],
  ['\\\\( and \\$$x', -1],
  ['\\\\\\(x', 2],
  ['\\(a \\(b\\)', -1],
  ['$$ or $$ restaurants', -1],
  ['$$x', 0],
])('in %j an unfinished one starts at %i', (text, openAt) => expect(mathSpans(text).openAt).toBe(openAt))

test.each([
  ['a $x_1$ b', 'a xxxxx b'],
  ['\\$x_1$ b', '\\$x_1$ b'],
  ['$a\\$_b$ c', 'xxxxxxx c'],
  ['$5 and *10*$', '$5 and *10*$'],
  ['\\(a_b\\) \\[c_d\\]', 'xxxxxxx xxxxxxx'],
  ['$$\nab\n$$ *c* $$d_e$$', 'xxxxxxxx *c* xxxxxxx'],
])('%j without finished ones is %j', (text, bare) => expect(mathSpans(text).bare).toBe(bare))

test('an inline one has a length limit', () => {
  expect(formulasIn(`a $${'x'.repeat(4000)}$`)).toHaveLength(1)
  expect(formulasIn(`a $${'x'.repeat(4001)}$`)).toEqual([])
  expect(formulasIn(`$$\n${'x'.repeat(9000)}\n$$`)).toHaveLength(1)
})

// Recognition of formulas: typical notations of models, but not money and escaped text.
import type { Token } from 'markdown-it'
import { describe, expect, test } from 'vitest'
import { answerParser, noDefinitions } from '../../../../../web/ui/streaming-markdown/answer-parser.ts'
import { formulasIn } from '../../../../../web/ui/streaming-markdown/math-spans.ts'

/** All tokens, also those within a line and in descriptions of images. */
const tokensIn = (text: string): readonly Token[] => {
  const below = (token: Token): readonly Token[] => [token, ...(token.children ?? []).flatMap(below)]
  return answerParser.parse(text, noDefinitions()).flatMap(below)
}

/** The formulas of a text with their kinds. */
const shownIn = (text: string): readonly string[] =>
  tokensIn(text).flatMap(({ type, content, meta }) => (type === 'formula' ? [`${meta?.kind} ${content}`] : []))

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
    ['- $$\n  x', ['open x']],
    ['> - \\[\n>   x_1\n>   + y', ['open x_1\n+ y']],
  ])('%j', (text, formulas) => expect(shownIn(text)).toEqual(formulas))
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
])('%j has no formula', (text) => expect(shownIn(text)).toEqual([]))

test.each([
  ['a $$x$$ and \\(y', 12],
  ['a $$x$$ and \\(y\\)', -1],
  ['it costs $5', -1],
  ['\\\\( and \\$$x', -1],
  ['\\\\\\(x', 2],
  ['\\(a \\(b\\)', -1],
  ['$$ or $$ restaurants', -1],
  ['$$x', 0],
])('in %j an unfinished one starts at %i', (text, openAt) => expect(formulasIn(text).openAt).toBe(openAt))

test.each([
  ['a $x_1$ b', ['$x_1$']],
  ['\\$x_1$ b', []],
  ['$a\\$_b$ c', ['$a\\$_b$']],
  ['$5 and *10*$', []],
  ['\\(a_b\\) \\[c_d\\]', ['\\(a_b\\)', '\\[c_d\\]']],
  ['$$\nab\n$$ *c* $$d_e$$', ['$$\nab\n$$', '$$d_e$$']],
  ['`$a` and $b$ and ``$c` $d$``', ['$b$']],
])('%j has the spans %j', (text, spans) => {
  expect(formulasIn(text).spans.map(({ start, end }) => text.slice(start, end))).toEqual(spans)
})

test('an inline one has a length limit', () => {
  expect(shownIn(`a $${'x'.repeat(4000)}$`)).toHaveLength(1)
  expect(shownIn(`a $${'x'.repeat(4001)}$`)).toEqual([])
  expect(shownIn(`$$\n${'x'.repeat(9000)}\n$$`)).toHaveLength(1)
})

test.each([
  ['code', '`\\(x\\)` and `$$`', ['\\(x\\)', '$$']],
  ['indented code', '    \\[\n    x\n    \\]', ['\\[\nx\n\\]']],
  ['indented code of an item', '- a\n\n      \\(x\\) $$', ['\\(x\\) $$']],
  ['fenced code of an item', '- ~~~\n  $x$ \\[y = 1\\]\n  ~~~', ['$x$ \\[y = 1\\]']],
  ['a tag', '<a title="\\(x\\) $y$">', ['<a title="\\(x\\) $y$">']],
  ['an address', '[a](https://example.com/$x$) ![b](/$$ "\\(t\\)")', ['https://example.com/$x$', '/$$', '(t)', 'b', 'a']],
  ['prose', '$5 or $$ or $$$ and **$6**', ['$5 or $$ or $$$ and ', '$6']],
])('%s keeps its dollars and backslashes', (_, text, expected) => {
  const found = tokensIn(text).flatMap(({ type, content, attrs }) => [
    ...(type === 'inline' ? [] : [content.replace(/\n$/, '')]),
    ...(attrs ?? []).map(([, value]) => String(value)),
  ])
  expect(found).toEqual(expect.arrayContaining([...expected]))
})

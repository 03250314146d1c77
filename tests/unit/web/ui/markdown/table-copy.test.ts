import type { Element } from 'hast'
import { expect, test } from 'vitest'
import { withCitations } from '../../../../../web/ui/markdown/citations.ts'
import { setDirections } from '../../../../../web/ui/markdown/directions.ts'
import { tokensOf } from '../../../../../web/ui/markdown/drawn-block.tsx'
import { treeOf } from '../../../../../web/ui/markdown/element-tree.ts'
import { tableCsv, tableHtml, tableMarkdown } from '../../../../../web/ui/markdown/table-copy.ts'
import { noDefinitions } from '../../../../../web/ui/streaming-markdown/answer-parser.ts'

const sources = [{ number: 1, title: 'Tides', url: 'https://tides.example', site: 'tides.example' }]

function tableOf(text: string): Element {
  const root = treeOf(tokensOf(text, noDefinitions()), {
    citationsIn: (tokens) => withCitations(tokens, sources),
    noteOf: (id) => ({ id, number: 1, times: 1 }),
  })
  setDirections(root)
  const [table] = root.children
  if (table?.type !== 'element') throw new Error('There is no table.')
  return table
}

const odd = [
  '| Name | Value |',
  '|:--|--:|',
  '| comma | 1,234 |',
  '| quote | say "yes" |',
  '| break | one<br>two |',
  String.raw`| pipe | a \| b and ${'`x \\| y`'} |`,
  '| formula | =SUM(A1:A2) |',
  '| math | $x^2$ |',
  '| 汉字 | 你好，世界 |',
  '| empty |  |',
  '| cited | 12 [1] |',
  '| marked | **bold** and [link](https://a.example/?b=1&c=2) |',
  '| tags | 1 < 2 & 3 |',
].join('\n')

test('a table as CSV has one line for each row, and quotes what would break it', () => {
  expect(tableCsv(tableOf(odd)).split('\r\n')).toEqual([
    'Name,Value',
    'comma,"1,234"',
    'quote,"say ""yes"""',
    'break,"one\ntwo"',
    'pipe,a | b and x | y',
    "formula,'=SUM(A1:A2)",
    'math,x^2',
    '汉字,你好，世界',
    'empty,',
    'cited,12',
    'marked,bold and link',
    'tags,1 < 2 & 3',
    '',
  ])
})

test.each([
  ["=HYPERLINK('x')", "'=HYPERLINK('x')"],
  ['@SUM(1)', "'@SUM(1)"],
  ['+cmd', "'+cmd"],
  ['-2+3', "'-2+3"],
  ['-5', '-5'],
  ['+12.5 %', '+12.5 %'],
  ['-1.234 €', '-1.234 €'],
  ['5-3', '5-3'],
])('a cell %s is written as %s, so that a spreadsheet reads no formula', (cell, written) => {
  expect(tableCsv(tableOf(`| a |\n|--|\n| ${cell} |`))).toBe(`a\r\n${written}\r\n`)
})

// marktext/marktext#660: the cells beyond the columns were lost.
test.each([
  ['in code', '| `ps | grep x` | done |', 'ps | grep x,done'],
  ['in several cells', '| `a | b` | ``c`|`d | e`` |', 'a | b,c`|`d | e'],
  ['in code and in a formula', '| `a | b` | $|x|$ |', 'a | b,|x|'],
  ['that are two in a row', '| `a || b` | c |', 'a || b,c'],
  ['that divide two backticks', '| ` | ` |', '`,`'],
  ['that divide two backticks of a longer row', '| ` | ` | c |', '|,c'],
  ['too many, also without those in code', '| `a | b` | c | d |', '`a,b`'],
  ['after an escaped backtick', '| \\` a | b ` | c |', '` a,b `'],
])('bars of code %s', (_, row, line) => {
  expect(tableCsv(tableOf(`| a | b |\n|--|--|\n${row}`)).split('\r\n')[1]).toBe(line)
})

test('a head with bars in code', () => {
  expect(tableCsv(tableOf('| `a | b` | c |\n|--|--|\n| 1 | 2 |'))).toBe('a | b,c\r\n1,2\r\n')
})

test('a table as Markdown draws the same table again', () => {
  const markdown = tableMarkdown(tableOf(odd))
  expect(markdown.split('\n').slice(0, 2)).toEqual(['| Name | Value |', '| :-- | --: |'])
  expect(tableMarkdown(tableOf(markdown))).toBe(markdown)
  expect(tableCsv(tableOf(markdown))).toBe(tableCsv(tableOf(odd)))
  expect(tableHtml(tableOf(markdown))).toBe(tableHtml(tableOf(odd)))
  expect(markdown).toContain('| cited | 12 [1] |')
})

test('a table as HTML keeps alignment, direction and marks, and is escaped', () => {
  const html = tableHtml(tableOf(odd))
  expect(html).toMatch(
    /^<table><thead><tr><th style="text-align:left">Name<\/th><th style="text-align:right">Value<\/th><\/tr><\/thead><tbody>/,
  )
  expect(html).toContain('<td style="text-align:right"><strong>bold</strong> and <a href="https://a.example/?b=1&amp;c=2">link</a></td>')
  expect(html).toContain('1 &lt; 2 &amp; 3')
  expect(html).toMatch(/one<br[^>]*>\s*two/)
  expect(html).toContain('>12</td>')
  expect(tableHtml(tableOf('| اسم | قيمة |\n|--|--|\n| واحد | 1 |'))).toMatch(/^<table dir="rtl">/)
  expect(tableHtml(tableOf('| a |\n|--|\n| <script>alert(1)</script>[x](javascript:alert(1)) |'))).not.toMatch(/<script|javascript:/)
})

import { describe, expect, test } from 'vitest'
import { emptySplit, splitBlocks } from '../../../../../web/ui/streaming-markdown/blocks.ts'

/** Without line breaks at their ends. */
const sources = (text: string, previous = emptySplit) => splitBlocks(previous, text).blocks.map(({ source }) => source.replace(/\n+$/, ''))

describe('a text is split where a top-level block starts', () => {
  test.each<[name: string, text: string, blocks: readonly string[]]>([
    ['nothing', '', []],
    ['paragraphs', 'a\nb\n\nc', ['a\nb', 'c']],
    ['blank lines at the end are left out', 'a\n\n\n', ['a']],
    ['a heading ends by itself', '# a\nb', ['# a', 'b']],
    ['a heading ends a paragraph', 'a\n## b\nc', ['a', '## b', 'c']],
    ['an underline belongs to its heading', 'a\n===\n\nb', ['a\n===', 'b']],
    ['a rule stands alone', 'a\n\n***\nb', ['a', '***', 'b']],
    ['a fence swallows blank lines', '```js\na\n\n# b\n```\nc', ['```js\na\n\n# b\n```', 'c']],
    ['a fence is closed by its own kind, at least as long', '````\n```\n~~~\n````\na', ['````\n```\n~~~\n````', 'a']],
    // lobehub/lobehub#8013, continuedev/continue#5772, danny-avila/LibreChat#14008
    [
      'a fence of Markdown holds others',
      '```markdown\n# a\n\n```js\nb\n```\n\nc\n```\nd',
      ['```markdown\n# a\n\n```js\nb\n```\n\nc\n```', 'd'],
    ],
    [
      'several of them, and one in another',
      '```md\n```md\n```js\n```\n```\n```js\n```\n```\nd',
      ['```md\n```md\n```js\n```\n```\n```js\n```\n```', 'd'],
    ],
    ['a fence of Markdown without others', '```markdown\n# a\n```\nb\n```\nc', ['```markdown\n# a\n```', 'b', '```\nc']],
    ['a longer fence of Markdown needs no balance', '````markdown\n```js\n````\na', ['````markdown\n```js\n````', 'a']],
    ['a longer fence within', '```markdown\n````js\n```\n````\n```\na', ['```markdown\n````js\n```\n````\n```', 'a']],
    ['a fence of another language holds none', '```js\n```md\n```\na', ['```js\n```md\n```', 'a']],
    ['an open fence of Markdown', '```markdown\n```js\na\n```\n\nb', ['```markdown\n```js\na\n```\n\nb']],
    [
      'a fence of Markdown in an item',
      '- ```markdown\n  ```js\n  a\n  ```\n  b\n  ```\n\nc',
      ['- ```markdown\n  ```js\n  a\n  ```\n  b\n  ```', 'c'],
    ],
    ['a fence ends a paragraph', 'a\n```\nb\n```', ['a', '```\nb\n```']],
    ['an open fence runs to the end', 'a\n\n```\nb\n\nc', ['a', '```\nb\n\nc']],
    ['inline code at a line start is not a fence', '```a``` b\n\nc', ['```a``` b', 'c']],
    ['a list keeps its items together over blank lines', '- a\n\n- b\n\n  c\n\nd', ['- a\n\n- b\n\n  c', 'd']],
    ['another kind of marker is another list', '- a\n\n* b', ['- a', '* b']],
    ['numbers and what follows them', '1. a\n   ```\n   b\n   ```\n2. c\n\nd', ['1. a\n   ```\n   b\n   ```\n2. c', 'd']],
    ['a list may end a paragraph, but not with any number', 'a\n- b\n\nc\n2. d', ['a', '- b', 'c\n2. d']],
    ['a lazy line belongs to the item', '- a\nb\n\nc', ['- a\nb', 'c']],
    ['a quote ends at a blank line', '> a\n> b\nc\n\n> d', ['> a\n> b\nc', '> d']],
    ['a table is one block', '| a |\n|---|\n| b |\n\nc', ['| a |\n|---|\n| b |', 'c']],
    ['indented code keeps its blank lines', '    a\n\n    b\nc', ['    a\n\n    b', 'c']],
    ['a comment does not end its paragraph', '<!-- a -->\nb', ['<!-- a -->\nb']],
    [
      'an HTML block such as details ends at a blank line',
      '<details>\n<summary>a</summary>\n\nb\n\n</details>',
      ['<details>\n<summary>a</summary>', 'b', '</details>'],
    ],
    ['a tag opens no block', 'a\n\n<script>\n\nb', ['a', '<script>', 'b']],
    ['a formula keeps its blank lines', 'a\n$$\nb\n\n- c\n$$\n\nd', ['a', '$$\nb\n\n- c\n$$', 'd']],
    ['a \\[ formula keeps its blank lines', '\\[\n# b\n\n\\]\nd', ['\\[\n# b\n\n\\]', 'd']],
    ['text behind a formula starts a paragraph', '$$\na\n$$ b\nc\n\nd', ['$$\na\n$$ b\nc', 'd']],
    ['a heading behind a formula ends by itself', '$$\na\n$$ # b\nc', ['$$\na\n$$ # b', 'c']],
    ['two dollars close the formula of their paragraph', '$$a\n$$\nb\n\nc', ['$$a\n$$\nb', 'c']],
    ['ignores a footnote marker inside a formula', '$$\n[^1]: c\n$$\n\nb', ['$$\n[^1]: c\n$$', 'b']],
    ['a footnote is a block', 'a[^1]\n\nb\n\n[^1]: c', ['a[^1]', 'b', '[^1]: c']],
    ['a footnote keeps its indented paragraphs', '[^1]: a\n\n    b\n[^2]: c\n\nd', ['[^1]: a\n\n    b', '[^2]: c', 'd']],
    [
      'a footnote may begin with an address or a quotation',
      '[^1]: <https://a.example>\n[^2]: “b”\n\nc',
      ['[^1]: <https://a.example>', '[^2]: “b”', 'c'],
    ],
    ['a footnote in a quote belongs to it', 'a[^1]\n\nb\n\n> c\n> [^1]: d', ['a[^1]', 'b', '> c\n> [^1]: d']],
    ['a footnote in an item belongs to its list', 'a[^1]\n\n- [^1]: b\n- c[^1]\n\nd', ['a[^1]', '- [^1]: b\n- c[^1]', 'd']],
    ['such a footnote may refer to another one', 'a\n\n- [^1]: b[^2]', ['a', '- [^1]: b[^2]']],
    ['definitions are no blocks', 'a\n\n[b]: /c\n[d]: /e\n\nf', ['a', 'f']],
    ['ignores a footnote marker inside code', '```\n[^1]: c\n```\n\nb', ['```\n[^1]: c\n```', 'b']],
    ['line endings of all kinds', 'a\r\n\r\nb\rc', ['a', 'b\nc']],
  ])('%s', (_, text, blocks) => {
    expect(sources(text)).toEqual(blocks)
  })
})

test('blocks are identified by their start', () => {
  expect(splitBlocks(emptySplit, 'a\n\nb\n\n```ts\nc').blocks).toEqual([
    { start: 0, source: 'a\n', list: null, elements: 1 },
    { start: 3, source: 'b\n', list: null, elements: 1 },
    { start: 6, source: '```ts\nc', list: null, elements: 13 },
  ])
})

test('a list is divided before the first item after 500 characters, and short lists are one block', () => {
  const words = 'word '.repeat(99)
  const item = `- a\n\n  ${words}`
  const { blocks } = splitBlocks(emptySplit, `- a\n- b\n\nc\n\n${item}\n  - inner\n- b\n- c\n- ${words}\n\n- e`)
  expect(blocks.map(({ list, source }) => [list?.isFirst, source.replaceAll(words, '…').trimEnd()])).toEqual([
    [true, '- a\n- b'],
    [undefined, 'c'],
    [true, '- a\n\n  …\n  - inner'],
    [false, '- b\n- c\n- …'],
    [false, '- e'],
  ])
  expect(blocks.map(({ list }) => list?.isLoose)).toEqual([false, undefined, true, true, true])
})

test('finished blocks keep their identity while the text grows', () => {
  const before = splitBlocks(emptySplit, '# a\n\nb\n\nc\n')
  const after = splitBlocks(before, '# a\n\nb\n\nc\nd\n\ne')
  for (const index of [0, 1]) expect(after.blocks[index]).toBe(before.blocks[index])
  expect(after.blocks[1]).toBe(before.blocks[1])
  expect(sources('# a\n\nb\n\nc\nd\n\ne', before)).toEqual(['# a', 'b', 'c\nd', 'e'])
})

test('an unfinished line may change its kind', () => {
  const dash = splitBlocks(emptySplit, '- a\n\n-')
  expect(dash.blocks).toHaveLength(1)
  expect(sources('- a\n\n---', dash)).toEqual(['- a', '---'])
})

test('a replaced text is split again', () => {
  const before = splitBlocks(emptySplit, 'a\n\nb')
  expect(sources('x\n\ny', before)).toEqual(['x', 'y'])
})

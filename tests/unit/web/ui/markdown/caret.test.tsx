// The end of a growing answer has a caret, in its last line of prose.
import { renderToStaticMarkup } from 'react-dom/server'
import { beforeAll, expect, test } from 'vitest'
import { Markdown } from '../../../../../web/ui/markdown/markdown.tsx'
import { preloadMarkdown } from '../../../../../web/ui/markdown/renderer.ts'

beforeAll(preloadMarkdown)

const drawn = (text: string, isGrowing = true) => renderToStaticMarkup(<Markdown text={text} isGrowing={isGrowing} />)
const caret = '<span class="md-caret"></span>'

test.each([
  ['a paragraph', 'First.\n\nOne **two**', `<strong>two</strong>${caret}</p>`],
  ['a heading', '## Two', `Two${caret}</h2>`],
  ['a nested list', '- one\n  - two', `two${caret}</li>`],
  ['a quotation', '> one', `one${caret}</p>`],
])('in %s', (_, text, expected) => {
  expect(drawn(text)).toContain(expected)
  expect(drawn(text).split(caret).length).toBe(2)
})

test.each([
  ['in the last block', '- two', `two${caret}</li>`],
  ['in the block before a marker that is not decided', '-', `word${caret}</li>`],
  ['in text below the list', '- `two`\nthree', `three${caret}</li>`],
])('once in a list of several blocks: %s', (_, end, expected) => {
  const text = `- ${'word '.repeat(110).trim()}\n${end}`
  expect(drawn(text)).toContain(expected)
  expect(drawn(text).split(caret).length).toBe(2)
})

test('not in code, and not in a finished text', () => {
  expect(drawn('One\n\n```js\nlet a\n')).not.toContain(caret)
  expect(drawn('One', false)).not.toContain(caret)
})

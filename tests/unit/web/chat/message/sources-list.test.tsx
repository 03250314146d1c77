// The list under an answer: cited sources, with pages that were read apart from those that were only found.
import { renderToStaticMarkup } from 'react-dom/server'
import { beforeAll, expect, test } from 'vitest'
import { SourcesList } from '../../../../../web/features/chat/message/sources-list.tsx'
import { preloadMarkdown } from '../../../../../web/ui/markdown/renderer.ts'
import type { MessagePart, ToolPart } from '../../../../../worker/contract/threads/messages.ts'

beforeAll(preloadMarkdown)

const addressOf = (number: number): string => `https://s${number}.org/`
const search = (...numbers: number[]): ToolPart => ({
  type: 'tool-search',
  toolCallId: `search-${numbers}`,
  state: 'output-available',
  input: { query: 'tides' },
  output: {
    results: numbers.map((number) => ({ number, title: `Found ${number}`, url: addressOf(number), site: `s${number}.org`, snippet: '' })),
  },
})
const read = (number: number): ToolPart => ({
  type: 'tool-read_page',
  toolCallId: `read-${number}`,
  state: 'output-available',
  input: { url: addressOf(number) },
  output: { number, title: `Read ${number}`, url: addressOf(number), site: `s${number}.org`, chars: 10 },
})
const failedRead = (number: number): ToolPart => ({
  type: 'tool-read_page',
  toolCallId: `read-${number}`,
  state: 'output-error',
  input: { url: addressOf(number) },
  errorCode: 'page_missing',
  errorText: 'The site has no such page.',
})
const text = (value: string): MessagePart => ({ type: 'text', text: value })

/** Each heading with the titles below it. */
const listed = (...parts: MessagePart[]): readonly string[] => {
  const html = renderToStaticMarkup(<SourcesList parts={parts} />)
  return [...html.matchAll(/<p[^>]*>([^<]*)<\/p>|<a [^>]*><span[^>]*>([^<]*)<\/span>/g)].map(([, heading, title]) =>
    heading ? `${heading}:` : (title ?? ''),
  )
}

test('pages that were read are apart from those with only an excerpt, including pages that failed to open', () => {
  expect(listed(search(1, 2, 3), failedRead(1), read(2), text('One [1], two [2].'))).toEqual([
    'Sources:',
    'Read 2',
    'Search results:',
    'Found 1',
  ])
  expect(listed(search(1, 2), read(2), text('Two [2].'))).toEqual(['Sources:', 'Read 2'])
  expect(listed(search(1, 2), text('One [1].'))).toEqual(['Search results:', 'Found 1'])
})

test('lists sources that are cited and returned by a tool, in any part of the answer', () => {
  const parts = [
    search(1, 2, 3),
    text('One [3], none [9].'),
    search(4),
    text('RegenerateOptions [1, 3].\n\n- Below [4](https://elsewhere.org/)'),
  ]
  expect(listed(...parts)).toEqual(['Search results:', 'Found 1', 'Found 3', 'Found 4'])
  expect(listed(text('Nothing was fetched [1].'))).toEqual([])
  expect(listed(search(1), text('Nothing is cited.'))).toEqual([])
})

test('a number in code, in a formula or in the text of a link cites nothing', () => {
  const code = '`list[1]` and ``a[1]``\n\n```js\nconst b = a[2]\n```\n\n    indented[2]\n\n- item\n  ```\n  c[3]\n  ```\n'
  const others = '\\(x[4]\\) and $$y[4]$$\n\n[see [5]](https://elsewhere.org/) and \\[z_{[5]}\\]'
  expect(listed(search(1, 2, 3, 4, 5, 6), text(`${code}\n${others}\n\nOnly this. [6]`))).toEqual(['Search results:', 'Found 6'])
})

test('a number that the text defines as a reference link cites its source', () => {
  const defined = 'One [1], two [2][3].\n\n[1]: https://elsewhere.org/\n[3]: https://elsewhere.org/'
  expect(listed(search(1, 2, 3), text(defined))).toEqual(['Search results:', 'Found 1', 'Found 2', 'Found 3'])
})

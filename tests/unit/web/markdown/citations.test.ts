import type { Root } from 'mdast'
import { describe, expect, test } from 'vitest'
import { type CitedSource, citations, citedNumbers } from '../../../../web/ui/markdown/citations.ts'

const sources: readonly CitedSource[] = [
  { number: 1, title: 'Tides', url: 'https://sea.org/tides', site: 'sea.org' },
  { number: 2, title: 'Moon', url: 'https://moon.org/', site: 'moon.org' },
]

type Child = Root['children'][number]

/** Pills as {n}, everything else as its text. */
function drawn(children: readonly Child[]): string {
  const tree: Root = { type: 'root', children: [...children] }
  citations(sources)(tree)
  const text = (node: Child | Root): string => {
    if (node.type === 'link') {
      const number = (node.data?.hProperties as { 'data-citation'?: string } | undefined)?.['data-citation']
      return number === undefined ? `<${node.children.map(text).join('')}>` : `{${number}→${node.url}}`
    }
    if ('children' in node) return node.children.map((child) => text(child as Child)).join('')
    return 'value' in node ? node.value : ''
  }
  return text(tree)
}

const paragraph = (value: string): Child => ({ type: 'paragraph', children: [{ type: 'text', value }] })

describe('numbers in brackets', () => {
  test.each([
    ['Twice a day [1].', 'Twice a day\u00a0{1→https://sea.org/tides}.'],
    ['Both[1][2]', 'Both{1→https://sea.org/tides}{2→https://moon.org/}'],
    ['Both [1, 2]!', 'Both\u00a0{1→https://sea.org/tides}{2→https://moon.org/}!'],
    ['[2] first', '{2→https://moon.org/} first'],
    ['Nobody gave [7] or [12].', 'Nobody gave [7] or [12].'],
    ['Half of it [1, 9]', 'Half of it\u00a0{1→https://sea.org/tides}'],
    ['a[0] and [x] and [ 1 ]', 'a[0] and [x] and [ 1 ]'],
  ])('%j', (value, expected) => {
    expect(drawn([paragraph(value)])).toBe(expected)
  })

  test('stay what they are in code', () => {
    expect(drawn([{ type: 'paragraph', children: [{ type: 'inlineCode', value: 'a[1][2]' }] }])).toBe('a[1][2]')
    expect(drawn([{ type: 'code', value: 'a[1]' }])).toBe('a[1]')
  })
})

describe('a link whose text is a number', () => {
  const link = (url: string, value: string): Child => ({
    type: 'paragraph',
    children: [{ type: 'link', url, children: [{ type: 'text', value }] }],
  })

  test('is a citation when it leads to that source', () => {
    expect(drawn([link('https://sea.org/tides', '1')])).toBe('{1→https://sea.org/tides}')
    expect(drawn([link('https://sea.org/tides', '[1]')])).toBe('{1→https://sea.org/tides}')
  })

  test('is a plain link when it leads elsewhere: an answer cannot dress a stranger as a source', () => {
    expect(drawn([link('https://evil.org/', '1')])).toBe('<1>')
    expect(drawn([link('https://sea.org/tides', '2')])).toBe('<2>')
  })
})

test('what a text cites, once each, in order', () => {
  expect(citedNumbers('a [2] b [1, 2] c [10][3]')).toEqual([2, 1, 10, 3])
})

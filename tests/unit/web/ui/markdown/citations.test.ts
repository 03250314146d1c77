import type { Root } from 'mdast'
import { describe, expect, test } from 'vitest'
import { type CitedSource, citations } from '../../../../../web/ui/markdown/citations.ts'

const sources: readonly CitedSource[] = [
  { number: 1, title: 'Tides', url: 'https://sea.org/tides', site: 'sea.org' },
  { number: 2, title: 'Moon', url: 'https://moon.org/', site: 'moon.org' },
]

type Child = Root['children'][number]

/** Pills as {n}, everything else as text. */
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

  test('stay text in code', () => {
    expect(drawn([{ type: 'paragraph', children: [{ type: 'inlineCode', value: 'a[1][2]' }] }])).toBe('a[1][2]')
    expect(drawn([{ type: 'code', value: 'a[1]' }])).toBe('a[1]')
  })
})

describe('a link whose text is a number', () => {
  const link = (url: string, value: string): Child => ({
    type: 'paragraph',
    children: [{ type: 'link', url, children: [{ type: 'text', value }] }],
  })

  test.each(['https://sea.org/tides', 'https://sea.org/tides/', 'http://www.sea.org/tides#twice', 'HTTPS://SEA.org/tides'])(
    'becomes that source’s pill: %s',
    (url) => {
      expect(drawn([link(url, '1')])).toBe('{1→https://sea.org/tides}')
      expect(drawn([link(url, '[1]')])).toBe('{1→https://sea.org/tides}')
    },
  )

  test('hides no other address: it links to the source of its number, or nowhere', () => {
    for (const url of ['https://attacker.org/?q=secret', 'javascript:alert(1)', 'no address', 'https://sea.org/tides?q=secret']) {
      for (const shown of ['1', ' 1 ', '[1]', '(1)', '¹', '1, 7']) expect(drawn([link(url, shown)])).toBe('{1→https://sea.org/tides}')
      expect(drawn([link(url, '1, 2')])).toBe('{1→https://sea.org/tides}{2→https://moon.org/}')
      expect(drawn([link(url, '9')])).toBe('9')
      expect(drawn([link(url, '[404]')])).toBe('[404]')
    }
  })

  test('is recognised inside emphasis', () => {
    const strong: Child = {
      type: 'paragraph',
      children: [{ type: 'link', url: 'https://attacker.org/', children: [{ type: 'strong', children: [{ type: 'text', value: '2' }] }] }],
    }
    expect(drawn([strong])).toBe('{2→https://moon.org/}')
  })

  test('links to the source with its address, even if its number is another’s', () => {
    expect(drawn([link('https://sea.org/tides', '2')])).toBe('{1→https://sea.org/tides}')
  })

  test('stays a link if it has other text, and if nothing was fetched', () => {
    for (const shown of ['source 1', 'a', '2024', '1.5', '']) expect(drawn([link('https://other.org/', shown)])).toBe(`<${shown}>`)
    const tree: Root = { type: 'root', children: [link('https://other.org/', '1')] }
    citations([])(tree)
    expect(tree.children).toEqual([link('https://other.org/', '1')])
  })
})

describe('a number that the answer defines as a reference link', () => {
  const reference = (identifier: string, value: string, referenceType: 'full' | 'shortcut' | 'collapsed' = 'shortcut'): Child => ({
    type: 'paragraph',
    children: [{ type: 'linkReference', identifier, label: identifier, referenceType, children: [{ type: 'text', value }] }],
  })
  const definition = (identifier: string, url: string): Child => ({ type: 'definition', identifier, url })
  const attack = ['1', '2', '9', 'x'].map((identifier) => definition(identifier, 'https://attacker.org/?q=secret'))

  test('links to its source, or nowhere', () => {
    expect(drawn([reference('1', '1'), ...attack])).toBe('{1→https://sea.org/tides}')
    expect(drawn([...attack, reference('2', '2', 'collapsed')])).toBe('{2→https://moon.org/}')
    expect(drawn([reference('x', '1', 'full'), ...attack])).toBe('{1→https://sea.org/tides}')
    expect(drawn([reference('9', '9'), ...attack])).toBe('9')
  })

  test('is two citations if two are adjacent', () => {
    expect(drawn([reference('2', '1', 'full'), ...attack])).toBe('{1→https://sea.org/tides}{2→https://moon.org/}')
    expect(drawn([reference('9', '1', 'full'), ...attack])).toBe('{1→https://sea.org/tides}[9]')
  })

  test('stays a link if it has other text', () => {
    const words = reference('x', 'the page', 'full')
    const tree: Root = { type: 'root', children: [words, ...attack] }
    citations(sources)(tree)
    expect(tree.children[0]).toEqual(words)
  })
})

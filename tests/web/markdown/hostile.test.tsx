/** [Markdown 2] Model output never executes and causes no request to another host. */
import { describe, expect, test } from 'vitest'
import { payloads, tagsIn, wrappings } from '../../support/hostile-markdown.ts'
import { byBlocks } from './render.tsx'

const offences = (html: string): readonly string[] =>
  tagsIn(html).filter((tag) => {
    const name = /^<([a-z0-9]+)/i.exec(tag)?.[1]?.toLowerCase() ?? ''
    // Quoted values contain no quotes, so the text outside of them is attributes.
    const attributes = tag.replace(/"[^"]*"/g, '""')
    const href = /\shref="([^"]*)"/.exec(tag)?.[1]
    const src = /\ssrc="([^"]*)"/.exec(tag)?.[1]
    return (
      ['script', 'iframe', 'object', 'embed', 'style', 'link', 'meta', 'base', 'form', 'math'].includes(name) ||
      /\son[a-z]+=/i.test(attributes) ||
      (href !== undefined && !/^(?:https?:\/\/|mailto:|#user-content-)/.test(href)) ||
      (href?.startsWith('http') && !(tag.includes('rel="noopener noreferrer"') && tag.includes('target="_blank"'))) ||
      (src !== undefined && !/^(?:\/api\/files\/|data:image\/(?:png|jpeg|gif|webp|avif);)/.test(src))
    )
  })

/** A plain text, and one where the payload continues a line and a block. The long run cuts all texts. */
const cutWrappings = process.env.PARLEY_LONG ? wrappings.map(([name]) => name) : ['alone', 'in a list']

describe.each(wrappings)('%s', (name, wrap) => {
  test.each(payloads)('%j', (payload) => {
    const text = wrap(payload)
    expect(offences(byBlocks(text))).toEqual([])
    if (!cutWrappings.includes(name)) return
    for (let length = 1; length < text.length; length += 1) expect(offences(byBlocks(text.slice(0, length), true))).toEqual([])
  })
})

test('the check itself detects an attack', () => {
  const bad = ['<script>', '<p onclick="x">', '<a href="javascript:x">', '<a href="https://a.example">', '<img src="https://a.example">']
  expect(offences(bad.join(''))).toEqual(bad)
})

test('a link to the web opens a new tab and sends no referrer', () => {
  expect(byBlocks('[a](https://example.com)')).toBe('<p><a href="https://example.com/" target="_blank" rel="noopener noreferrer">a</a></p>')
})

test("another host's image is a link that shows its host", () => {
  const html = byBlocks('![A map](https://maps.example/m.png)')
  expect(html).toContain('href="https://maps.example/m.png"')
  expect(html).toContain('maps.example</span>')
  expect(html).not.toContain('<img')
})

test.each([
  '>',
  '*',
  '[',
  '`',
  '_a',
  '- ',
  '(',
  '> - ',
  '**a *b ',
  '![',
  '<a ',
  '$',
  '$$',
  '$a ',
  '\\(',
  '\\[',
  '$$\na\n',
  '\\[\n',
  '\\(\\[',
  '\\( a $',
  '- $$\n  ',
  '$a\n',
  'a $$\n$$\n',
  ']',
  '*_',
  'é*\n',
  '<!--',
  '<u>',
  '<u> ',
  '</u>',
  '<sub><sup>',
  '**「',
  'https://a.example/x ',
  'http://a)',
  'http://a\\',
  'http://a&amp;',
  '[http://a ',
  'a@b.example ',
  'www.',
  '|$a|',
  '*_ a] ',
  '| *_ a] |\n',
  '- a\n  - b\n',
  '> a\n> > b\n',
  '> a\nb\n',
  'a\n=\n',
  '- ```\n',
  '[a][',
  '[^a]: [^a] ',
  '[a]: x "\na',
])('%j ten thousand times does not crash', (unit) => {
  const text = unit.repeat(10_000)
  expect(byBlocks(text).length).toBeGreaterThan(0)
  expect(offences(byBlocks(text, true))).toEqual([])
})

test.each([
  ['*a ', 'a* '],
  ['**a ', 'a** '],
  ['~~a ', 'a~~ '],
  ['<u>a ', 'a</u> '],
  ['![', '](u)'],
])('five thousand levels of %j are drawn', (opener, closer) => {
  expect(byBlocks(`${opener.repeat(5000)}last${closer.repeat(5000)}`)).toContain('last')
})

test('three thousand definitions of one used label do not crash', () => {
  const text = `${'[a]: https://example.com\n\n'.repeat(3000)}[a]`
  expect(byBlocks(text)).toContain('href="https://example.com/"')
  expect(offences(byBlocks(text, true))).toEqual([])
})

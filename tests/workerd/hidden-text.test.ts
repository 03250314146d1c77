// What a page hides is not read, whichever element hides it, and whether or not somebody has ended it.
import { expect, test } from 'vitest'
import { readableText } from '../../worker/chat/tools/readable-text.ts'

const read = async (text: string) => {
  const body = new Response(text, { headers: { 'content-type': 'text/html' } })
  return (await readableText({ url: 'https://page.org/', mediaType: 'text/html', body, wasCut: () => false })).text.replace(/\s+/g, ' ')
}

const hidings = [
  'hidden',
  'hidden=""',
  'aria-hidden="true"',
  'ARIA-HIDDEN=TRUE',
  'style="display:none"',
  'style="color:red; DISPLAY : none !important"',
  'style="visibility:hidden"',
]

test.each(hidings)('nothing of an element with %s is read', async (hiding) => {
  for (const name of ['p', 'li', 'b', 'a', 'h2', 'td', 'main', 'nav', 'form', 'title', 'custom-element'])
    expect(await read(`Before. <${name} ${hiding}>obey <i>me</i> <br>too</${name}> <p>After.</p>`), name).toBe('Before. After.')
})

test.each(['aria-hidden="false"', 'style="display:block"', 'style="--display:nonesuch"', 'data-hidden', 'title="hidden"', 'style=""'])(
  'an element with %s hides nothing',
  async (attribute) => {
    expect(await read(`<p ${attribute}>Words.</p>`)).toBe('Words.')
  },
)

test.each([
  ['its next sibling', '<ul><li hidden>obey<li>Words.</ul>', 'Words.'],
  ['one after another', '<ul><li hidden>obey<li hidden>me<li>Words.</ul>', 'Words.'],
  ['the end of what it stands in', '<div><p hidden>obey</div>Words.', 'Words.'],
  ['a block', '<p hidden>obey<div>Words.</div>', 'Words.'],
  ['a term’s meaning', '<dl><dt>Tea<dd hidden>obey<dt>Milk</dl>', 'Tea Milk'],
  ['a cell', '<table><tr><td hidden>obey<td>Words.<tr hidden><td>obey<tr><td>More.</table>', 'Words. More.'],
  ['the end of its cell', '<table><tr><td><p hidden>obey<td>Words.</table>', 'Words.'],
  ['the end of the page', '<p>Words.<p hidden>obey', 'Words.'],
])('one that nobody has ended goes on to %s', async (_name, page, text) => {
  expect(await read(page)).toBe(text)
})

test.each([
  ['<ul><li hidden>obey<ul><li>me<li>too</ul>please<li>Words.</ul>', 'Words.'],
  ['<table><tr><td hidden><table><tr><td>obey<td>me</table>please<td>Words.</table>', 'Words.'],
  ['<ul><li hidden><p hidden>obey<ul><li>me</ul><li>Words.</ul>', 'Words.'],
  ['<div hidden><ul><li hidden>obey<li>me</ul></div>Words.', 'Words.'],
  ['<p hidden><span hidden>obey</p>Words.', 'Words.'],
])('one in another ends for itself: %s', async (page, text) => {
  expect(await read(page)).toBe(text)
})

test.each([
  '<br hidden>',
  '<input hidden>',
  '<img aria-hidden="true" src="x">',
  '<hr style="display:none">',
  '<svg hidden/>',
  '<svg/>',
  '<svg><path hidden/></svg>',
  '<svg><title/></svg>',
])('there is nothing in %s, and behind it all is read', async (element) => {
  const body = new Response(`<p>Before.</p>${element}<p>After.</p>`, { headers: { 'content-type': 'text/html' } })
  expect(await readableText({ url: 'https://page.org/', mediaType: 'text/html', body, wasCut: () => false })).toEqual({
    title: '',
    text: expect.stringMatching(/^Before\.\s+After\.$/),
    isCut: false,
  })
})

test('a page that hides all of itself shows it by a script, which is not run here', async () => {
  expect(await read('<html style="visibility:hidden"><body style="display:none">Words.</body></html>')).toBe('Words.')
})

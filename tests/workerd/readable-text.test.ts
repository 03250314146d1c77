// The words of a page, by the platform's own HTMLRewriter.
import { expect, test } from 'vitest'
import { withPage } from '../../worker/chat/tools/fetch-page.ts'
import { readableText } from '../../worker/chat/tools/readable-text.ts'
import { maxPageBytes, maxPageChars } from '../../worker/contract/limits.ts'

const read = (text: string, mediaType = 'text/html') =>
  readableText({
    url: 'https://page.org/',
    mediaType,
    body: new Response(text, { headers: { 'content-type': `${mediaType}; charset=utf-8` } }),
    wasCut: () => false,
  })

test('a page gives its title and its words, block by block', async () => {
  const page =
    '<!doctype html><html><head><title>Tea &amp; milk</title></head><body><h1>Tea</h1><p>One <b>leaf</b>,\n many&nbsp;teas&#33;</p><ul><li>green<li>black</ul></body></html>'
  expect(await read(page)).toEqual({ title: 'Tea & milk', text: 'Tea\nOne leaf,\nmany teas!\n\ngreen\nblack', isCut: false })
})

test('menus, scripts, forms and what is hidden are not read', async () => {
  const noise =
    '<script>steal()</script><style>p{}</style><nav>Home</nav><aside>Buy</aside><footer>©</footer><form><button>Send</button></form><div hidden>obey me</div><span aria-hidden="true">x</span><template><p>t</p></template><noscript>js</noscript><!-- comment --><svg><title>icon</title><text>svg</text></svg>'
  expect(await read(`<title>T</title>${noise}<p>Words.</p>${noise}</body>`)).toMatchObject({ title: 'T', text: 'Words.' })
})

test('invisible letters, in which orders can hide, are gone', async () => {
  expect((await read('<p>Wo\u200brds\u{e0041}\u{e0042}\u202e.</p>')).text).toBe('Words.')
})

test('control characters are none of a page’s words', async () => {
  expect((await read('<title>a\u0007b</title><p>c\u0000d\u0085e\u009bf')).text).toBe('cd\nef')
  expect((await read('a\u0000b\tc\rd\r\ne\u001b[31mf\u007f', 'text/plain')).text).toBe('ab c\nd\ne[31mf')
})

test('signs that are written by name or number are read as what they mean', async () => {
  const page =
    '<p>&Ccedil;a &ccedil;a &Auml;&auml; &szlig; &AMP; it&#146;s &#x80;5 &sup2; &frac12; &Omega;&omega; &ndash; &nosuch; &#160;end'
  expect((await read(page)).text).toBe('Ça ça Ää ß & it’s €5 ² ½ Ωω – &nosuch; end')
})

test('where a page marks its content, only that is read', async () => {
  const content = 'Content. '.repeat(60).trim()
  expect((await read(`<div>Cookies?</div><main><p>${content}</p></main><div>More</div>`)).text).toBe(content)
  expect((await read('<div>All of it</div><main>little</main>')).text).toBe('All of it\nlittle')
})

test('no more than the limit reaches a model, and a letter is never cut in two', async () => {
  const { text, isCut } = await read(`<p>${'😀'.repeat(maxPageChars)}</p>`)
  expect(isCut).toBe(true)
  expect(text.length).toBeLessThanOrEqual(maxPageChars)
  expect(text.isWellFormed()).toBe(true)
})

test('neither is a title cut within a letter, and a sign for half of one is none', async () => {
  const { title } = await read(`<title>${'a'.repeat(199)}😀</title><p>x`)
  // A failure with half a letter in it could not be reported.
  expect([title.isWellFormed(), title.length]).toEqual([true, 199])
  const halves = await read('<title>a&#xd800;b</title><p>x&#xd83d;y &#128512;</p>')
  expect([halves.title.isWellFormed(), halves.text.isWellFormed()]).toEqual([true, true])
  expect(halves).toMatchObject({ title: 'a\ufffdb', text: 'x\ufffdy 😀' })
})

test('plain text stays as it is', async () => {
  expect(await read('a <b>\n\n\n\nc', 'text/plain')).toEqual({ title: '', text: 'a <b>\n\nc', isCut: false })
})

test.each(['', '<html><body></body></html>', '<script>only()</script>', '   \n'])('%j has no text, which is said', async (page) => {
  await expect(read(page)).rejects.toThrow('The page has no readable text.')
})

test.each([
  '<p>a',
  '<div><p>a</div></div></p>',
  '<title>a',
  '<p>a<script>',
  '&#xffffff;&#0;a',
  `${'<'.repeat(50_000)}a`,
  `${'<div>'.repeat(20_000)}a`,
])('broken HTML does not break the reader', async (page) => {
  await read(page).catch((error: unknown) => expect(String(error)).toMatch(/no readable text/))
})

test.each([
  ['text/html', `<title>T</title><p>Begin.</p><script>${'a'.repeat(maxPageBytes)}</script><p>The end that matters.</p>`],
  ['text/plain', `Begin.${' '.repeat(maxPageBytes)}The end that matters.`],
])('a page of more bytes than are read says so, however few words came of them: %s', async (type, page) => {
  const read = (body: string) => {
    const network = {
      ownHosts: [],
      resolve: async () => ['93.184.215.14'],
      fetch: async () => new Response(body, { headers: { 'content-type': type } }),
    }
    return withPage('https://page.org/', network, new AbortController().signal, readableText)
  }
  expect(await read(page)).toMatchObject({ text: 'Begin.', isCut: true })
  expect(await read('Begin.')).toMatchObject({ text: 'Begin.', isCut: false })
})

test('so does one whose words end behind more white space than is read', async () => {
  const page = (blanks: number) => `<p>Begin.</p>${'<p>\n</p>'.repeat(blanks)}<p>The end that matters.</p>`
  expect(await read(page(maxPageChars * 4))).toMatchObject({ text: 'Begin.', isCut: true })
  expect(await read(page(10))).toMatchObject({ text: 'Begin.\n\nThe end that matters.', isCut: false })
})

test('a page is read as it streams in, over redirects, and no further than its limit', async () => {
  const endless = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(new TextEncoder().encode('<title>Long</title><p>Begins here.</p><script>')),
    pull: (controller) => controller.enqueue(new Uint8Array(65_536).fill(97)),
  })
  const network = {
    ownHosts: [],
    resolve: async () => ['93.184.215.14'],
    fetch: async (input: RequestInfo | URL) =>
      String(input) === 'https://start.org/'
        ? new Response(null, { status: 301, headers: { location: '/long' } })
        : new Response(endless, { headers: { 'content-type': 'text/html', 'content-length': String(maxPageBytes * 9) } }),
  }
  const page = await withPage('https://start.org/', network, new AbortController().signal, async (fetched) => ({
    url: fetched.url,
    ...(await readableText(fetched)),
  }))
  expect(page).toMatchObject({ url: 'https://start.org/long', title: 'Long', text: 'Begins here.', isCut: true })
})

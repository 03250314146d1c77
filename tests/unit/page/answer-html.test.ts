// Answers in the first paint and on shared pages: safe HTML that looks like what the page draws. tests/e2e/long/first-paint.test.ts compares the two.
import { describe, expect, test } from 'vitest'
import { answerHtml, drawingAllowance, sharedAnswerHtml } from '../../../worker/page/answer-html.ts'
import { payloads, tagsIn, wrappings } from '../../support/hostile-markdown.ts'

const texts = {
  ...{ imageName: 'Image', diagram: 'Diagram', done: 'Done', notDone: 'Not done' },
  ...{ idPrefix: 'a0-', footnotesName: 'Footnotes', backToReference: 'Back to reference' },
}
const htmlOf = (text: string) => answerHtml(text, 'Image')

describe('answers in the first paint', () => {
  test.each([
    ['a link', '[a](https://example.org)', '<p dir="auto"><a>a</a></p>'],
    ['a script link', '[a](javascript:alert(1))', '<p dir="auto">[a](javascript:alert(1))</p>'],
    ['an address', 'https://example.org', '<p dir="auto"><a>https://example.org</a></p>'],
    ['an image', '![a "b"](https://example.org/a.png)', '<p dir="auto"><span>a &quot;b&quot;</span></p>'],
    ['an image without a description', '![](https://example.org/a.png)', '<p dir="auto"><span>Image</span></p>'],
  ])('write no address: %s', (_, text, html) => {
    expect(htmlOf(text).trim()).toBe(html)
  })

  test('show tags as text', () => {
    expect(htmlOf('<img src=x onerror=alert(1)>\n\na <b>b</b> <u class=x>c</u>')).not.toMatch(/<(?!\/?p\b)/)
  })

  test('escape code and its language', () => {
    const html = htmlOf('```"><b>\n<b>1 < 2</b>\n```')
    expect(html).not.toContain('<b>')
    expect(html).toContain('<pre><code>&lt;b&gt;1 &lt; 2&lt;/b&gt;</code></pre>')
  })

  test('name the language of code as the page does', () => {
    const names = htmlOf('```js\nx\n```\n\n```\ny\n```\n\n    z').matchAll(/md-code-head"><span class="truncate">(.*?)</g)
    expect([...names].map(([, name]) => name)).toEqual(['JavaScript', 'Text', 'Text'])
  })

  test('draw lists, tables and struck text as the page does', () => {
    expect(htmlOf('3. a\n\n| a |\n|--:|\n| more than twenty-four characters |\n\n~~b~~')).toBe(
      '<ol start="3">\n<li>a</li>\n</ol>\n<div class="md-table-frame"><div class="md-table-tools"></div><div class="md-table"><table><thead>\n<tr>\n<th data-align="right">a</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n' +
        '<td data-wraps="true" data-align="right">more than twenty-four characters</td>\n</tr>\n</tbody>\n</table></div></div><p dir="auto"><del>b</del></p>\n',
    )
  })
})

describe('answers on shared pages', () => {
  const sources = new Map([[1, 'https://tea.example/?a=1&b=2']])
  const sharedHtmlOf = (text: string) => sharedAnswerHtml(text, { ...texts, sources }, drawingAllowance())
  const rel = 'rel="nofollow ugc noopener noreferrer"'

  test.each([
    ['a tag', '<script>alert(1)</script><img src=x onerror=alert(1)>', /<(?!\/?p\b)/],
    ['a script link', '[a](javascript:alert(1)) <javascript:alert(1)>', /href=/],
    ['a data link', '[a](data:text/html,<script>)', /href=/],
    ['an image of another host', '![a](https://evil.example/a.png)', /<img|src=|href=/],
    ['an image of our own', '![a](/api/files/aaaaaaaaaaaaaaaaaaaaa)', /<img|src=|href=/],
    ['an image in a link', '[![a](https://evil.example/a.png)](/b)', /<img|src=|href=/],
    ['a link to our own pages', '[a](/api/auth/sign-out) [b](//evil.example) [c](?checkout=1) [d](#top)', /href=/],
    ['a link that breaks out', '[a](https://a.example/"onmouseover="alert(1))', /"\s*onmouseover/],
    ['a link title that breaks out', '[a](https://a.example "x\\" onmouseover=alert(1)")', /onmouseover/],
    ['a language that breaks out', '```"><img src=x>\nx\n```', /<img/],
    ['a table that breaks out', '| a" onclick="alert(1) |\n|--|\n| <b>b</b> |', /<th[^>]*onclick|<b>/],
    ['an entity', '&lt;script&gt;alert(1)&lt;/script&gt;', /<script/],
    ['a definition', '[x]: javascript:alert(1)\n\n[x]', /href=/],
    ['a citation without a source', '[2] [1,x] [<b>1</b>]', /href=|<b>/],
  ])('are safe for %s', async (_, text, forbidden) => {
    expect(await sharedHtmlOf(text)).not.toMatch(forbidden)
  })

  test('link addresses and sources', async () => {
    expect((await sharedHtmlOf('[a](https://a.example/?x=1&y=2) https://b.example c.example index.ts a@b.example')).trim()).toBe(
      `<p dir="auto"><a href="https://a.example/?x=1&amp;y=2" ${rel}>a</a> <a href="https://b.example/" ${rel}>https://b.example</a> c.example index.ts <a href="mailto:a@b.example" ${rel}>a@b.example</a></p>`,
    )
    expect((await sharedHtmlOf('It grows [1] [2].')).trim()).toBe(
      `<p dir="auto">It grows <a href="https://tea.example/?a=1&amp;b=2" ${rel} class="md-citation">1</a> [2].</p>`,
    )
    expect((await sharedHtmlOf('[Tea [1]](https://a.example) [1]')).match(/<a |<\/a>/g)).toEqual(['<a ', '</a>', '<a ', '</a>'])
    expect((await sharedHtmlOf('`[1]`')).trim()).toBe('<p dir="auto"><code>[1]</code></p>')
  })

  test('draw tasks as disabled checkboxes', async () => {
    expect((await sharedHtmlOf('- [ ] a\n- [X] **b**\n- [x]\n- [x](https://a.example)\n- `[x] c`\n\n[x] d')).match(/<li.*|<p.*/g)).toEqual([
      '<li class="task-list-item"><input type="checkbox" disabled="" aria-label="Not done"> a</li>',
      '<li class="task-list-item"><input type="checkbox" disabled="" checked="" aria-label="Done"> <strong>b</strong></li>',
      '<li>[x]</li>',
      `<li><a href="https://a.example/" ${rel}>x</a></li>`,
      '<li><code>[x] c</code></li>',
      '<p dir="auto">[x] d</p>',
    ])
    for (const text of ['\\[x] a', '&#91;x] a', '[x]\u00a0a']) expect(await sharedHtmlOf(`- ${text}`)).not.toContain('<input')
    expect(await sharedHtmlOf('- [x]\n  a')).toContain('<input')
    expect(await sharedHtmlOf('1. [x] a\n\n   b\n')).toMatch(
      /^<ol>\n<li class="task-list-item">\n<p dir="auto"><input .*> a<\/p>\n<p dir="auto">b<\/p>/,
    )
  })

  test('keep the alignment of cells without a style', async () => {
    const html = await sharedHtmlOf('| a | b | c | d |\n|---|:--|:-:|--:|\n| 1 | 2 | 3 | 4 |')
    expect(html.match(/<t[hd].*?>/g)).toEqual(
      ['<thead>', '', ' data-align="left"', ' data-align="center"', ' data-align="right"']
        .map((tag) => (tag === '<thead>' ? tag : `<th${tag}>`))
        .concat(['', ' data-align="left"', ' data-align="center"', ' data-align="right"'].map((attributes) => `<td${attributes}>`)),
    )
  })

  const codeOf = async (language: string, code: string, allowance = drawingAllowance()) =>
    /<pre[^>]*><code>(.*)<\/code>/s.exec(
      await sharedAnswerHtml(`\`\`\`${language}\n${code}\n\`\`\``, { ...texts, sources }, allowance),
    )?.[1]

  test('colour code with the classes of the app, and name its language', async () => {
    expect(await codeOf('ts', 'const a = "<b>"')).toBe(
      '<span class="tok-keyword">const</span> a = <span class="tok-string">&quot;&lt;b&gt;&quot;</span>',
    )
    const names = ['ts', 'C++', 'yml', 'unknown', ''].map(
      async (name) => /truncate">(.*?)</.exec(await sharedHtmlOf(`\`\`\`${name}\na\n\`\`\``))?.[1],
    )
    expect(await Promise.all(names)).toEqual(['TypeScript', 'C++', 'YAML', 'unknown', 'Text'])
  })

  test.each([
    ['an unknown language', 'unknown', 'const a = 1'],
    ['more than 8,000 characters', 'ts', 'let a = 1;\n'.repeat(800).trim()],
    ['a line of more than 400 characters', 'ts', 'f(1);'.repeat(81)],
    ['a long run of words', 'c', 'int a\n'.repeat(100).trim()],
    ['Markdown', 'md', '# a'],
  ])('leave the code plain: %s', async (_, language, code) => {
    expect(await codeOf(language, code)).toBe(code)
  })

  test('colour code up to the limit of the page', async () => {
    const allowance = { ...drawingAllowance(), codeChars: 20 }
    expect(await codeOf('ts', 'let a = 1', allowance)).toContain('<span')
    expect(await codeOf('ts', 'let bcd = 4567', allowance)).toBe('let bcd = 4567')
    expect(await codeOf('ts', 'let a = 1', allowance)).toContain('<span')
    expect(allowance.codeChars).toBe(2)
  })

  test('draw formulas as MathML, up to the limit of the page', async () => {
    expect((await sharedHtmlOf('so $x^2$ is')).trim()).toBe(
      '<p dir="auto">so <span class="md-mathml"><math><mrow><msup><mi>x</mi><mn>2</mn></msup></mrow></math></span> is</p>',
    )
    expect(await sharedHtmlOf('$$\nx\n$$')).toBe(
      '<span class="md-mathml md-math-block"><math display="block"><mrow><mi>x</mi></mrow></math></span>',
    )
    expect(await sharedHtmlOf('$$\nx')).toContain('<code class="md-math-source">x</code>')
    expect(await sharedHtmlOf('a $\\wrong{x}$')).toContain('<code>\\wrong{x}</code>')
    const allowance = { ...drawingAllowance(), formulaWork: 50 }
    const html = await sharedAnswerHtml('$x$ $y+z$ $z$', { ...texts, sources }, allowance)
    expect(html.match(/<math>|<code>.*?<\/code>/g)).toEqual(['<math>', '<math>', '<code>z</code>'])
  })

  test('give blocks that scroll on a phone a tab stop', async () => {
    const tabStops = async (text: string) => (await sharedHtmlOf(text)).split('tabindex="0"').length - 1
    expect(await tabStops(`\`\`\`\n${'a'.repeat(41)}\n\`\`\`\n\n$$\n${'a+'.repeat(16)}b\n$$`)).toBe(2)
    expect(await tabStops(`\`\`\`\n${'a'.repeat(40)}\n\`\`\`\n\n$$\na+b\n$$\n\n$${'a+'.repeat(16)}b$`)).toBe(0)
  })

  test('show the source of a diagram with a caption', async () => {
    const html = await sharedHtmlOf('```mermaid\nflowchart LR\n  A --> B\n```')
    expect(html).toContain('<span class="truncate">Diagram</span>')
    expect(html).toContain('<pre><code>flowchart LR\n  A --&gt; B</code></pre>')
  })

  describe('draw footnotes', () => {
    const reference = (number: number, times = '') =>
      `<sup id="a0-reference-${number}${times}" class="scroll-mt-20"><a href="#a0-note-${number}">${number}</a></sup>`
    const back = (name: string, mark = '↩') => ` <a href="#a0-reference-${name}" aria-label="Back to reference ${name}">${mark}</a>`
    const notes = (...items: readonly string[]) =>
      `<section aria-label="Footnotes" class="footnotes"><ol>\n${items.map((item, index) => `<li id="a0-note-${index + 1}" class="scroll-mt-20">${item}</li>\n`).join('')}</ol></section>\n`

    test('below the text, in the order of their references', async () => {
      expect(await sharedHtmlOf('Tea[^b] and cups[^a] and tea[^b].\n\n[^a]: Of clay.\n[^b]: **Black**.\n[^c]: Unused.')).toBe(
        `<p dir="auto">Tea${reference(1)} and cups${reference(2)} and tea${reference(1, '-2')}.</p>\n${notes(
          `<p dir="auto"><strong>Black</strong>.${back('1')}${back('1-2', '↩<sup>2</sup>')}</p>\n`,
          `<p dir="auto">Of clay.${back('2')}</p>\n`,
        )}`,
      )
    })

    test('with blocks, references to other notes and to themselves', async () => {
      expect((await sharedHtmlOf('a[^1]\n\n[^1]: See[^2].\n[^2]: As in[^2]\n\n    - b')).replaceAll('\n', '')).toBe(
        `<p dir="auto">a${reference(1)}</p>${notes(
          `<p dir="auto">See${reference(2)}.${back('1')}</p>`,
          `<p dir="auto">As in${reference(2, '-2')}</p><ul><li>b</li></ul>${back('2')}${back('2-2', '↩<sup>2</sup>')}`,
        )}`.replaceAll('\n', ''),
      )
    })

    test('as text without a definition, and never inside of links', async () => {
      expect((await sharedHtmlOf('a[^1]')).trim()).toBe('<p dir="auto">a[^1]</p>')
      expect(await sharedHtmlOf('[a[^1]](https://a.example)\n\n[^1]: b')).toContain(`<p dir="auto">[a${reference(1)}](<a href=`)
    })

    test('safely for hostile labels', async () => {
      for (const label of ['"onclick="x', '<script>', '__proto__', 'constructor'])
        expect((await sharedHtmlOf(`a[^${label}]\n\n[^${label}]: b`)).replaceAll('\n', '')).toBe(
          `<p dir="auto">a${reference(1)}</p>${notes(`<p dir="auto">b${back('1')}</p>`)}`.replaceAll('\n', ''),
        )
    })
  })

  test('show the source of blocks that are nested too deep', async () => {
    expect(await sharedHtmlOf(`${'> '.repeat(62)}**a**\n${'> '.repeat(62)}b\n\nc`)).toMatch(
      /<pre><code>&gt; &gt; \*\*a\*\*\n&gt; &gt; b<\/code><\/pre><\/div>(?:<\/blockquote>\n){60}<p dir="auto">c<\/p>\n$/,
    )
    const list = Array.from({ length: 40 }, (_, depth) => `${'  '.repeat(depth)}- a${depth}\n`).join('')
    const html = await sharedHtmlOf(`${list}- z\n`)
    for (let depth = 0; depth < 40; depth += 1) expect(html).toContain(`a${depth}`)
    expect(html).toMatch(/<pre><code>a29\n- a30\n {2}- a31\n/)
    expect(html).toMatch(/<li>z<\/li>\n<\/ul>\n$/)
    expect(htmlOf(`${'> '.repeat(21)}a`)).toContain('<pre><code>&gt; a</code></pre>')
  })

  test('take a bounded time for deep nesting and long runs of marks', async () => {
    for (const mark of [
      '> ',
      '[',
      '- ',
      '*a',
      '![',
      '`',
      '<',
      '&',
      'http://a\\',
      'http://a&amp;',
      'http://a)',
      '<u>',
      '$a|b$ ',
      'a@b.c ',
      '[^a]',
      'x[^a]\n\n[^a]: ',
    ])
      expect((await sharedHtmlOf(mark.repeat(20_000))).length).toBeGreaterThan(0)
  })
})

/** Everything that an answer may become. Other elements and attributes are an attack, or a new feature that belongs here. */
const elements =
  'p|section|h[1-6]|ul|ol|li|blockquote|hr|br|em|strong|del|sub|sup|kbd|mark|u|code|pre|div|span|input|table|thead|tbody|tr|th|td'
const mathElements = 'math|mrow|mi|mo|mn|mtext|mspace|msup|msub|mfrac|mstyle|mpadded'
const classes = 'md-[a-z-]+(?: md-math-block)?|tok-[a-z_-]+(?: [a-z]+_)*|task-list-item|truncate|size-7|footnotes|scroll-mt-20|font-mono'
const attributes = [
  ...[
    'type="checkbox"',
    'disabled=""',
    'checked=""',
    'aria-label="(?:Not d|D)one"',
    'dir="auto"',
    'start="\\d+"',
    `class="(?:${classes})"`,
  ],
  ...[
    'tabindex="0"',
    'data-wraps="true"',
    'data-align="(?:left|center|right)"',
    'id="a0-(?:note|reference)-[\\d-]+"',
    'aria-label="Footnotes"',
  ],
  ...['display="block"', 'mathvariant="normal"', '(?:stretchy|displaystyle)="(?:true|false)"', 'scriptlevel="\\d"', 'mathcolor="[a-z]+"'],
  ...['(?:width|height|voffset)="[\\d.]+em"', 'mathbackground="[a-z]+"'],
].join('|')
const harmless = new RegExp(`^<(?:${elements}|${mathElements})(?: (?:${attributes}))*>$`)
const safeLink =
  /^<a href="(?:(?:https?:\/\/|mailto:)[^"]*" rel="nofollow ugc noopener noreferrer"(?: class="md-citation")?|#a0-(?:note|reference)-[\d-]+"(?: aria-label="Back to reference [\d-]+")?)>$/

const offences = (html: string): readonly string[] => tagsIn(html).filter((tag) => tag !== '<a>' && !harmless.test(tag))

describe.each(wrappings)('a hostile text %s', (_, wrap) => {
  const sources = new Map([[1, 'https://tea.example/']])

  test.each(payloads)('%j', async (payload) => {
    // A stopped answer can end anywhere.
    const text = `${wrap(payload)} [1]`
    for (let length = 1; length <= text.length; length += 1) {
      const cut = text.slice(0, length)
      expect(offences(htmlOf(cut)), cut).toEqual([])
      const shared = offences(await sharedAnswerHtml(cut, { ...texts, sources }, drawingAllowance()))
      expect(
        shared.filter((tag) => !safeLink.test(tag)),
        cut,
      ).toEqual([])
    }
  })
})

test('the check itself detects an attack', () => {
  const bad = ['<script>', '<p onclick="x">', '<a href="javascript:x">', '<a href="https://a.example">', '<img src="https://a.example">']
  expect(offences(bad.join('')).filter((tag) => !safeLink.test(tag))).toEqual(bad)
})

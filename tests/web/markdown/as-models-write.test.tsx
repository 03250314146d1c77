// Texts as models write them: the page, the first paint and a shared page draw the same, and a copy and an export contain the source.
import { describe, expect, test } from 'vitest'
import { copiedText } from '../../../web/features/chat/message/copy-messages.ts'
import { markdownFile } from '../../../web/features/chat/thread/exporting.tsx'
import type { ThreadWithMessages } from '../../../web/sync/rows.ts'
import type { ChatMessage } from '../../../worker/contract/threads/messages.ts'
import { answerHtml, sharedAnswerHtml } from '../../../worker/page/answer-html.ts'
import { answers } from './answers.ts'
import { byBlocks, withoutTableTools } from './render.tsx'

const table = (...rows: readonly string[]) => `| a | b |\n|---|---|\n${rows.map((row) => `| ${row} |`).join('\n')}`
const drawnTable = (...rows: readonly (readonly string[])[]) => {
  const [head = '', ...body] = [['a', 'b'], ...rows].map((row, index) => {
    const name = index === 0 ? 'th' : 'td'
    return `<tr>${row.map((cell) => `<${name}>${cell}</${name}>`).join('')}</tr>`
  })
  return `<div><table><thead>${head}</thead><tbody>${body.join('')}</tbody></table></div>`
}
const link = (address: string, href = address) => `<a href="${href}">${address}</a>`
const site = 'https://a.example/x'

/** Without a list, each text is one paragraph. */
const texts: Readonly<Record<string, readonly (readonly [source: string, html: string])[]>> = {
  'emphasis works beside Chinese, Japanese and Korean punctuation': [
    ['他说**“你好”**后走了。', '他说<strong>“你好”</strong>后走了。'],
    ['これは**「重要」**な点です。', 'これは<strong>「重要」</strong>な点です。'],
    ['**注意：**请看', '<strong>注意：</strong>请看'],
    ['请看**（注意）**。', '请看<strong>（注意）</strong>。'],
    ['**(참고)**은 *‘중요’*한', '<strong>(참고)</strong>은 <em>‘중요’</em>한'],
    ['使用**`code`**时', '使用<strong><code>code</code></strong>时'],
    ['a**"b"**c', 'a**&quot;b&quot;**c'],
    ['文~~删除。~~字', '文<del>删除。</del>字'],
    ['**重要⚠️**です **🎉 完了！**した', '<strong>重要⚠️</strong>です <strong>🎉 完了！</strong>した'],
    ['هذا **"مهم"** جدا', 'هذا <strong>&quot;مهم&quot;</strong> جدا'],
    ['这是**C++**、**100%**和**$5**的', '这是<strong>C++</strong>、<strong>100%</strong>和<strong>$5</strong>的'],
    ['2 * 3 * 4，a_b_c', '2 * 3 * 4，a_b_c'],
  ],
  'only two tildes strike out': [
    ['3~5天，价格100~200元', '3~5天，价格100~200元'],
    ['~1 kg and ~2 kg', '~1 kg and ~2 kg'],
    ['~a~ ~~b~~ c~~d~~e', '~a~ <del>b</del> c<del>d</del>e'],
    ['~/a and ~/b', '~/a and ~/b'],
    ['a ~~~b~~~ c', 'a ~~~b~~~ c'],
  ],
  'an address ends at punctuation beyond ASCII and takes no asterisks': [
    ['见 https://example.com/docs（中文说明）了解更多', `见 ${link('https://example.com/docs')}（中文说明）了解更多`],
    ...Array.from('。、，：；！？「」『』“”‘’《》【】（）〜～…—　→🎉', (mark): readonly [string, string] => [
      `${site}${mark}y`,
      `${link(site)}${mark}y`,
    ]),
    [`**${site}**`, `<strong>${link(site)}</strong>`],
    [`**Link: ${site}**。`, `<strong>Link: ${link(site)}</strong>。`],
    [`*${site}* and _${site}_.`, `<em>${link(site)}</em> and <em>${link(site)}</em>.`],
    [`__${site}__。~~${site}~~，`, `<strong>${link(site)}</strong>。<del>${link(site)}</del>，`],
    [`${site}**b**`, `${link(site)}<strong>b</strong>`],
    [
      `(${site})了 [${site}] “${site}” "${site}" <${site}>`,
      `(${link(site)})了 [${link(site)}] “${link(site)}” &quot;${link(site)}&quot; ${link(site)}`,
    ],
    [`${site}_(y)_z, ${site}/a_b_c?d=1&e=2#f.`, `${link(`${site}_(y)_z`)}, ${link(`${site}/a_b_c?d=1&amp;e=2#f`)}.`],
    [`${site}\\_y ${site}?a=1&amp;b=2`, `${link(`${site}_y`)} ${link(`${site}?a=1&amp;b=2`)}`],
    ['http://例え.jp/パス。', `${link('http://例え.jp/パス', 'http://xn--r8jz45g.jp/%E3%83%91%E3%82%B9')}。`],
    ['见www.a.example/x，index.ts', `见${link('www.a.example/x', 'http://www.a.example/x')}，index.ts`],
    ['联系a@b.example。mailto:a@b.example', `联系${link('a@b.example', 'mailto:a@b.example')}。${link('mailto:a@b.example')}`],
    [`[看${site}。](${site}) \`${site}\``, `<a href="${site}">看${site}。</a> <code>${site}</code>`],
    ['ahttps://b.example http:// https://', 'ahttps://b.example http:// https://'],
    [`- ${site}`, `<ul><li>${link(site)}</li></ul>`],
    [`${site}/**/*.ts`, `${link(`${site}/`)}**/*.ts`],
  ],
  'a bar of a formula divides no cells': [
    [table('given | $P(A|B)$'), drawnTable(['given', '<code>P(A|B)</code>'])],
    [table('\\(x || y\\) | $$|x|$$'), drawnTable(['<code>x || y</code>', '<code>|x|</code>'])],
    [table('$\\{x | x > 0\\}$ | $a \\| b$'), drawnTable(['<code>\\{x | x &gt; 0\\}</code>', '<code>a | b</code>'])],
    [table('$5 | $10', '$5/kg | 20$', '`a\\|b` | c'), drawnTable(['$5', '$10'], ['$5/kg', '20$'], ['<code>a|b</code>', 'c'])],
    [
      table('$|a|$ | b').replace('a | b', '$P(A|B)$ | b'),
      drawnTable(['<code>|a|</code>', 'b']).replace('<th>a', '<th><code>P(A|B)</code>'),
    ],
    ['$P(A|B)$ and \\(a \\| b\\)', '<code>P(A|B)</code> and <code>a \\| b</code>'],
    ['$5 and $10 \\| `$a|b$`', '$5 and $10 | <code>$a|b$</code>'],
    ['$a_1 * b_1 * c$ \\[x = 1\\]', '<code>a_1 * b_1 * c</code> <code>x = 1</code>'],
    ['> $$\n> x\n> = y|z\n>\n> - 1\n> $$', '<blockquote><code>x\n= y|z\n\n- 1</code></blockquote>'],
  ],
  'a few tags without attributes are drawn': [
    ['H<sub>2</sub>O, x<SUP>2</SUP>', 'H<sub>2</sub>O, x<sup>2</sup>'],
    ['<kbd>Ctrl</kbd>+<kbd>C</kbd>', '<kbd>Ctrl</kbd>+<kbd>C</kbd>'],
    ['<mark>**a** <u>b</u></mark>', '<mark><strong>a</strong> <u>b</u></mark>'],
    ['**<u>a</u>** [<u>b</u>](https://a.example/x)', `<strong><u>a</u></strong> <a href="${site}"><u>b</u></a>`],
    ['a<br>b<br/>c<BR />d', 'a<br>b<br>c<br>d'],
    ['<u>\n**a**\n</u>', '<u><strong>a</strong></u>'],
    ['a\n\n<br>\n\n<!-- b -->\n\nc', '<p>a</p><p>c</p>'],
    ['<br>\n**a**', '<br><strong>a</strong>'],
    [table('H<sub>2</sub>O | a<br>b'), drawnTable(['H<sub>2</sub>O', 'a<br>b'])],
    [table('<u>a | b</u>'), drawnTable(['&lt;u&gt;a', 'b&lt;/u&gt;'])],
    ['The <kbd> tag', 'The &lt;kbd&gt; tag'],
    ['a</sub> <sub>b', 'a&lt;/sub&gt; &lt;sub&gt;b'],
    ['**<u>a**</u>', '<strong>&lt;u&gt;a</strong>&lt;/u&gt;'],
    ['<sub>a<sup>b</sub>c</sup>', '<sub>a&lt;sup&gt;b</sub>c&lt;/sup&gt;'],
    ['<u class="x">a</u> <br class="x"> <u/>', '&lt;u class=&quot;x&quot;&gt;a&lt;/u&gt; &lt;br class=&quot;x&quot;&gt; &lt;u/&gt;'],
    ['<b>a</b> <a href="*b*">c</a>', '&lt;b&gt;a&lt;/b&gt; &lt;a href=&quot;*b*&quot;&gt;c&lt;/a&gt;'],
    [
      '<details>\n<summary>a</summary>\n**b**\n</details>',
      '&lt;details&gt;\n&lt;summary&gt;a&lt;/summary&gt;\n<strong>b</strong>\n&lt;/details&gt;',
    ],
    ['`<sub>a</sub>` \\<sub>b &lt;sub&gt;', '<code>&lt;sub&gt;a&lt;/sub&gt;</code> &lt;sub&gt;b &lt;sub&gt;'],
  ],
}

const cases = Object.entries(texts).flatMap(([rule, all]) => all.map(([source, html]) => [rule, source, html] as const))

/** Elements and addresses. Layout depends on other attributes, white space between blocks does not show. */
const essence = (html: string): string =>
  html
    .replace(/<(\w+)[^>]*?( href="[^"]*")?(?: [^>]*)?>/g, '<$1$2>')
    .replace(/>\n+</g, '><')
    .replace(/<br>\s*/g, '<br>')
    .replace(/(<\/?(?:p|ul|li|div|table|t\w+|blockquote)>)\s*|\s+(?=<\/?(?:p|ul|li|div|table|t\w+|blockquote)>)/g, '$1')

const whole = (html: string): string => (/^<(?:p|ul|div|blockquote)>/.test(html) ? html : `<p>${html}</p>`)

const texting = {
  ...{ imageName: 'Image', diagram: 'Diagram', done: 'Done', notDone: 'Not done', sources: new Map<number, string>() },
  ...{ idPrefix: 'a0-', footnotesName: 'Footnotes', backToReference: 'Back to reference' },
}
/** Shows the sources of code and formulas. */
const undrawn = () => ({ codeChars: 0, formulaWork: 0 })

describe.each(cases)('%s: %j', (_, source, html) => {
  test('is drawn the same everywhere', async () => {
    const drawn = whole(html)
    expect(essence(byBlocks(source)), 'on the page').toBe(drawn)
    expect(essence(await sharedAnswerHtml(source, texting, undrawn())), 'on a shared page').toBe(drawn)
    expect(essence(withoutTableTools(answerHtml(source, 'Image'))), 'in the first paint').toBe(drawn.replace(/ href="[^"]*"/g, ''))
  })

  test('shows no mark while it grows that the finished text does not show', () => {
    const shown = (text: string) => byBlocks(text, true).replace(/<[^>]*>/g, '')
    const finished = shown(source)
    for (const mark of ['**', '~~', '&lt;', '\ufdd0', '\ufdd1'])
      if (!finished.includes(mark))
        for (let cut = 0; cut < source.length; cut += 1) expect(shown(source.slice(0, cut)), source.slice(0, cut)).not.toContain(mark)
  })
})

test.each(Object.entries(answers))('a copy and an export of %s contain its source', (_, source) => {
  const parts = [{ type: 'text' as const, text: source }]
  const message = { id: 'a', role: 'assistant' as const, parts, metadata: { modelName: 'A' } } as unknown as ChatMessage
  expect(copiedText(message, 'https://parley.example')).toBe(source)
  const row = { id: 'a', threadId: 't', parentId: null, createdAt: 0, message }
  const thread = { id: 't', title: 'T', headId: 'a', messages: [row] } as unknown as ThreadWithMessages
  expect(markdownFile([thread], 'https://parley.example').text).toContain(source)
})

test.each([
  ['Tea: green/white?', 'Tea green white.md'],
  ['हिन्दी में चाय', 'हिन्दी में चाय.md'],
  ['สวัสดีครับ', 'สวัสดีครับ.md'],
  ['😀', 'parley.md'],
])('an export of the thread "%s" is named "%s"', (title, name) => {
  expect(markdownFile([{ id: 't', title, headId: null, messages: [] } as unknown as ThreadWithMessages], '').name).toBe(name)
})

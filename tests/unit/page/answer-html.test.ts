// Answers in the first paint: safe HTML that looks like what the page draws. tests/e2e/first-paint.test.ts compares the two.
import { describe, expect, test } from 'vitest'
import { answerHtml } from '../../../worker/page/answer-html.ts'

const htmlOf = (text: string) => answerHtml(text, 'Image')

describe('answers in the first paint', () => {
  test.each([
    ['a link', '[a](https://example.org)', '<p dir="auto"><a>a</a></p>'],
    ['a script link', '[a](javascript:alert(1))', '<p dir="auto">[a](javascript:alert(1))</p>'],
    ['an address', 'https://example.org', '<p dir="auto">https://example.org</p>'],
    ['an image', '![a "b"](https://example.org/a.png)', '<p dir="auto"><span>a &quot;b&quot;</span></p>'],
    ['an image without a description', '![](https://example.org/a.png)', '<p dir="auto"><span>Image</span></p>'],
  ])('write no address: %s', (_, text, html) => {
    expect(htmlOf(text).trim()).toBe(html)
  })

  test('show tags as text', () => {
    expect(htmlOf('<img src=x onerror=alert(1)>\n\na <b>b</b>')).not.toMatch(/<(?!\/?p\b)/)
  })

  test('escape code and its language', () => {
    const html = htmlOf('```"><b>\n<b>1 < 2</b>\n```')
    expect(html).not.toContain('<b>')
    expect(html).toContain('<pre><code>&lt;b&gt;1 &lt; 2&lt;/b&gt;</code></pre>')
  })

  test('draw lists, tables and struck text as the page does', () => {
    expect(htmlOf('3. a\n\n| a |\n|--:|\n| more than twenty-four characters |\n\n~~b~~')).toBe(
      '<ol start="3">\n<li>a</li>\n</ol>\n<div class="md-table"><table><thead>\n<tr>\n<th>a</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n' +
        '<td data-wraps="true">more than twenty-four characters</td>\n</tr>\n</tbody>\n</table></div><p dir="auto"><del>b</del></p>\n',
    )
  })
})

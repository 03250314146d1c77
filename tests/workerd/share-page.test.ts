// The public page of a shared thread: what it shows and hides, hostile content, and what does not change it.
import { describe, expect, test } from 'vitest'
import type { ErrorBody } from '../../worker/contract/http.ts'
import { newId } from '../../worker/db/new-id.ts'
import { sha256Base64 } from '../../worker/lib/digests.ts'
import { insert, messageRow } from '../support/rows.ts'
import { guest } from './auth/browser.ts'
import { newTestUser } from './authorization/scene.ts'
import { content, env } from './bindings.ts'
import { code, get, given, givenThread, link, pageOf, setSharedThread, shareIt, statusOf, text } from './shared-thread.ts'

setSharedThread()

describe('the page', () => {
  test('shows the branch without a script, with a preview, and asks not to be indexed', async () => {
    const id = await shareIt()
    const response = await get(`/share/${id}`)
    const html = await response.text()
    expect(response.status).toBe(200)
    expect(html).toContain('<h1 dir="auto"')
    expect(html).toContain('<title>How tea grows · Parley</title>')
    expect(html).toContain('<meta property="og:title" content="How tea grows">')
    expect(html).toContain('<meta property="og:description" content="Where does tea grow?">')
    expect(html).toMatch(/<meta property="og:image" content="https?:\/\/[^/"]+\/share-preview\.png">/)
    expect(html).toContain('<meta property="og:image:alt" content="Parley: How tea grows">')
    expect(html).toContain('<meta name="twitter:card" content="summary_large_image">')
    expect(html).toContain('<meta name="robots" content="noindex, nofollow">')
    expect(html).toContain('In <strong>Assam</strong>.')
    // The one that adds the buttons that copy code.
    expect(html.match(/<script/g)).toHaveLength(1)
    expect(html).not.toMatch(/<style|style=| on\w+=/)
    expect(html).toMatch(/<link [^>]*rel="stylesheet"/)
    expect(response.headers.get('x-robots-tag')).toBe('noindex, nofollow')
    expect(response.headers.get('cache-control')).toBe('private, no-store')
    const script = /<script>([\s\S]*?)<\/script>/.exec(html)?.[1] ?? ''
    expect(response.headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; script-src 'sha256-[^']*'; style-src 'self'; font-src 'self'; img-src 'self';/,
    )
    expect(response.headers.get('content-security-policy')).toContain(`'sha256-${await sha256Base64(script)}'`)
  })

  test('may be listed, except for a guest, and shows a name, only if the owner chose it', async () => {
    const plain = await pageOf(await shareIt())
    expect(plain).not.toContain('Shared by')
    expect(await code('shares.create', link({ isListed: true }))).toBe('listing_account_required')
    given.owner = await newTestUser(true)
    await givenThread([text('Where does tea grow?')], [text('In **Assam**.')])
    const id = await shareIt({ isListed: true, name: ' Ada\u202e L. ' })
    const response = await get(`/share/${id}`)
    const html = await response.text()
    expect(html).not.toContain('noindex')
    expect(response.headers.get('x-robots-tag')).toBeNull()
    expect(html).toContain('>Ada L.</bdi>')
    expect(await code('shares.create', link({ name: '\u200b' }))).toBe('name_invalid')
    expect(await code('shares.create', link({ name: 'x'.repeat(33) }))).toBe('name_invalid')
  })

  test('contains nothing else of the owner', async () => {
    const reasoning = { type: 'reasoning', text: 'The user lives in Darjeeling.' }
    const call = (type: string, input: object, output: object) => ({ type, toolCallId: newId(), state: 'output-available', input, output })
    const result = { number: 1, title: 'Tea', url: 'https://tea.example/', site: 'tea.example', snippet: 'Tea.' }
    const search = call(
      'tool-search',
      { query: 'tea near Darjeeling' },
      { results: [result, { ...result, number: 2, title: 'Not cited' }] },
    )
    const plan = call('tool-plan', {}, { steps: [{ id: 's', text: 'Ask in Darjeeling', queries: [] }] })
    await givenThread([text('Hello')], [reasoning, plan, search, text('It grows [1].')])
    const html = await pageOf(await shareIt())
    expect(html).toContain('href="https://tea.example/"')
    for (const secret of [
      'Darjeeling',
      'Not cited',
      '4711',
      'answer-that-paid',
      given.owner.userId,
      given.threadId,
      given.questionId,
      given.answerId,
    ])
      expect([secret, html.includes(secret)]).toEqual([secret, false])
  })

  test('follows the language of the browser', async () => {
    const id = await shareIt({ name: 'Ada' })
    expect(await (await get(`/share/${id}`, { 'accept-language': 'de' })).text()).toContain('Geteilt von')
  })

  test('is safe for markup in every text', async () => {
    const hostile =
      '<script>alert(1)</script><img src=x onerror=alert(1)> [a](javascript:alert(1)) ![a](https://evil.example/a.png) "x" onload="y'
    await givenThread([text(hostile)], [text(hostile)], hostile)
    const html = await pageOf(await shareIt({ name: '<b>"Ada"</b>' }))
    // Inside of attributes and texts, `<` and `"` are escaped.
    const [withoutOurs = ''] = html.split('<template data-copy>')
    expect(withoutOurs).not.toMatch(/<(?:script|img|b)\b|<[^>]* (?:src|onload|onerror)="|href="javascript/)
    expect(html).toContain('&lt;b&gt;&quot;Ada&quot;&lt;/b&gt;')
  })

  test('draws code, formulas and footnotes without a script or a style', async () => {
    const answer = '```ts\nconst a = 1\n```\n\n$\\frac{h}{p}$ and $\\ce{H2O}$[^1]\n\n| a |\n|--:|\n| 1 |\n\n[^1]: Note.'
    await givenThread([text('line\n'.repeat(20))], [text(answer)])
    const html = await pageOf(await shareIt())
    expect(html).toContain('<span class="tok-keyword">const</span> a = <span class="tok-number">1</span>')
    expect(html).toContain('<mfrac><mi>h</mi><mi>p</mi></mfrac>')
    expect(html).toContain('<mi mathvariant="normal">H</mi>')
    expect(html).toContain('<td data-align="right">1</td>')
    expect(html).toContain('<section aria-label="Footnotes"')
    expect(html).toContain('<details')
    // Outside of the page until the script copies it into the blocks.
    expect(html).toContain('<template data-copy><button type="button" aria-label="Copy code"')
    expect(html).not.toMatch(/<style|style=| on\w+=/)
  })

  test('has a title of one visible line', async () => {
    await givenThread([text('a')], [text('b')], `Tea\u0000\u202e\n</title><script>\u200b ${'x'.repeat(300)}`)
    const html = await pageOf(await shareIt())
    const title = /<title>([^<]*)<\/title>/.exec(html)?.[1] ?? ''
    expect(title).toMatch(/^Tea &lt;\/title&gt;&lt;script&gt; x+ · Parley$/)
    expect(title.length).toBeLessThan(150)
  })

  test('bounds deep nesting', async () => {
    await givenThread([text('a')], [text(`${'>'.repeat(5000)} deep\n\n${'['.repeat(5000)}\n\n${'- '.repeat(2000)}x`)])
    expect(await statusOf(await shareIt())).toBe(200)
  })
})

test('a misspelled address gets the page of a missing link', async () => {
  const id = await shareIt()
  const response = await get(`/share/${newId()}`)
  expect(response.headers.get('content-security-policy')).toContain("script-src 'none'")
  const missing = await response.text()
  expect(missing).not.toContain('<script')
  for (const path of ['/share', '/share/', `/share//${id}`, `//share/${id}`, `/SHARE/${id}`, `/share/${id}/x`, `/share/${id}.png`]) {
    const response = await get(path)
    expect([path, response.status, await response.text()]).toEqual([path, 404, missing])
  }
})

test('a network with too many requests gets a plain page, and no copy', async () => {
  const id = await shareIt()
  const headers = { 'cf-connecting-ip': '203.0.113.77', 'accept-language': 'de' }
  expect((await get(`/share/${id}`, headers)).status).toBe(200)
  const limit = "update rateLimit set count = 10000 where key = 'share:203.0.113.77'"
  expect((await env.DB.prepare(limit).run()).meta.changes).toBe(1)
  for (const path of [`/share/${id}`, `/share/${id}/files/0`]) {
    const response = await get(path, headers)
    expect(response.status).toBe(429)
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(await response.text()).toContain('Zu viele Anfragen')
  }
  const { browser } = await guest()
  const copy = await browser.call(`/api/shares/${id}/copy`, { body: { threadId: newId() }, headers })
  expect([copy.status, ((await copy.json()) as ErrorBody).error.code]).toEqual([429, 'rate_limited'])
  expect(await statusOf(id)).toBe(200)
})

describe('a damaged message', () => {
  const damage = (message: string) => content.prepare('update message set message = ? where id = ?').bind(message, given.answerId).run()
  test.each([
    ['is no JSON', '{"id":'],
    ['has no parts and no metadata', '{"id":"m","role":"assistant"}'],
    ['has parts of another shape', '{"id":"m","role":"assistant","parts":[null,{"type":"text"},{"type":"text","text":"Readable"}]}'],
  ])('that %s leaves the rest of the page', async (_what, message) => {
    const id = await shareIt()
    await damage(message)
    const html = await pageOf(id)
    expect(html).toContain('Where does tea grow?')
    expect(html.includes('Readable')).toBe(message.includes('Readable'))
  })
})

describe('a page stays as it was', () => {
  test('when the thread is renamed, forked or goes on', async () => {
    const id = await shareIt()
    const before = (await pageOf(id)).replace(/copy=[\w-]+/, '')
    expect(await code('threads.rename', { threadId: given.threadId, title: 'Renamed' })).toBeUndefined()
    const message = JSON.stringify({ id: 'm', role: 'user', parts: [text('Later')] })
    await insert(content, 'message', messageRow(given.owner.userId, given.threadId, { parentId: given.answerId, message }))
    await insert(content, 'message', messageRow(given.owner.userId, given.threadId, { parentId: given.questionId, message }))
    expect((await pageOf(id)).replace(/copy=[\w-]+/, '')).toBe(before)
  })
})

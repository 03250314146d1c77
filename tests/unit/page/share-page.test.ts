// The public page of a shared thread.
import { beforeEach, expect, test, vi } from 'vitest'
import type { Env } from '../../../worker/bindings.ts'
import type { LegalLink } from '../../../worker/contract/http.ts'
import type { ChatMessage } from '../../../worker/contract/threads/messages.ts'
import { sharePage } from '../../../worker/page/share-page.ts'

const env = { ASSETS: { fetch: () => Promise.resolve(new Response('')) } } as unknown as Env

let cached: Map<string, string>
const put = vi.fn(async (key: string, response: Response) => void cached.set(key, await response.text()))
beforeEach(() => {
  cached = new Map()
  put.mockClear()
  const match = async (key: string) => (cached.has(key) ? new Response(cached.get(key)) : undefined)
  vi.stubGlobal('caches', { default: { match, put } })
})

const answer = (text: string, demo?: true): ChatMessage => ({
  id: '',
  role: 'assistant',
  parts: [{ type: 'text', text }],
  metadata: { modelId: 'm', modelName: 'Model M', modelIcon: '', ending: 'completed', credits: 0, ...(demo && { demo }) },
})

test.each([
  ['en', 'Written by the built-in demo model.'],
  ['de', 'Vom eingebauten Demo-Modell geschrieben.'],
])('only answers of the demo model have its mark (%s)', async (language, description) => {
  const request = new Request('https://parley.example/share/s', { headers: { 'accept-language': language } })
  const shared = { id: 's', ownerId: 'u', title: 'T', name: null, isListed: false, createdAt: 0 }
  const page = await sharePage(env, request, 'https://parley.example', [], { ...shared, messages: [answer('one'), answer('two', true)] })
  const [, first, second] = (await page.text()).split('<article')
  expect(first).not.toContain('Demo')
  expect(second).toMatch(new RegExp(`Model M <span title="${description}" [^>]*>Demo</span>`))
})

const pageOf = async (messages: readonly ChatMessage[], language = 'en', legal: readonly LegalLink[] = []): Promise<string> => {
  const request = new Request('https://parley.example/share/s', { headers: { 'accept-language': language } })
  const shared = { id: 's', ownerId: 'u', title: 'T', name: null, isListed: false, createdAt: 0, messages }
  return (await sharePage(env, request, 'https://parley.example', legal, shared)).text()
}

test('links the legal pages of the operator, in the language of the visitor', async () => {
  const links = [{ name: 'privacy', url: 'https://parley.example/privacy?a="b"' }] as const
  expect(await pageOf([answer('one')], 'de', links)).toContain('<a href="https://parley.example/privacy?a=&quot;b&quot;" rel="noreferrer"')
  expect(await pageOf([answer('one')], 'de', links)).toContain('>Datenschutz</a>')
  expect(await pageOf([answer('one')])).toContain('can be wrong.</p></footer>')
})

test('draws the articles once for each content and language', async () => {
  const [one, two] = [[answer('**one**')], [answer('**two**')]]
  const first = await pageOf(one)
  expect(first).toContain('<strong>one</strong>')
  expect((await pageOf(one)).split('<article')[1]).toBe(first.split('<article')[1])
  expect(put).toHaveBeenCalledTimes(1)
  expect(await pageOf(two)).toContain('<strong>two</strong>')
  expect(await pageOf(one, 'de')).toContain('aria-label="Antwort"')
  expect(put).toHaveBeenCalledTimes(3)
})

test.each([
  ['items', '- a\n'],
  ['blocks', 'a\n\n'],
  ['cells', '|a|b\n|-|-\n'],
  ['letters', '*a '],
])('shows answers with too many %s as they were written, and the others as Markdown', async (_kind, part) => {
  const hostile = part.repeat(600_000 / part.length)
  const [, first, second, third] = (await pageOf([answer('**one**'), answer(hostile), answer('**three**')])).split('<article')
  expect(first).toContain('<strong>one</strong>')
  expect(second).toContain(`<p class="whitespace-pre-wrap">${hostile}</p>`)
  expect(third).toContain('<strong>three</strong>')
})

test.each(['_a_ ', '**（a', '*a**', '![', '[[', '[a '])(
  'shows an answer of many %j, which are slow together, as it was written',
  async (marks) => {
    const hostile = marks.repeat(100_000)
    const [, first, second] = (await pageOf([answer(hostile), answer('**two**')])).split('<article')
    expect(first).toContain(`<p class="whitespace-pre-wrap">${hostile}</p>`)
    expect(second).toContain('<strong>two</strong>')
  },
)

test('draws a long answer with emphasis, links and tables', async () => {
  const section =
    '## Head\n\n**One** of [these](https://a.example/x) and _those_ with `code`.\n\n- a\n- b\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n'
  const page = await pageOf([answer(section.repeat(1000))])
  expect(page.split('<strong>One</strong>')).toHaveLength(1001)
})

test('marks imported answers', async () => {
  const imported = answer('one')
  if (imported.role === 'assistant') Object.assign(imported.metadata, { imported: true })
  const [, first, second] = (await pageOf([imported, answer('two')])).split('<article')
  expect(first).toMatch(/Model M <span title="From an imported file[^>]*>Imported<\/span>/)
  expect(second).not.toContain('Imported')
})

const question = (text: string): ChatMessage => ({ id: '', role: 'user', parts: [{ type: 'text', text }] })

test.each([
  ['13 lines', `${'a\n'.repeat(12)}a`, true],
  ['1,000 characters', 'a'.repeat(1000), true],
  ['12 lines', `${'a\n'.repeat(11)}a`, false],
])('folds a prompt of more than 12 lines, without a script: %s', async (_name, prompt, isFolded) => {
  const page = await pageOf([question(prompt)])
  expect(page).toContain(`>${prompt}</p>`)
  expect(page.includes('<details')).toBe(isFolded)
  expect(page.includes('line-clamp-12')).toBe(isFolded)
})

test('gives footnotes of each answer ids of their own', async () => {
  const page = await pageOf([answer('a[^1]\n\n[^1]: b'), answer('a[^1]\n\n[^1]: b')])
  const ids = [...page.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id)
  expect(ids).toHaveLength(4)
  expect(new Set(ids).size).toBe(4)
  for (const [, target] of page.matchAll(/href="#([^"]*)"/g)) expect(ids).toContain(target)
})

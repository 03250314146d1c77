// The HTML of the page: theme, title and page settings, for any title.
import { describe, expect, test } from 'vitest'
import type { PageSettings } from '../../../worker/contract/http.ts'
import { writePageSettings } from '../../../worker/page/page.ts'
import { insert, threadRow } from '../../support/rows.ts'
import { Browser, guest, signInByCode } from '../auth/browser.ts'
import { content, env } from '../bindings.ts'

const bare =
  '<!doctype html><html lang="en" class="old"><head><title>x</title><script>1</script></head><body><noscript>Parley needs JavaScript.</noscript></body></html>'
const settings: PageSettings = {
  search: true,
  billing: true,
  files: true,
  creditMicroDollars: null,
  signIn: ['mail'],
  outbox: true,
  turnstile: null,
  legal: [],
  isShell: false,
  userId: 'ada',
  mode: 'light',
  theme: 'paper',
  language: 'de',
  title: null,
  magicLink: null,
  invitation: null,
}
const render = (fields: Partial<PageSettings> = {}, html = bare) =>
  writePageSettings(new Response(html), { ...settings, ...fields }, 'n-1').text()
const pageSettingsIn = (html: string) =>
  JSON.parse(/<script type="application\/json" id="page-settings">(.*?)<\/script>/.exec(html)?.[1] ?? 'null') as PageSettings | null
const classIn = (html: string) => /<html[^>]* class="([^"]*)"/.exec(html)?.[1]
const titleIn = (html: string) => /<title>(.*?)<\/title>/s.exec(html)?.[1]

describe('writing the page settings', () => {
  test('classes, title, description, page settings and nonce', async () => {
    const html = await render()
    expect(classIn(html)).toBe('light theme-paper')
    expect(titleIn(html)).toBe('Parley')
    expect(html).toContain('<meta name="description" content="Chatte mit Modellen von OpenAI, Anthropic und anderen">')
    expect(html).toContain('<noscript>Parley braucht JavaScript.')
    expect(pageSettingsIn(html)).toEqual(settings)
    expect(html).toContain('<script nonce="n-1">1</script>')
  })

  test('an unknown theme becomes the default', async () => {
    expect(classIn(await render({ mode: 'sepia', theme: 'gone' }))).toBe('dark theme-default')
    expect(classIn(await render({ mode: 'system', theme: 'mono' }))).toBe('system theme-mono')
  })

  test('a title is escaped', async () => {
    const title = '</title><script>alert(1)</script> & "more"'
    const html = await render({ title })
    expect(titleIn(html)).toBe('&lt;/title&gt;&lt;script&gt;alert(1)&lt;/script&gt; &amp; "more"')
    expect(pageSettingsIn(html)?.title).toBe(title)
    expect(html.match(/<script/g)).toHaveLength(2)
  })

  test('an existing description is not added twice', async () => {
    const html = await render({}, bare.replace('<title>', '<meta name="description" content="other"><title>'))
    expect(html.match(/name="description"/g)).toHaveLength(1)
    expect(html).toContain('content="Chatte mit Modellen von OpenAI, Anthropic und anderen"')
  })

  test('without a language, description and noscript are English', async () => {
    const html = await render({ language: null })
    expect(html).toContain('content="Chat with models from OpenAI, Anthropic, and more"')
    expect(html).toContain('<noscript>Parley needs JavaScript.')
  })
})

// Running vitest without a build, there is no page to serve.
describe.skipIf(env.ASSETS === undefined)('the served page', () => {
  test('a new visitor gets the defaults, and the response is not cached', async () => {
    const response = await new Browser().call('/')
    const html = await response.text()
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(response.headers.get('cache-control')).toBe('private, no-store')
    expect(classIn(html)).toBe('dark theme-default')
    expect(pageSettingsIn(html)).toEqual({
      search: true,
      billing: true,
      files: true,
      creditMicroDollars: null,
      signIn: ['google', 'github', 'mail'],
      outbox: true,
      turnstile: null,
      legal: [],
      isShell: false,
      userId: null,
      mode: 'dark',
      theme: 'default',
      language: 'en',
      title: null,
      magicLink: null,
      invitation: null,
    })
    expect(response.headers.get('content-security-policy')).toMatch(/script-src 'self' 'nonce-[0-9a-f-]{36}';/)
  })

  test('the shell is the same for a user with threads and for a visitor, and sets no cookie', async () => {
    const ada = await guest()
    await insert(content, 'thread', threadRow(ada.userId, { title: 'A secret title' }))
    const [own, strange] = await Promise.all([ada.browser.call('/shell'), new Browser().call('/shell')])
    expect([own.status, own.headers.get('cache-control'), own.headers.get('set-cookie')]).toEqual([200, 'no-cache', null])
    const texts = await Promise.all([own, strange].map(async (response) => (await response.text()).replaceAll(/nonce="[^"]*"/g, '')))
    expect(texts[0]).toBe(texts[1])
    expect(texts[0]).toContain('"isShell":true')
    expect(texts[0]).not.toMatch(new RegExp(`secret|first-page|${ada.userId}`))
  })

  test('a user gets the selected theme, and titles of the user’s threads only', async () => {
    const [ada, ben] = [await guest(), await guest()]
    await content.prepare("update setting set mode = 'light', theme = 'graphite' where userId = ?").bind(ada.userId).run()
    const thread = threadRow(ada.userId, { title: 'Pasta & <b>sauce</b>' })
    const deleted = threadRow(ada.userId, { title: 'Gone', deletedAt: 1 })
    await insert(content, 'thread', thread)
    await insert(content, 'thread', deleted)
    const own = await (await ada.browser.call(`/${thread.id}`)).text()
    expect([classIn(own), titleIn(own)]).toEqual(['light theme-graphite', 'Pasta &amp; &lt;b&gt;sauce&lt;/b&gt;'])
    expect(pageSettingsIn(own)).toEqual({
      search: true,
      billing: true,
      files: true,
      creditMicroDollars: null,
      signIn: ['google', 'github', 'mail'],
      outbox: true,
      turnstile: null,
      legal: [],
      isShell: false,
      userId: ada.userId,
      mode: 'light',
      theme: 'graphite',
      language: 'en',
      title: 'Pasta & <b>sauce</b>',
      magicLink: null,
      invitation: null,
    })
    expect(titleIn(await (await ben.browser.call(`/${thread.id}`)).text())).toBe('Parley')
    expect(titleIn(await (await ada.browser.call(`/${deleted.id}`)).text())).toBe('Parley')
  })

  test('the page of an open invitation names organization and inviter to everybody who has the link, and no other page does', async () => {
    const owner = new Browser()
    await signInByCode(owner, 'ada@inviting.test')
    const { id: organizationId } = await owner.json<{ id: string }>('/api/auth/organization/create', {
      body: { name: 'Atelier', slug: 'atelier-inviting' },
    })
    const { id } = await owner.json<{ id: string }>('/api/auth/organization/invite-member', {
      body: { email: 'ben@inviting.test', role: 'member', organizationId },
    })
    const { browser: guestBrowser } = await guest()
    const invitationOn = async (browser: Browser, path: string) => pageSettingsIn(await (await browser.call(path)).text())?.invitation
    const path = `/team/invitation/${id}`
    const [ben, eve] = [new Browser(), new Browser()]
    await signInByCode(ben, 'ben@inviting.test')
    await signInByCode(eve, 'eve@inviting.test')
    const named = { state: 'open', id, organization: 'Atelier', inviter: 'ada@inviting.test', forViewer: null }
    for (const browser of [new Browser(), guestBrowser, eve]) expect(await invitationOn(browser, path)).toEqual(named)
    expect(await (await new Browser().call(path)).text()).not.toContain('ben@inviting.test')
    expect(await invitationOn(ben, path)).toEqual({ ...named, forViewer: { organizationId, role: 'member' } })
    const joined = { state: 'joined', id, organization: 'Atelier', organizationId }
    expect(await invitationOn(owner, path)).toEqual(joined)
    for (const other of ['/', `/${id}`, `/team/${id}`]) expect(await invitationOn(owner, other)).toBeNull()
    const unknown = 'x'.repeat(21)
    expect(await invitationOn(owner, `/team/invitation/${unknown}`)).toEqual({ state: 'closed', id: unknown })
    for (const closed of ['expiresAt = 1', "status = 'canceled'"]) {
      await env.DB.prepare(`update invitation set ${closed} where id = ?`).bind(id).run()
      for (const browser of [new Browser(), ben]) expect(await invitationOn(browser, path)).toEqual({ state: 'closed', id })
      expect(await invitationOn(owner, path)).toEqual(joined)
    }
  })

  test('the first paint has the rows of the user only, as text', async () => {
    const [ada, ben] = [await guest(), await guest()]
    const thread = threadRow(ada.userId, { title: '<b>Pasta</b>' })
    await insert(content, 'thread', thread)
    const paintIn = (html: string) => /<div id="first-paint".*?<div id="root">/s.exec(html)?.[0]
    const own = paintIn(await (await ada.browser.call('/')).text())
    expect(own).toContain('&lt;b&gt;Pasta&lt;/b&gt;')
    expect(own).not.toContain('<b>')
    expect(own).toMatch(/<script nonce="[0-9a-f-]{36}">/)
    const foreign = paintIn(await (await ben.browser.call(`/${thread.id}`)).text())
    expect(foreign).toContain('Write a reply')
    expect(foreign).not.toContain('Pasta')
    expect(paintIn(await (await ada.browser.call('/login')).text())).toContain('<h1 class="text-title text-balance">Log in to Parley</h1>')
    for (const path of ['/account', '/shell']) expect(paintIn(await (await ada.browser.call(path)).text())).toBeUndefined()
  })

  test('an unknown page is a 404 with the app, which shows "Not found"; a missing file is empty for programs', async () => {
    const { browser } = await guest()
    for (const path of ['/account/nothing', '/nothing', '/a/b/c', '/old-site.php']) {
      const response = await browser.call(path, { headers: { accept: 'text/html,*/*;q=0.8' } })
      const html = await response.text()
      expect([path, response.status, pageSettingsIn(html)?.userId, titleIn(html)]).toEqual([path, 404, expect.any(String), 'Parley'])
      expect([path, (await browser.call(path, { method: 'HEAD', headers: { accept: 'text/html' } })).status]).toEqual([path, 404])
    }
    const file = await browser.call('/robots-of-dawn.txt', { headers: { accept: '*/*' } })
    expect([file.status, await file.text()]).toEqual([404, ''])
  })

  test('a thread of another user gets the response of a thread that does not exist', async () => {
    const [ada, ben] = [await guest(), await guest()]
    const thread = threadRow(ada.userId, { id: 'thread-of-another-user' })
    await insert(content, 'thread', thread)
    const answerFor = async (id: string) => {
      const response = await ben.browser.call(`/${id}`)
      const html = await response.text()
      return [
        response.status,
        titleIn(html),
        html
          .replaceAll(id, 'ID')
          .replace(/nonce="[^"]+"/g, '')
          .replace(/"syncToken":"[^"]+"/, ''),
      ]
    }
    expect(await answerFor('thread-of-another-user')).toEqual(await answerFor('thread-that-is-not-there'))
  })

  test('a failing database omits the user, but the page is served', async () => {
    const { browser } = await guest()
    await content.exec('alter table setting rename to setting_gone')
    const response = await browser.call('/')
    await content.exec('alter table setting_gone rename to setting')
    expect([response.status, pageSettingsIn(await response.text())?.userId]).toEqual([200, null])
  })

  test('HEAD is GET without the body', async () => {
    const response = await new Browser().call('/', { method: 'HEAD' })
    expect([response.status, await response.text()]).toEqual([200, ''])
  })
})

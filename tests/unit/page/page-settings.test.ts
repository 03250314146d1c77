// The pure functions of the page: paths of threads, and JSON that stays inside its script.
import { expect, test } from 'vitest'
import type { FirstPage } from '../../../worker/contract/first-page.ts'
import { inlinedText, isPage, pageSettingsOf, scriptJson, threadIdOf } from '../../../worker/page/page-settings.ts'
import { contentSecurityPolicy } from '../../../worker/page/security.ts'

test.each([
  ['/', null],
  ['/login', null],
  ['/account', null],
  ['/account/models', null],
  ['/logged-out', null],
  ['/magic-link', null],
  ['/V1StGXR8_Z5jdHi6B-myT', 'V1StGXR8_Z5jdHi6B-myT'],
  ['/V1StGXR8_Z5jdHi6B-myT/', 'V1StGXR8_Z5jdHi6B-myT'],
  ['/short', null],
  ['/with%20space-in-it', null],
  ['/a-thread-id/and-more', null],
])('%s is the thread %s', (path, threadId) => {
  expect(threadIdOf(path)).toBe(threadId)
})

test.each([
  ['/', true],
  ['/archive', true],
  ['/archive/', true],
  ['//archive', true],
  ['/Archive', true],
  ['/%61rchive', true],
  ['/account/models', true],
  ['/team/V1StGXR8_Z5jdHi6B-myT/billing', true],
  ['/V1StGXR8_Z5jdHi6B-myT', true],
  ['/no-such-thread-of-anybody', true],
  ['/project/V1StGXR8_Z5jdHi6B-myT', true],
  ['/project/V1StGXR8_Z5jdHi6B-myT/files', true],
  ['/project/V1StGXR8_Z5jdHi6B-myT/nothing', false],
  ['/nothing', false],
  ['/wp-login.php', false],
  ['/account/nothing', false],
  ['/archive/more', false],
  ['/team/V1StGXR8_Z5jdHi6B-myT/nothing', false],
  ['/project', false],
  ['/project/short', false],
  ['/V1StGXR8_Z5jdHi6B-myT/more', false],
  ['/$threadId', false],
  ['/constructor/prototype', false],
  ['/%C3%BCmlaut-in-a-path', false],
  ['/%E0%A4%A', false],
  [`/${'a'.repeat(65)}`, false],
])('%s is a page: %s', (path, isKnown) => {
  expect(isPage(path)).toBe(isKnown)
})

test.each(['</script><script>alert(1)</script>', '<!--<script>', '&lt;', '\u2028\u2029', '"quoted"', 'plain'])(
  '%j stays inside its script',
  (title) => {
    const text = scriptJson({ title })
    expect(text).not.toMatch(/[<>&\u2028\u2029]/)
    expect(JSON.parse(text)).toEqual({ title })
  },
)

const firstPage = (changes: object = {}): FirstPage =>
  ({ session: { userId: 'ada' }, settings: null, threads: [], thread: null, ...changes }) as unknown as FirstPage

test('theme and title come from the first rows, with defaults', () => {
  expect(pageSettingsOf(firstPage(), null)).toEqual({ userId: 'ada', mode: 'dark', theme: 'default', title: null })
  const settings = { mode: 'light', theme: 'graphite' }
  expect(pageSettingsOf(firstPage({ settings, thread: { title: 'Tides' } }), 'tides')).toMatchObject({ ...settings, title: 'Tides' })
  expect(pageSettingsOf(firstPage({ threads: [{ id: 'tides', title: 'In the list' }] }), 'tides').title).toBe('In the list')
  expect(pageSettingsOf(firstPage({ threads: [{ id: 'tides', title: 'In the list' }] }), null).title).toBeNull()
})

test('the inlined data is bounded: first the messages are dropped, then the list, then everything', () => {
  const inlined = (changes: object) =>
    JSON.parse(inlinedText({ syncToken: 'token', isFromD1: true, firstPage: firstPage(changes) })) as unknown
  const long = 'x'.repeat(70_000)
  expect(inlined({ thread: { title: 'short' } })).toEqual({
    syncToken: 'token',
    isFromD1: true,
    firstPage: firstPage({ thread: { title: 'short' } }),
  })
  expect(inlined({ thread: { title: long }, threads: [{ id: 'a' }] })).toEqual({
    syncToken: 'token',
    isFromD1: true,
    firstPage: firstPage({ threads: [{ id: 'a' }] }),
  })
  expect(inlined({ threads: [{ title: long }] })).toEqual({ syncToken: 'token', isFromD1: true, firstPage: firstPage() })
  expect(inlined({ settings: { instructions: long } })).toBeNull()
  // A character that must be escaped counts with its escaped length.
  expect(inlined({ thread: { title: '<'.repeat(20_000) } })).toEqual({ syncToken: 'token', isFromD1: true, firstPage: firstPage() })
})

test('the policy allows connections to the page’s origin and configured addresses only', () => {
  const connect = (apiUrl?: string, syncUrl?: string) =>
    contentSecurityPolicy('https://chat.test/x', 'n', { apiUrl, syncUrl })
      .split('; ')
      .find((part) => part.startsWith('connect-src'))
  expect(connect()).toBe("connect-src 'self' ws://chat.test wss://chat.test")
  expect(connect('https://api.test/v1', 'http://sync.test:1')).toBe(
    "connect-src 'self' ws://chat.test wss://chat.test https://api.test wss://api.test http://sync.test:1 ws://sync.test:1",
  )
  expect(connect('', 'nonsense')).toBe(connect())
})

test('only the product’s scripts run: inline ones need the nonce, and framing is denied', () => {
  const policy = contentSecurityPolicy('https://chat.test/', 'abc', { apiUrl: undefined, syncUrl: undefined })
  expect(policy).toContain("script-src 'self' 'nonce-abc';")
  expect(policy).not.toMatch(/script-src[^;]*unsafe/)
  expect(policy).toContain("frame-ancestors 'none'")
  expect(policy).not.toMatch(/frame-src|challenges/)
})

test('scripts and frames of Turnstile are allowed only if it is configured', () => {
  const targets = { apiUrl: undefined, syncUrl: undefined }
  const policy = contentSecurityPolicy('https://chat.test/', 'abc', targets, 'https://challenges.cloudflare.com').split('; ')
  expect(policy).toContain("script-src 'self' 'nonce-abc' https://challenges.cloudflare.com")
  expect(policy).toContain("frame-src 'self' https://challenges.cloudflare.com")
  expect(policy.filter((part) => part.includes('challenges'))).toHaveLength(2)
})

// Invalid input over HTTP against the running product: nothing crashes or leaks, and every error has a code and a sentence.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { maxStreamReaders } from '../../worker/contract/limits.ts'
import { type Guest, newGuest } from '../support/guest.ts'
import { type Product, startProduct } from '../support/product.ts'
import { createRng } from '../support/rng.ts'
import { expectCleanLog } from './attack-log.ts'
import { connectRaw, type RawClient, sendArgs } from './attack-wire.ts'
import { type Answer, type RawRequest, rawRequest } from './raw-http.ts'

let product: Product
let ada: Guest
let eve: Guest
let adaWire: RawClient
/** A thread of Ada with an answer that streams during the whole file. */
const busy = sendArgs({ text: '/demo chunks=600 delay=100', at: 1 })
const secretText = 'zebra-crossing-at-noon'

beforeAll(async () => {
  product = await startProduct()
  ada = await newGuest(product.url)
  eve = await newGuest(product.url)
  adaWire = await connectRaw(ada, { queries: [{ hash: 'recent', name: 'threads.recent', args: [] }] })
  expect(await adaWire.mutate('threads.send', busy)).toBeNull()
})
afterAll(async () => product?.stop())

const ask = (path: string, request: RawRequest = {}) => rawRequest(product.port, path, request)
const asEve = (headers: RawRequest['headers'] = {}) => ({ cookie: eve.cookie, origin: product.url, ...headers })
const json = { 'content-type': 'application/json' }

/** Missing configuration is the only 5xx allowed for invalid input. */
function expectRefusalBody(label: string, { status, headers, body }: Answer): void {
  expect(status, label).toBeGreaterThanOrEqual(200)
  if (status >= 500) {
    expect(status, `${label}: ${body}`).toBe(501)
    // A HEAD response has no body.
    if (!label.startsWith('HEAD ')) expect(JSON.parse(body), label).toEqual({ error: { code: 'not_configured' } })
  }
  const target = headers.location
  if (target !== undefined) expect(new URL(target, product.url).origin, `${label} leads to ${target}`).toBe(product.url)
  expect(body, label).not.toMatch(/root:.*:0:0:|SQLITE|drizzle|node_modules|at async /)
}

async function inTurns<T>(cases: readonly T[], run: (item: T) => Promise<void>): Promise<void> {
  const left = [...cases]
  await Promise.all(
    Array.from({ length: 6 }, async () => {
      for (let next = left.shift(); next !== undefined; next = left.shift()) await run(next)
    }),
  )
}

const routes = [
  ...['/', '/abcdefgh1234', '/index.html', '/assets/nope.js', '/api', '/sync', '/api/nope', '/api/health', '/api/reset', '/api/outbox'],
  ...['/api/auth/get-session', '/api/auth/token', '/api/auth/nope', '/api/auth/delete-user', '/api/thread/abcdefgh/stream'],
  ...['/sync/v51/connect', '/sync/v99999999/connect', '/sync/v51/other'],
]
const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND']

test('every route responds to every method', async () => {
  const cases = routes.flatMap((path) => methods.map((method) => ({ path, method })))
  await inTurns(cases, async ({ path, method }) => {
    expectRefusalBody(`${method} ${path}`, await ask(path, { method, headers: asEve() }))
  })
})

const nasty = [
  '%00',
  '%2e%2e',
  '..',
  '%2f',
  '%5c',
  '\\',
  '//',
  '%0d%0aset-cookie:a=1',
  '%ff',
  '%E0%A4%A',
  '%',
  '__proto__',
  'a'.repeat(3000),
  '<b>',
]

test('odd paths return errors', async () => {
  const written = [
    ...['//evil.example', '//evil.example/', '//evil.example/index.html', '/.//evil.example/x.html', '/\\evil.example/index.html'],
    ...['/%5cevil.example/index.html', '/%2fevil.example/index.html', '//evil.example/%2e%2e/index.html', '/assets/../../etc/passwd'],
    ...['/assets/..%2f..%2f..%2fetc/passwd', '/assets/%2e%2e/%2e%2e/wrangler.json', '/@fs/etc/passwd', '/.dev.vars', '/.git/config'],
    ...['/api/thread/..%2f..%2fhealth/stream', '/api/auth/..%2fsign-out', '/api%2fhealth', '/cdn-cgi/mf/scheduled', '/__scheduled'],
  ]
  const rng = createRng(20_261)
  const prefixes = ['/', '/assets/', '/api/', '/api/auth/', '/api/thread/', '/sync/v51/', '/sync/v']
  const made = Array.from({ length: 150 }, () => {
    const parts = Array.from({ length: 1 + rng.below(4) }, () => rng.pick(nasty))
    return rng.pick(prefixes) + parts.join(rng.pick(['', '/', '.'])) + rng.pick(['', '.js', '.html', '/stream', '/connect', '?a=%00'])
  })
  await inTurns([...written, ...made], async (path) => expectRefusalBody(path, await ask(path, { headers: asEve() })))
})

test('odd headers neither authenticate nor change anything', async () => {
  const session = 'better-auth.session_token='
  const nobodies = [
    ...['%E0%A4%A', '%', 'a.b', '', '__proto__', 'A'.repeat(8000), '\xff\xfe\x80', `x.${'a'.repeat(43)}%3D`].map(
      (value) => session + value,
    ),
    ...[';;;=;', '__proto__=x', eve.cookie.replace(/\.[^;]*/, '.AAAA')],
  ]
  await inTurns(nobodies, async (cookie) => {
    const headers = { cookie }
    expect((await ask('/api/thread/abcdefgh/stream', { headers })).status, cookie).toBe(401)
    for (const path of ['/', '/api/auth/get-session', '/api/auth/token']) expectRefusalBody(cookie, await ask(path, { headers }))
  })
  const others = {
    range: 'bytes=0-1',
    'if-none-match': '*',
    'x-forwarded-host': 'evil.example',
    'cf-connecting-ip': "'; drop table user; --",
  }
  for (const [name, value] of Object.entries(others)) {
    const answer = await ask('/', { headers: asEve({ [name]: value }) })
    expect(answer.status, name).toBe(200)
    expect(answer.body, name).toContain('</html>')
    expect(answer.body, name).not.toContain('evil.example')
  }
})

const authPosts = [
  ...['sign-in/anonymous', 'sign-in/magic-link', 'sign-in/social', 'sign-in/email-otp', 'email-otp/send-verification-otp', 'update-user'],
  ...['organization/create', 'organization/invite-member', 'organization/accept-invitation', 'revoke-session', 'update-session', 'nope'],
].map((name) => `/api/auth/${name}`)
const bodies: readonly (string | Uint8Array)[] = [
  ...['', 'null', '[]', '"x"', '1e999', '{', '{"email":"a\\u0000@b.co"}', '{"email":"\\ud800@b.co","otp":"\\ud800","name":"\\ud800"}'],
  ...['{"__proto__":{"email":"a@b.co"},"constructor":{"prototype":{"x":1}}}', '{"email":{"$ne":1},"type":["sign-in"],"otp":{}}'],
  `${'['.repeat(10_000)}${']'.repeat(10_000)}`,
  `{"email":"${'a.'.repeat(10_000)}","type":"sign-in"}`,
  new Uint8Array([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]),
]

test('odd bodies are refused by their routes', async () => {
  const cases = authPosts.flatMap((path) => bodies.map((body) => ({ path, body })))
  await inTurns(cases, async ({ path, body }) => {
    expectRefusalBody(`${path} ${String(body).slice(0, 60)}`, await ask(path, { method: 'POST', headers: asEve(json), body }))
  })
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', '']) {
    const answer = await ask('/api/auth/update-user', { method: 'POST', headers: asEve({ 'content-type': type }), body: '{"name":"x"}' })
    expect(answer.status, type).toBe(415)
  }
})

test('a body above the route’s limit is not read', async () => {
  const body = JSON.stringify({ name: 'x'.repeat(1_500_000) })
  for (const headers of [json, { ...json, 'transfer-encoding': 'chunked' }]) {
    const answer = await ask('/api/auth/update-user', { method: 'POST', headers: asEve(headers), body })
    expect([answer.status, JSON.parse(answer.body).error.code]).toEqual([413, 'row_too_large'])
  }
  expect((await ask('/api/auth/get-session', { headers: asEve() })).body.length).toBeLessThan(2000)
})

test('request fields cannot raise a user’s permissions', async () => {
  for (const body of [{ isAnonymous: false }, { id: ada.userId, name: 'x' }, { emailVerified: true, name: 'x' }]) {
    expectRefusalBody(
      'update-user',
      await ask('/api/auth/update-user', { method: 'POST', headers: asEve(json), body: JSON.stringify(body) }),
    )
  }
  const { user } = JSON.parse((await ask('/api/auth/get-session', { headers: asEve() })).body)
  expect(user).toMatchObject({ id: eve.userId, isAnonymous: true, emailVerified: false })
})

const elsewhere = [
  ...[
    'https://evil.example',
    '//evil.example',
    '/\\evil.example',
    '/%5cevil.example',
    '/%2f%2fevil.example',
    '/\t/evil.example',
    '/%09/evil.example',
  ],
  ...[
    '/..//evil.example',
    '/.//evil.example',
    'javascript:alert(1)',
    'data:text/html,x',
    'http://localhost@evil.example',
    '/a\r\nset-cookie: a=1',
  ],
]

test('a magic link redirects to no address outside the product', async () => {
  const names = ['callbackURL', 'errorCallbackURL', 'newUserCallbackURL']
  const headers = { origin: product.url, 'content-type': 'application/x-www-form-urlencoded' }
  await inTurns(
    elsewhere.flatMap((target) => names.map((name) => ({ target, name }))),
    async ({ target, name }) => {
      const body = new URLSearchParams({ token: 'x', [name]: target }).toString()
      const answer = await ask('/api/auth/magic-link/verify', { method: 'POST', headers, body })
      expect(answer.status, `${name} ${target}`).toBe(302)
      expectRefusalBody(`${name} ${target}`, answer)
      expect(answer.headers['set-cookie'], target).toBeUndefined()
    },
  )
})

describe('the stream', () => {
  test('serves any Last-Event-ID to the maximum number of readers, and refuses more', async () => {
    const numbers = ['-1', '-9007199254740993', 'NaN', '1e308', '99999999999999999999', '0x10', '1.5', '', 'abc', '0', '3', ' 2 ']
    const readers = Array.from({ length: 50 }, (_, i) => numbers[i % numbers.length] ?? '0')
    const stop = new AbortController()
    const open = async (id: string) => {
      const headers = { 'last-event-id': id }
      const response = await ada.fetch(`/api/thread/${busy.threadId}/stream`, { headers, signal: stop.signal })
      const first = await response.body?.getReader().read()
      return { status: response.status, text: new TextDecoder().decode(first?.value) }
    }
    // Sends every form of the header before the limit is reached.
    const served = await Promise.all(numbers.map(open))
    const others = await Promise.all(readers.slice(numbers.length).map(open))
    stop.abort()
    for (const { status, text } of served) expect([status, text]).toEqual([200, expect.stringMatching(/^id: \d+\ndata: \{/)])
    const refused = others.filter(({ status }) => status !== 200)
    expect(refused).toHaveLength(readers.length - maxStreamReaders)
    for (const { status, text } of refused) expect([status, text]).toEqual([429, expect.stringContaining('"too_many_readers"')])
  })
})

test('the product works afterwards, and its log contains nothing forbidden', async () => {
  const late = await newGuest(product.url)
  const wire = await connectRaw(late, { queries: [{ hash: 'recent', name: 'threads.recent', args: [] }] })
  const sent = sendArgs({ text: `/demo chunks=1 delay=0 ${secretText}` })
  expect(await wire.mutate('threads.send', sent)).toBeNull()
  await wire.until(() => wire.rows.get(`thread ${sent.threadId}`)?.status === 'ready', 'an answer')
  expect(await adaWire.mutate('threads.stop', { threadId: busy.threadId })).toBeNull()
  await adaWire.until(() => adaWire.rows.get(`thread ${busy.threadId}`)?.status === 'ready', 'the stopped answer')
  expect((await ask('/api/health')).status).toBe(200)
  expectCleanLog(product.output, [ada.cookie, eve.cookie, late.cookie, secretText, 'drop table', 'a.a.a.'])
})

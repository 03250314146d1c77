// An incompletely configured server serves nothing, and every failure has a body.
import { Hono } from 'hono'
import { afterEach, describe, expect, test, vi } from 'vitest'
import type { AppEnv } from '../../../worker/api/http.ts'
import { answerError, identify, noStore, requireSettings, secure, smallBody } from '../../../worker/api/middleware.ts'
import { SessionUnavailableError } from '../../../worker/auth/session.ts'
import type { Env } from '../../../worker/bindings.ts'
import type { ErrorBody } from '../../../worker/contract/http.ts'

const bindings = { DB: {}, USER_SYNC: {}, GENERATION: {}, FILES: {} }

type Work = () => Response | Promise<Response>

function ask(path: string, variables: { [name: string]: string }, work: Work = () => new Response('fine'), headers: HeadersInit = {}) {
  const app = new Hono<AppEnv>()
  app.onError(answerError)
  app.use(identify, secure)
  app.use('/api/*', noStore)
  app.use(requireSettings)
  app.get('*', work)
  return app.request(`https://chat.test${path}`, { headers }, { ...bindings, ...variables } as unknown as Env)
}

const development = { ENVIRONMENT: 'development' }
const logged = vi.spyOn(console, 'error').mockImplementation(() => undefined)
afterEach(() => void logged.mockClear())

describe('a production without its settings', () => {
  test('responds to pages with a page that names them, and a policy that blocks everything', async () => {
    const response = await ask('/', { ENVIRONMENT: 'production' })
    const html = await response.text()
    expect([response.status, response.headers.get('content-type')]).toEqual([500, 'text/html; charset=utf-8'])
    for (const name of ['AI_GATEWAY_API_KEY', 'STRIPE_WEBHOOK_SECRET', 'PUBLIC_URL'])
      expect(html).toContain(`<code>${name}</code> is not set`)
    expect(response.headers.get('content-security-policy')).toContain("default-src 'self'")
    expect(response.headers.get('strict-transport-security')).toMatch(/max-age/)
  })

  test.each(['/api/auth/get-session', '/sync/v51/connect'])('responds to %s with a code and the names', async (path) => {
    const response = await ask(path, { ENVIRONMENT: 'production' })
    expect(response.status).toBe(500)
    expect(await response.json()).toMatchObject({
      error: { code: 'not_configured', detail: expect.stringContaining('SEARCH_API_KEY is not set') },
    })
  })

  test('starts the refusal of an invalid PUBLIC_URL with "Invalid base URL", on pages and in errors', async () => {
    const variables = { ENVIRONMENT: 'production', PUBLIC_URL: 'not-an-address' }
    const body: ErrorBody = await (await ask('/api/auth/get-session', variables)).json()
    expect(body.error.detail).toMatch(/^Invalid base URL: PUBLIC_URL is not a valid http\(s\) URL .*\. This server is not set up: /)
    expect(await (await ask('/', variables)).text()).toContain('<li>Invalid base URL: <code>PUBLIC_URL</code> is not a valid')
  })
})

test('a production request logs one line: id, path and status, without credentials', async () => {
  const info = vi.spyOn(console, 'info').mockImplementation(() => undefined)
  const response = await ask('/api/x?token=valid-token', { ENVIRONMENT: 'production' })
  await ask('/api/x', development)
  const lines = info.mock.calls.map(([line]) => JSON.parse(String(line)) as object)
  info.mockRestore()
  expect(lines).toEqual([
    {
      ...{ level: 'info', event: 'request', method: 'GET', path: '/api/x', status: 500 },
      requestId: response.headers.get('x-request-id'),
      ms: expect.any(Number),
    },
  ])
})

test.each([
  ['/share/secret-id', '/share/…'],
  ['/share/secret-id/files/0', '/share/…/files/0'],
  ['/share//secret-id', '/share//…'],
  ['//share/secret-id/', '//share/…/'],
  ['/SHARE/secret-id', '/SHARE/…'],
  ['/%73hare/secret-id', '/share/…'],
  ['/share%2Fsecret-id', '/share%2F…'],
  ['/continue/secret-id', '/continue/…'],
  ['/api/shares/secret-id/copy', '/api/shares/…/copy'],
])('a log line of %s has the path %s', async (path, logged) => {
  const info = vi.spyOn(console, 'info').mockImplementation(() => undefined)
  await ask(path, { ENVIRONMENT: 'production' })
  const [line] = info.mock.calls.map(([text]) => JSON.parse(String(text)) as { path: string })
  info.mockRestore()
  expect(line?.path).toBe(logged)
})

test('error pages are in the language of the browser', async () => {
  const headers = { 'accept-language': 'de-AT,en;q=0.5' }
  const failed = await (await ask('/x', development, () => Promise.reject(new Error('no')), headers)).text()
  expect(failed).toMatch(/<html lang="de">[\s\S]*<h1>Etwas ist schiefgegangen!/)
  const notSetUp = await (await ask('/', { ENVIRONMENT: 'production' }, undefined, headers)).text()
  expect(notSetUp).toMatch(/<html lang="de">[\s\S]*<h1>Parley ist noch nicht eingerichtet/)
})

describe('a request body', () => {
  const app = new Hono<AppEnv>()
  app.onError(answerError)
  app.post('*', smallBody, async (c) => c.text(String((await c.req.text()).length)))
  const send = async (body: BodyInit, headers: Record<string, string> = {}) => {
    const response = await app.request('https://chat.test/api/x', { method: 'POST', body, headers, duplex: 'half' } as RequestInit)
    return [response.status, await response.text()]
  }
  const stream = (...chunks: readonly number[]) => {
    const left = [...chunks]
    return new ReadableStream<Uint8Array>({
      pull(controller) {
        const size = left.shift()
        if (size === undefined) controller.close()
        else if (size < 0) controller.error(new Error('Network connection lost.'))
        else controller.enqueue(new Uint8Array(size))
      },
    })
  }
  const tooLarge = [413, '{"error":{"code":"row_too_large"}}']

  test('reaches the route within the limit', async () => {
    expect(await send('abc')).toEqual([200, '3'])
    expect(await send(stream(20_000, 12_768))).toEqual([200, '32768'])
  })

  test('above the limit is refused, whether or not its length is declared', async () => {
    expect(await send(stream(), { 'content-length': '32769' })).toEqual(tooLarge)
    expect(await send(stream(20_000, 12_769))).toEqual(tooLarge)
  })

  test('that breaks off is a warning and an invalid request', async () => {
    const warned = vi.spyOn(console, 'warn').mockImplementation(() => undefined)
    for (const headers of [{}, { 'content-length': '10' }])
      expect(await send(stream(3, -1), headers)).toEqual([400, '{"error":{"code":"invalid_request"}}'])
    const lines = warned.mock.calls.map(([line]) => JSON.parse(String(line)) as object)
    warned.mockRestore()
    expect(lines).toEqual([1, 2].map(() => ({ level: 'warn', event: 'body_broke_off', method: 'POST', path: '/api/x' })))
    expect(logged).not.toHaveBeenCalled()
  })
})

describe('an unexpected error', () => {
  test('is a sentence for the API, a page for browsers, and a log line with the same id', async () => {
    const surprise = () => Promise.reject(new Error('the cable\nparams: what a user wrote'))
    const api = await ask('/api/x', development, surprise)
    expect([api.status, api.headers.get('cache-control')]).toEqual([500, 'no-store'])
    expect(await api.json()).toEqual({ error: { code: 'internal' } })
    const page = await ask('/x', development, surprise)
    const requestId = page.headers.get('x-request-id') ?? 'none'
    expect(page.status).toBe(500)
    expect(await page.text()).toContain(requestId)
    const lines = logged.mock.calls.map(([line]) => JSON.parse(String(line)) as { [field: string]: unknown })
    expect(lines.at(-1)).toMatchObject({ event: 'request_failed', requestId, path: '/x', error: 'Error: the cable' })
    expect(JSON.stringify(lines)).not.toContain('what a user wrote')
  })

  test.each([
    ['a database that is only busy', new Error('D1_ERROR: D1 DB is overloaded. Too many requests queued.'), 503],
    ['a session that cannot be read', new SessionUnavailableError('no'), 503],
    ['a row that is too large', new Error('D1_ERROR: row_too_large: SQLITE_CONSTRAINT'), 413],
    ['anything else', new Error('D1_ERROR: no such table'), 500],
  ])('%s', async (_name, error, status) => {
    const response = await ask('/api/x', development, () => Promise.reject(error))
    expect([response.status, response.headers.get('retry-after')]).toEqual([status, status === 503 ? '1' : null])
  })
})

test('a route’s cache header is kept', async () => {
  const kept = () => new Response('x', { headers: { 'cache-control': 'private, max-age=60' } })
  expect((await ask('/api/x', development, kept)).headers.get('cache-control')).toBe('private, max-age=60')
  expect((await ask('/api/x', development)).headers.get('cache-control')).toBe('no-store')
})

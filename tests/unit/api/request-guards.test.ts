// Requests that another site, an answer or a rebound host name could cause are rejected before their route runs.
import { Hono } from 'hono'
import { describe, expect, test } from 'vitest'
import type { AppEnv } from '../../../worker/api/http.ts'
import { refuseCrossSite, refuseHead, requireDestination, requireLocalHost, requireOwnOrigin } from '../../../worker/api/middleware.ts'
import type { Env } from '../../../worker/bindings.ts'

const bindings = { DB: {}, USER_SYNC: {}, GENERATION: {}, FILES: {}, ENVIRONMENT: 'development' }

function ask(url: string, init: RequestInit = {}, variables: { [name: string]: string } = {}) {
  const app = new Hono<AppEnv>()
  app.use(requireLocalHost)
  app.use('/api/*', requireOwnOrigin)
  app.use('/api/checkout', refuseHead, requireDestination('document'))
  app.use('/api/account/export', requireDestination('document', 'empty'), refuseCrossSite)
  app.all('*', (c) => c.text('reached'))
  return Promise.resolve(app.request(url, init, { ...bindings, ...variables } as unknown as Env))
}
const statusOf = async (...asked: Parameters<typeof ask>) => (await ask(...asked)).status
const refusal = { error: { code: 'not_authorized', detail: expect.any(String) } }

describe('a request that changes state', () => {
  const publicUrl = { PUBLIC_URL: 'https://parley.example' }
  test.each(['POST', 'PUT', 'PATCH', 'DELETE'])('is refused from another origin (%s)', async (method) => {
    for (const origin of ['https://evil.example', 'null', 'https://parley.example.evil.example', 'http://parley.example']) {
      const response = await ask('https://parley.example/api/files/1', { method, headers: { origin } }, publicUrl)
      expect([response.status, await response.json()], origin).toEqual([403, refusal])
    }
  })
  test('is accepted from the page’s origin, from the public URL, and from programs without an origin', async () => {
    const from = (origin: string | null, variables = {}) =>
      statusOf('http://localhost/api/files/1', { method: 'DELETE', headers: origin === null ? {} : { origin } }, variables)
    expect(await from('http://localhost')).toBe(200)
    expect(await from('https://parley.example', publicUrl)).toBe(200)
    expect(await from(null)).toBe(200)
  })
  test('is accepted from anywhere when it is a signed webhook, and a GET is not checked', async () => {
    const headers = { origin: 'https://evil.example' }
    expect(await statusOf('http://localhost/api/webhook/stripe', { method: 'POST', headers })).toBe(200)
    expect(await statusOf('http://localhost/api/files/1', { headers })).toBe(200)
  })
})

describe('a GET with effects', () => {
  test.each(['image', 'iframe', 'script', 'empty', 'style', 'object', 'embed', 'video'])('is refused as %s', async (destination) => {
    const response = await ask('http://localhost/api/checkout', { headers: { 'sec-fetch-dest': destination } })
    expect([response.status, await response.json()]).toEqual([403, refusal])
  })
  test('is refused as a prefetch', async () => {
    const headers = { 'sec-fetch-dest': 'document', 'sec-purpose': 'prefetch;prerender' }
    expect(await statusOf('http://localhost/api/checkout', { headers })).toBe(403)
  })
  test('is refused as HEAD', async () => {
    expect(await statusOf('http://localhost/api/checkout', { method: 'HEAD' })).toBe(404)
    expect(await statusOf('http://localhost/api/health', { method: 'HEAD' })).toBe(200)
  })
  test('is accepted as a navigation and from clients that send no fetch metadata', async () => {
    expect(await statusOf('http://localhost/api/checkout', { headers: { 'sec-fetch-dest': 'document' } })).toBe(200)
    expect(await statusOf('http://localhost/api/checkout')).toBe(200)
  })
  test('is refused from another site where the route uses up a limit', async () => {
    for (const [site, status] of [
      ['cross-site', 403],
      ['same-origin', 200],
      ['none', 200],
    ] as const)
      expect(await statusOf('http://localhost/api/account/export', { headers: { 'sec-fetch-site': site } })).toBe(status)
  })
  test('is accepted as a fetch where the route allows it', async () => {
    for (const [destination, status] of [
      ['empty', 200],
      ['document', 200],
      ['image', 403],
    ] as const)
      expect(await statusOf('http://localhost/api/account/export', { headers: { 'sec-fetch-dest': destination } })).toBe(status)
  })
})

describe('the host name of a development server without PUBLIC_URL', () => {
  test.each(['http://localhost:8787/', 'http://127.0.0.1:9/', 'http://[::1]:8787/', 'http://parley.localhost/'])(
    '%s is accepted',
    async (url) => expect(await statusOf(url)).toBe(200),
  )
  test.each(['http://evil.example/', 'http://localhost.evil.example/', 'http://127.0.0.1.evil.example/', 'http://192.168.0.7/'])(
    '%s is refused, as a page and as an API',
    async (url) => {
      const page = await ask(url)
      expect([page.status, await page.text()]).toEqual([403, expect.stringContaining('Set PUBLIC_URL')])
      expect(await (await ask(`${url}api/auth/token`)).json()).toEqual(refusal)
    },
  )
  test('is not restricted when PUBLIC_URL is set', async () => {
    expect(await statusOf('http://192.168.0.7/', {}, { PUBLIC_URL: 'http://192.168.0.7' })).toBe(200)
  })
})

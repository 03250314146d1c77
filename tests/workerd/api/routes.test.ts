// The app's general responses: common headers, unknown paths, and failures with a body.
import { describe, expect, test } from 'vitest'
import type { ErrorBody, HealthBody } from '../../../worker/contract/http.ts'
import { newId } from '../../../worker/db/new-id.ts'
import { insert, threadRow } from '../../support/rows.ts'
import { Browser, guest, origin, signInByCode } from '../auth/browser.ts'
import { content, env } from '../bindings.ts'

const anyone = new Browser()

test('health is public, lists the stand-ins, and is not cached', async () => {
  const response = await anyone.call('/api/health')
  expect(response.headers.get('cache-control')).toBe('no-store')
  expect(await response.json<HealthBody>()).toMatchObject({
    status: 'ok',
    environment: 'development',
    parts: { models: { state: 'stand-in' }, database: { state: 'real' } },
  })
})

test('every response has a request id, and cannot be sniffed or framed', async () => {
  const { headers } = await anyone.call('/api/nothing')
  expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
  expect(headers.get('x-content-type-options')).toBe('nosniff')
  expect(headers.get('x-frame-options')).toBe('DENY')
})

describe('unknown paths', () => {
  test.each(['/api/nothing', '/api/thread', '/api/thread/x/y/z', '/sync/v51/other', '/sync/connect', '/sync/vX/connect'])(
    '%s',
    async (path) => {
      for (const method of ['GET', 'POST', 'DELETE']) {
        const response = await anyone.call(path, { method })
        expect(response.status).toBe(404)
        expect(await response.json<ErrorBody>()).toEqual({ error: { code: 'not_found' } })
      }
    },
  )

  test('a page refuses POST', async () => {
    expect((await anyone.call('/', { method: 'POST' })).status).toBe(404)
  })
})

describe('the stream of an answer', () => {
  test('requires a session', async () => {
    const response = await anyone.call(`/api/thread/${newId()}/stream`)
    expect(response.status).toBe(401)
    expect(await response.json<ErrorBody>()).toMatchObject({ error: { code: 'session_required' } })
  })

  test('a cookie with an invalid signature is no session', async () => {
    const response = await anyone.call(`/api/thread/${newId()}/stream`, { headers: { cookie: 'better-auth.session_token=made.up' } })
    expect(response.status).toBe(401)
  })

  test('is empty for a thread without a streaming answer, and for another user’s thread', async () => {
    const [ada, ben] = [await guest(), await guest()]
    const thread = threadRow(ada.userId)
    await insert(content, 'thread', thread)
    for (const { browser } of [ada, ben]) expect((await browser.call(`/api/thread/${thread.id}/stream`)).status).toBe(204)
    expect((await ada.browser.call('/api/thread/no%20id/stream')).status).toBe(404)
  })
})

test('the scheduled job by HTTP requires the secret', async () => {
  expect((await anyone.call('/api/reset')).status).toBe(501)
  expect((await anyone.call('/api/reset', { method: 'HEAD' })).status).toBe(404)
})

test('the simulated portal handles an invalid form like one without fields', async () => {
  const browser = new Browser()
  await signInByCode(browser, 'portal@open.test')
  const post = { method: 'POST' }
  const leadsTo = async (path: string, init = {}) => {
    const { pathname, search } = new URL((await browser.call(path, init)).headers.get('location') ?? '', origin)
    return pathname + search
  }
  await leadsTo(await leadsTo(await leadsTo('/api/checkout'), post))
  const portal = await leadsTo('/api/customer-portal')
  for (const type of ['multipart/form-data', 'multipart/form-data; boundary=x']) {
    const answer = await browser.call(portal, { ...post, headers: { 'content-type': type } })
    expect([answer.status, await answer.json()]).toEqual([404, { error: { code: 'not_found' } }])
  }
})

test('a sync socket requires an upgrade', async () => {
  expect((await anyone.call('/sync/v51/connect')).status).not.toBe(200)
})

test('a failing database returns a sentence with a code that allows a retry', async () => {
  const { browser } = await guest()
  await env.DB.exec('alter table session rename to session_gone')
  const response = await browser.call('/api/thread/some-thread-id/stream')
  await env.DB.exec('alter table session_gone rename to session')
  expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1'])
  expect(await response.json<ErrorBody>()).toMatchObject({ error: { code: 'internal' } })
})

// Every route, called by each kind of viewer with the owner's ids. To others it responds as for missing ids, and the owner's rows stay
// unchanged. A route without a row fails. Below: refusals that do not depend on the owner of the ids.
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { createApp } from '../../../worker/app.ts'
import { guestsPerHourWithoutCaptcha } from '../../../worker/auth/auth-limits.ts'
import type { Env } from '../../../worker/bindings.ts'
import { exportLeaseMs, exportsPerHour, maxStreamReaders, maxWrongSecrets } from '../../../worker/contract/limits.ts'
import { takeLease } from '../../../worker/db/leases.ts'
import { countHit } from '../../../worker/db/rate-limit-hits.ts'
import { simulationRoutes } from '../../../worker/dev/payments/routes.ts'
import { simulationPath } from '../../../worker/dev/payments/simulation.ts'
import { insert } from '../../support/rows.ts'
import { type Browser, origin } from '../auth/browser.ts'
import { content, env, worker } from '../bindings.ts'
import { generationOf, givenTurn, recordedGeneration, untilEnded } from '../turns.ts'
import { cronSecret, executionContext, production } from './production.ts'
import { type Ask, missingIds, type RouteIds, rows, type Who } from './route-rows.ts'
import { belongingsOf, fileCalled, newTestUser, otherUsers, type Scene, setScene } from './scene.ts'

const app = createApp(async () => ({}), { path: simulationPath, routes: simulationRoutes })
const routes = [...new Set(app.routes.map(({ method, path }) => `${method} ${path}`))]
const others = ['visitor', 'ended', ...otherUsers] as const
const everybody = [...others, 'owner'] as const
const cases = Object.entries(rows).flatMap(([route, asks]) => asks.map((asked, i) => ({ route, label: `${route} ${i + 1}`, asked })))

let scene: Scene
let ids: RouteIds
const cookies = new Map<Who, string>()

beforeAll(async () => {
  scene = await setScene()
  const { owner } = scene
  const ended = await newTestUser(false)
  await env.DB.prepare('update session set expiresAt = 1 where userId = ?').bind(ended.userId).run()
  for (const who of otherUsers) cookies.set(who, scene.otherUsers[who].browser.cookie)
  cookies.set('ended', ended.browser.cookie).set('owner', owner.browser.cookie).set('visitor', '')
  const things = { ...missingIds(), ...scene.ids }
  const { fileId, unsentFileId, organizationId } = things
  for (const id of [fileId, unsentFileId]) await env.FILES?.put(`files/${id}`, 'abc')
  const unsent = { ...fileCalled(unsentFileId), uploadId: unsentFileId, unusedSince: Date.now() }
  await insert(content, 'attachment', { ...unsent, userId: owner.userId, etag: '"a"', storedAt: 1, createdAt: 1 })
  const [checkoutId, organizationCheckoutId] = [
    await lastOf(owner.browser, '/api/checkout'),
    await lastOf(owner.browser, `/api/checkout?organizationId=${organizationId}`),
  ]
  ids = { ...things, checkoutId, organizationCheckoutId, runningThreadId: await answerBeingWritten(owner.userId) }
})

/** The id in the address of a payment redirect. */
const lastOf = async (browser: Browser, path: string): Promise<string> =>
  (await browser.call(path)).headers.get('location')?.split('/').at(-1) ?? ''

/** For the owner: the helper's rows would have another user. Written for longer than this file takes on a slow machine. */
async function answerBeingWritten(userId: string): Promise<string> {
  const turn = await givenTurn('/demo chunks=60 delay=20000', { needsTitle: false })
  await content.batch([
    content.prepare('insert into linking (guestId, accountId, createdAt) values (?, ?, 1)').bind(turn.userId, userId),
    ...['thread', 'message', 'generation', 'creditLedger', 'usage'].map((table) =>
      content.prepare(`update or replace ${table} set userId = ? where userId = ?`).bind(userId, turn.userId),
    ),
  ])
  await generationOf(turn).start({ ...turn, userId })
  return turn.threadId
}

/** `from`: another host name, or headers that another site or an image causes. */
async function ask(
  who: Who,
  route: string,
  { path, headers, body }: Ask,
  named: RouteIds,
  from: { readonly host?: string; readonly headers?: Record<string, string> } = {},
): Promise<Response> {
  const method = route.split(' ')[0] ?? ''
  const base = from.host ?? origin
  return worker.fetch(base + path(named), {
    method: method === 'ALL' ? 'GET' : method,
    headers: {
      ...{ origin: base, cookie: cookies.get(who) ?? '' },
      'content-type': body?.(named).startsWith('{') ? 'application/json' : 'application/x-www-form-urlencoded',
      ...headers?.(named),
      ...from.headers,
    },
    redirect: 'manual',
    ...(body === undefined ? {} : { body: body(named) }),
  })
}

/** The comparable part of a response, without requested ids, nonces, tokens and times. */
async function statedBy(response: Response, named: RouteIds) {
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream')
  if (isStream) await response.body?.cancel()
  const text = isStream ? '' : await response.text()
  const plain = (value: string) =>
    // Members read their organization's id in the response, whatever was requested.
    [...Object.entries(named), ['organizationId', ids.organizationId] as const]
      .reduce((text, [name, id]) => text.replaceAll(id, name), value)
      .replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'nonce')
      .replace(/eyJ[\w.-]+/g, 'token')
      .replace(/"exportedAt":"[^"]+"/, '"exportedAt":"now"')
      .replace(/("file":\{"id":)"[^"]+"/, '$1"new"')
      .replace(/\/(checkout|portal)\/\w+$/, '/$1/…')
  const headers = [...response.headers].filter(([name]) => name !== 'set-cookie').map(([name, value]) => [name, plain(value)])
  const refusal = /^\{"error":\{"code":"(\w+)"/.exec(text)?.[1]
  const location = response.headers.get('location')
  const leadsTo = location && plain(new URL(location, origin).pathname)
  return {
    short: [response.status, refusal ?? leadsTo].filter(Boolean).join(' '),
    all: { status: response.status, headers, text: plain(text) },
  }
}

const belongings = async () => [
  await belongingsOf(scene.ids.userId),
  await Promise.all([ids.fileId, ids.unsentFileId].map(async (id) => (await env.FILES?.head(`files/${id}`))?.size ?? null)),
]

test('every route has a row', () => {
  expect(Object.keys(rows).sort()).toEqual([...routes].sort())
})

describe.each(cases)('$label', ({ route, asked }) => {
  test('responds to others as for missing ids', async () => {
    const before = await belongings()
    await Promise.all(
      others.map(async (who) => {
        const absentThings = missingIds()
        const foreign = await statedBy(await ask(who, route, asked, ids), ids)
        expect([who, foreign.short]).toEqual([who, asked.answer(who)])
        if (asked.shared?.some((member) => member === who)) return
        const absent = await statedBy(await ask(who, route, asked, absentThings), absentThings)
        expect([who, foreign.all]).toEqual([who, absent.all])
      }),
    )
    expect(await belongings()).toEqual(before)
  })

  test('responds to the owner', async () => {
    expect((await statedBy(await ask('owner', route, asked, ids), ids)).short).toBe(asked.answer('owner'))
  })
})

test('the owner’s unsent file is deleted, and one that a message may still show is not', async () => {
  expect((await belongings())[1]).toEqual([3, null])
})

/** Expects this refusal of each viewer whom the row lets in, and the row's answer of the others. */
async function expectRefusal(route: string, refusal: string, asked: Ask | undefined = rows[route]?.[0]) {
  if (!asked) throw new Error(`no row for ${route}`)
  for (const who of everybody) {
    const usual = asked.answer(who)
    const expected = usual === '200' ? refusal : usual
    expect([who, (await statedBy(await ask(who, route, asked, ids), ids)).short]).toEqual([who, expected])
  }
}

describe('a reached limit is reported only to users who may use the route', () => {
  const exportLimits = {
    exports_too_often: (id: string) => countHit(env, id, 3600, Date.now(), exportsPerHour),
    export_running: (id: string) => takeLease(env.DB, id, Date.now(), exportLeaseMs),
  }
  test.each(Object.entries(exportLimits))('%s', async (code, exhaust) => {
    for (const { userId } of [scene.owner, ...Object.values(scene.otherUsers)]) await exhaust(`export:${userId}`)
    await expectRefusal('GET /api/account/export', `429 ${code}`)
  })

  test('too_many_readers', async () => {
    const route = 'GET /api/thread/:threadId/stream'
    const running = rows[route]?.[1]
    if (!running) throw new Error(`no row for ${route}`)
    const readers = await Promise.all(Array.from({ length: maxStreamReaders }, () => ask('owner', route, running, ids)))
    await expectRefusal(route, '429 too_many_readers', running)
    await Promise.all(readers.map(({ body }) => body?.cancel()))
  })
})

test('a streaming answer is stopped', async () => {
  const found = await content.prepare('select streamId from thread where id = ?').bind(ids.runningThreadId).first<string>('streamId')
  const generationId = found ?? ''
  await (await recordedGeneration(generationId)).stop(generationId, scene.ids.userId)
  await untilEnded({ generationId } as Parameters<typeof untilEnded>[0])
})

describe('a request that the user did not make', () => {
  const changes = cases.filter(({ route }) => !/^(GET|HEAD|ALL) /.test(route))
  test.each(changes)('$label is refused from another site', async ({ route, asked }) => {
    const before = await belongings()
    // Stripe authenticates by a signature instead.
    const isSigned = route === 'POST /api/webhook/stripe'
    for (const who of everybody) {
      const response = await ask(who, route, asked, ids, { headers: { origin: 'https://evil.example' } })
      expect([who, (await statedBy(response, ids)).short]).toEqual([who, isSigned ? asked.answer(who) : '403 not_authorized'])
    }
    expect(await belongings()).toEqual(before)
  })

  const payments = ['/checkout', '/checkout/success', '/customer-portal', '/customer-portal/return']
  const casesOf = (paths: readonly string[]) => cases.filter(({ route }) => paths.some((path) => route === `GET /api${path}`))
  const costly = casesOf([...payments, '/account/export'])
  const embeddings = {
    'an image': { 'sec-fetch-dest': 'image' },
    'a prefetch': { 'sec-fetch-dest': 'document', 'sec-purpose': 'prefetch;prerender' },
  }
  const embedded = Object.entries(embeddings).flatMap(([as, headers]) => costly.map((request) => ({ ...request, as, headers })))
  test.each(embedded)('$label is refused as $as', async ({ route, asked, headers }) => {
    for (const who of everybody) {
      const response = await ask(who, route, asked, ids, { headers })
      expect([who, (await statedBy(response, ids)).short]).toEqual([who, '403 not_authorized'])
    }
  })

  test.each(casesOf([...payments, '/thread/:threadId/stream']))('$label is refused as HEAD', async ({ route, asked }) => {
    for (const who of everybody) expect([who, (await ask(who, route.replace('GET', 'HEAD'), asked, ids)).status]).toEqual([who, 404])
  })

  test.each(cases)('$label is refused under a foreign host name', async ({ route, asked }) => {
    for (const who of ['visitor', 'owner'] as const) {
      const response = await ask(who, route, asked, ids, { host: 'http://evil.example' })
      const text = await response.text()
      expect([who, response.status, text.includes('Set PUBLIC_URL')]).toEqual([who, 403, !route.startsWith('HEAD ')])
    }
  })
})

describe('with keys of Turnstile', () => {
  const bindings = { ...env, TURNSTILE_SITE_KEY: 'a-site-key', TURNSTILE_SECRET_KEY: 'a-secret-key' } as Env
  const guarded = ['/sign-in/anonymous', '/sign-in/magic-link', '/email-otp/send-verification-otp']
  const guessed = { 'x-captcha-response': 'guessed' }
  // Siteverify responds only where a verdict is given. Its other results: tests/unit/auth/captcha.test.ts.
  const tokens = {
    captcha_required: { headers: {}, verdict: null },
    captcha_failed: { headers: guessed, verdict: '{"success":false}' },
    captcha_unavailable: { headers: guessed, verdict: null },
  }
  const attempts = Object.entries(tokens).flatMap(([code, given]) => guarded.map((path) => ({ path, code, ...given })))
  test.each(attempts)('$path is refused with $code', async ({ path, code, headers, verdict }) => {
    if (verdict) {
      const json = { 'content-type': 'application/json' }
      const siteverify = vi.spyOn(globalThis, 'fetch').mockImplementation(async () => new Response(verdict, { headers: json }))
      onTestFinished(() => siteverify.mockRestore())
    }
    await countHit(env, 'guest:local', 3600, Date.now(), guestsPerHourWithoutCaptcha)
    for (const who of everybody) {
      const sent = { origin, cookie: cookies.get(who) ?? '', 'content-type': 'application/json', ...headers }
      const init = { method: 'POST', headers: sent, body: '{"email":"owner@example.test","type":"sign-in"}' }
      const response = await app.request(`${origin}/api/auth${path}`, init, bindings, executionContext)
      const status = code === 'captcha_unavailable' ? 503 : 403
      expect([who, (await statedBy(response, ids)).short]).toEqual([who, `${status} ${code}`])
    }
  })
})

describe('in production', () => {
  const asked = async (bindings: Env, method: string, path: string, headers = {}): Promise<{ status: number; text: string }> => {
    const sent = { origin, cookie: cookies.get('owner') ?? '', ...headers }
    const response: Response = await app.request(origin + path, { method, headers: sent }, bindings, executionContext)
    return { status: response.status, text: await response.text() }
  }

  const ofDevelopment: readonly (readonly [method: string, path: () => string])[] = [
    ['GET', () => '/api/outbox'],
    ...['GET', 'POST'].map((method) => [method, () => `/api/simulation/checkout/${ids.checkoutId}`] as const),
    ...['GET', 'POST'].map((method) => [method, () => `/api/simulation/portal/${ids.portalId}`] as const),
  ]
  test.each(ofDevelopment)('%s of a development-only resource looks missing (%#)', async (method, path) => {
    const nothing = await asked(production, method, '/api/nothing')
    expect(nothing.status).toBe(404)
    expect(await asked(production, method, path())).toEqual(nothing)
    expect(await asked({ ...production, DISABLED_FEATURES: 'billing' } as Env, method, path())).toEqual(nothing)
  })

  test('the scheduled job and the setup page require the secret, and an event its signature', async () => {
    expect((await asked(production, 'GET', '/api/reset')).status).toBe(403)
    const setup = await asked(production, 'GET', '/api/setup')
    expect([setup.status, setup.text.includes('Database')]).toEqual([200, false])
    expect((await asked(production, 'POST', '/api/webhook/stripe')).status).toBe(400)
  })

  test('wrong secrets limit the network at both operator routes', async () => {
    const attempt = async (path: string, secret: string) =>
      (await asked(production, 'GET', path, { authorization: `Bearer ${secret}`, 'cf-connecting-ip': '192.0.2.1' })).status
    for (let i = 0; i < maxWrongSecrets; i++) expect(await attempt('/api/reset', 'guessed')).toBe(403)
    for (const path of ['/api/setup', '/api/reset'])
      for (const secret of ['guessed', cronSecret]) expect([path, await attempt(path, secret)]).toEqual([path, 429])
  })
})

// Every route of the Worker belongs to one group with a required credential: none, a session, or the operator's secret. The credential of
// one group gives access to no route of another. routes.test.ts tests which rows a session may read.
import { beforeAll, describe, expect, test } from 'vitest'
import { createApp } from '../../../worker/app.ts'
import { simulationRoutes } from '../../../worker/dev/payments/routes.ts'
import { simulationPath } from '../../../worker/dev/payments/simulation.ts'
import { origin } from '../auth/browser.ts'
import { env } from '../bindings.ts'
import { cronSecret, executionContext, production } from './production.ts'
import { missingIds, rows } from './route-rows.ts'
import { newTestUser } from './scene.ts'

const groups = {
  /** Also routes with another proof: Stripe's signature, the token of a mailed link, the sync token, the id of a simulated payment. */
  public: [
    ...[
      'ALL /*',
      'ALL /api/*',
      'ALL /_serverFn/*',
      'ALL /sync/*',
      'GET /*',
      'GET /api/health',
      'GET /api/price',
      'GET /api/outbox',
      'GET /shell',
      'GET /share/:id',
      'GET /share/:id/',
      'GET /share/:id/files/:index',
      'GET /api/tool-servers/client-metadata.json',
    ],
    'POST /api/page-errors',
    ...['GET /api/auth/*', 'POST /api/auth/*', 'POST /api/auth/magic-link/verify', 'POST /api/webhook/stripe'],
    ...['GET', 'POST'].flatMap((method) => ['checkout', 'portal'].map((page) => `${method} /api/simulation/${page}/:id`)),
    'GET /sync/:version{v[0-9]+}/connect',
  ],
  session: [
    ...[
      'GET /api/account/export',
      'GET /api/thread/:threadId/stream',
      'POST /api/models/refresh',
      'POST /api/messages/search',
      'POST /api/messages/find',
    ],
    'POST /api/shares/:id/copy',
    ...['POST /api/tool-servers', 'GET /api/tool-servers/callback', 'PATCH /api/tool-servers/:id', 'DELETE /api/tool-servers/:id'],
    ...['POST /api/tool-servers/:id/refresh', 'PUT /api/tool-servers/:id/headers'],
    ...['POST /api/tool-servers/:id/resource', 'POST /api/tool-servers/:id/prompt', 'POST /api/tool-servers/:id/suggestions'],
    ...['POST /api/tool-servers/:id/login', 'POST /api/tool-servers/:id/logout'],
    ...['GET /_serverFn', 'GET /_serverFn/', 'GET /_serverFn/first-page'],
    ...['GET /api/checkout', 'GET /api/checkout/success', 'GET /api/customer-portal', 'GET /api/customer-portal/return'],
    ...['POST /api/files', 'POST /api/files/convert', 'GET /api/files/:id', 'HEAD /api/files/:id', 'DELETE /api/files/:id'],
    ...['GET', 'HEAD', 'POST'].flatMap((method) => ['original', 'thumbnail'].map((variant) => `${method} /api/files/:id/${variant}`)),
  ],
  operator: ['GET /api/reset', 'GET /api/setup', 'POST /api/setup'],
} as const satisfies { readonly [group: string]: readonly string[] }

const work = { expired: 1 }
const app = createApp(async () => work, { path: simulationPath, routes: simulationRoutes })
/** An account in development, and a guest in production, where sessions are signed with another secret. */
const sessions = { account: '', guest: '' }

beforeAll(async () => {
  sessions.account = (await newTestUser(true)).browser.cookie
  const init = { method: 'POST', headers: { origin, 'content-type': 'application/json' }, body: '{}' }
  const response: Response = await app.request(`${origin}/api/auth/sign-in/anonymous`, init, production, executionContext)
  sessions.guest = response.headers
    .getSetCookie()
    .map((text) => text.split(';')[0])
    .join('; ')
})

/** Requests have no body: a missing credential is refused before a body is read. */
async function answer(route: string, credentials: Record<string, string>, bindings = production) {
  const [method = '', pattern = ''] = route.split(' ')
  const path = rows[route]?.[0]?.path(missingIds()) ?? pattern
  const init = { method: method === 'ALL' ? 'GET' : method, headers: { origin, ...credentials } }
  const response: Response = await app.request(origin + path, init, bindings, executionContext)
  const location = response.headers.get('location')
  return { status: response.status, leadsTo: location && new URL(location, origin).pathname, text: await response.text() }
}

const secret = { authorization: `Bearer ${cronSecret}` }
const isRefusedWithoutSession = ({ status, leadsTo }: Awaited<ReturnType<typeof answer>>) => status === 401 || leadsTo === '/login'

test('every route belongs to one group', () => {
  const routes = new Set(app.routes.map(({ method, path }) => `${method} ${path}`))
  expect(Object.values(groups).flat().sort()).toEqual([...routes].sort())
})

describe('a route of the session group', () => {
  test.each(groups.session)('%s requires a session, and the secret is not accepted instead', async (route) => {
    const refused = await answer(route, {})
    expect(isRefusedWithoutSession(refused)).toBe(true)
    expect(await answer(route, secret)).toEqual(refused)
    expect(isRefusedWithoutSession(await answer(route, { cookie: sessions.account }, env))).toBe(false)
  })
})

describe('a public route', () => {
  test.each(groups.public)('%s requires no session, and the secret changes nothing', async (route) => {
    const { status, text } = await answer(route, {})
    expect(status).not.toBe(401)
    const withSecret = await answer(route, secret)
    expect([withSecret.status, withSecret.text.length]).toEqual([status, text.length])
  })
})

describe('a route of the operator', () => {
  test.each(groups.operator)('%s requires the secret, and a session is not accepted instead', async (route) => {
    const refused = await answer(route, {})
    expect(await answer(route, { cookie: sessions.guest })).toEqual(refused)
    expect((await answer(route, secret)).text).not.toEqual(refused.text)
  })
})

// GET /api/reset: runs for the right secret only.
import { Hono } from 'hono'
import { expect, test, vi } from 'vitest'
import type { AppEnv } from '../../../worker/api/http.ts'
import { handleReset, handleSetup, isSameSecret } from '../../../worker/api/operator.ts'
import type { Env } from '../../../worker/bindings.ts'
import { type SettingDefinition, settingDefinitions } from '../../../worker/setting-definitions.ts'
import { mustSettings } from '../../../worker/settings.ts'
import { createNodeD1 } from '../../support/node-d1.ts'

function ask(secret: string | undefined, authorization: string | undefined) {
  const app = new Hono<AppEnv>()
  app.use(async (c, next) => {
    const bindings = { DB: {}, USER_SYNC: {}, GENERATION: {}, FILES: {}, ENVIRONMENT: 'development', CRON_SECRET: secret }
    c.set('settings', mustSettings(bindings as unknown as Env))
    await next()
  })
  app.get(
    '/api/reset',
    handleReset(
      async (_env, clock) => ({ ranAt: clock() }),
      () => 7,
    ),
  )
  return app.request('/api/reset', { headers: authorization === undefined ? {} : { authorization } }, { DB: createNodeD1() })
}

test('runs for the secret and reports what it did', async () => {
  const response = await ask('hunter2', 'Bearer hunter2')
  expect([response.status, await response.json()]).toEqual([200, { done: { ranAt: 7 } }])
})

test.each([undefined, '', 'hunter2', 'Bearer ', 'Bearer hunter', 'Bearer hunter22', 'bearer hunter2'])(
  'does not run for %j',
  async (authorization) => {
    expect((await ask('hunter2', authorization)).status).toBe(403)
  },
)

test('wrong secrets of one network share one counter with /api/setup', async () => {
  const required = Object.entries<SettingDefinition>(settingDefinitions).filter(
    ([, { feature, isRequired }]) => feature === 'core' && isRequired,
  )
  const values = required.map(([name, { form }]) => [name, form === 'url' ? 'https://parley.test' : 'x'.repeat(40)])
  const secret = 'the-operator-secret-of-these-tests'
  const features = 'gateway,search,billing,files,mail,google,github,redis'
  const fixed = { USER_SYNC: {}, GENERATION: {}, ENVIRONMENT: 'production', DISABLED_FEATURES: features, CRON_SECRET: secret }
  const bindings = { DB: createNodeD1(), ...fixed, ...Object.fromEntries(values) }
  const app = new Hono<AppEnv>()
  app.use((c, next) => {
    c.set('settings', mustSettings(bindings as unknown as Env))
    return next()
  })
  app.get(
    '/api/reset',
    handleReset(async () => ({}), Date.now),
  )
  app.get('/api/setup', handleSetup)
  const status = async (path: string, typed: string, address: string) => {
    const headers = { authorization: `Bearer ${typed}`, 'cf-connecting-ip': address }
    return (await app.request(`https://parley.test${path}`, { headers }, bindings)).status
  }
  // Addresses of one /64 count as one network.
  for (let i = 0; i < 5; i++) {
    expect(await status('/api/reset', 'wrong', `2001:db8::${i}`)).toBe(403)
    expect(await status('/api/setup', 'wrong', `2001:db8::a:${i}`)).toBe(403)
    expect(await status('/api/reset', secret, '2001:db8::1')).toBe(200)
  }
  for (const path of ['/api/reset', '/api/setup']) expect(await status(path, 'wrong', '2001:db8::1')).toBe(429)
  expect(await status('/api/reset', secret, '2001:db8::1')).toBe(429)
  expect(await status('/api/reset', secret, '2001:db8:0:1::1')).toBe(200)
})

test('secrets are compared in constant time', async () => {
  const spied = vi.spyOn(Uint8Array.prototype, 'every')
  for (const given of ['hunter2', 'hunter3', 'x', '']) expect(await isSameSecret(given, 'hunter2')).toBe(given === 'hunter2')
  // `===` and similar comparisons stop at the first difference.
  expect(spied).not.toHaveBeenCalled()
  spied.mockRestore()
})

test('does not run without a configured secret', async () => {
  for (const authorization of [undefined, 'Bearer ', 'Bearer null', 'Bearer undefined'])
    expect((await ask(undefined, authorization)).status).toBe(501)
})

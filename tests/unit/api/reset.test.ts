// GET /api/reset: for whoever holds the secret, and nobody else.
import { Hono } from 'hono'
import { expect, test, vi } from 'vitest'
import type { AppEnv } from '../../../worker/api/http.ts'
import { handleReset, isSameSecret } from '../../../worker/api/reset.ts'
import { type Env, mustSettings } from '../../../worker/env.ts'

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
  return app.request('/api/reset', { headers: authorization === undefined ? {} : { authorization } })
}

test('runs for the secret and says what was done', async () => {
  const response = await ask('hunter2', 'Bearer hunter2')
  expect([response.status, await response.json()]).toEqual([200, { done: { ranAt: 7 } }])
})

test.each([undefined, '', 'hunter2', 'Bearer ', 'Bearer hunter', 'Bearer hunter22', 'bearer hunter2'])(
  'does not run for %j',
  async (authorization) => {
    expect((await ask('hunter2', authorization)).status).toBe(403)
  },
)

test('two secrets are compared to their ends, wherever they differ', async () => {
  const spied = vi.spyOn(Uint8Array.prototype, 'every')
  for (const given of ['hunter2', 'hunter3', 'x', '']) expect(await isSameSecret(given, 'hunter2')).toBe(given === 'hunter2')
  // Whatever stops at the first difference.
  expect(spied).not.toHaveBeenCalled()
  spied.mockRestore()
})

test('does not run where no secret is set, whatever is sent', async () => {
  for (const authorization of [undefined, 'Bearer ', 'Bearer null', 'Bearer undefined'])
    expect((await ask(undefined, authorization)).status).toBe(501)
})

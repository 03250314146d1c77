// POST /api/cron: for whoever holds the secret, and nobody else.
import { Hono } from 'hono'
import { expect, test } from 'vitest'
import { handleCron } from '../../../worker/api/cron.ts'
import type { AppEnv } from '../../../worker/api/http.ts'
import { type Env, mustSettings } from '../../../worker/env.ts'

function post(secret: string | undefined, authorization: string | undefined) {
  const app = new Hono<AppEnv>()
  app.use(async (c, next) => {
    const bindings = { DB: {}, USER_SYNC: {}, GENERATION: {}, ENVIRONMENT: 'development', CRON_SECRET: secret }
    c.set('settings', mustSettings(bindings as unknown as Env))
    await next()
  })
  app.post(
    '/api/cron',
    handleCron(
      async (_env, clock) => ({ ranAt: clock() }),
      () => 7,
    ),
  )
  return app.request('/api/cron', { method: 'POST', headers: authorization === undefined ? {} : { authorization } })
}

test('runs for the secret and says what was done', async () => {
  const response = await post('hunter2', 'Bearer hunter2')
  expect([response.status, await response.json()]).toEqual([200, { done: { ranAt: 7 } }])
})

test.each([undefined, '', 'hunter2', 'Bearer ', 'Bearer hunter', 'Bearer hunter22', 'bearer hunter2'])(
  'does not run for %j',
  async (authorization) => {
    expect((await post('hunter2', authorization)).status).toBe(403)
  },
)

test('does not run where no secret is set, whatever is sent', async () => {
  for (const authorization of [undefined, 'Bearer ', 'Bearer null', 'Bearer undefined'])
    expect((await post(undefined, authorization)).status).toBe(501)
})

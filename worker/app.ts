/** The Hono app: middleware in order, routes mounted by name. What a route does is in its own file. */
import { type Context, Hono } from 'hono'
import { handleAuth } from './api/auth.ts'
import { handleCron, type WorkOnDemand } from './api/cron.ts'
import { handleFirstPage } from './api/first-page.ts'
import { handleHealth } from './api/health.ts'
import { type AppEnv, refuseWith } from './api/http.ts'
import { answerError, demandSettings, identify, neverKept, secure, smallBody } from './api/middleware.ts'
import { handleOutbox } from './api/outbox.ts'
import { handleStream } from './api/stream.ts'
import { handleConnect } from './api/sync.ts'
import { systemClock } from './lib/clock.ts'
import { isFilePath, servePage } from './page/page.ts'

export function createApp(scheduledWork: WorkOnDemand): Hono<AppEnv> {
  const app = new Hono<AppEnv>()
  app.onError(answerError)
  app.use(identify, secure)

  app.use('/api/*', neverKept)
  // Before the settings are demanded: it is the one that says which are missing.
  app.get('/api/health', handleHealth)
  app.use(demandSettings)

  app.on(['GET', 'POST'], '/api/auth/*', smallBody, handleAuth)
  app.get('/api/thread/:threadId/stream', handleStream)
  app.post('/api/cron', handleCron(scheduledWork, systemClock))
  app.get('/api/outbox', handleOutbox)
  app.all('/api/*', (c) => refuseWith(c, 'not_found'))

  app.use('/_serverFn/*', neverKept)
  app.get('/_serverFn/first-page', handleFirstPage)
  app.all('/_serverFn/*', (c) => refuseWith(c, 'not_found'))

  app.get('/sync/:version{v[0-9]+}/connect', handleConnect)
  app.all('/sync/*', (c) => refuseWith(c, 'not_found'))

  app.get('*', servePageOrFile)
  app.all('*', (c) => refuseWith(c, 'not_found'))
  return app
}

async function servePageOrFile(c: Context<AppEnv>): Promise<Response> {
  if (isFilePath(c.req.path)) return c.env.ASSETS.fetch(c.req.raw)
  return servePage(c.env, c.var.settings, c.req.raw, c.var.nonce)
}

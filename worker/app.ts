/** The Hono app: middleware in order, then the routes. */
import { type Context, Hono } from 'hono'
import { handleAuth, handleMagicLink, linkUse } from './api/auth.ts'
import { handleCheckout, handleCheckoutSuccess, handlePortal, handlePortalReturn, handlePrice, handleWebhook } from './api/billing.ts'
import { handleConvert } from './api/convert-image.ts'
import { handleExport } from './api/export.ts'
import {
  handleDiscard,
  handleFile,
  handleOriginal,
  handleOriginalUpload,
  handleThumbnail,
  handleThumbnailUpload,
  handleUpload,
} from './api/files.ts'
import { handleFirstPage } from './api/first-page.ts'
import { handleHealth } from './api/health.ts'
import { type AppEnv, refuseWith } from './api/http.ts'
import { handleOutbox } from './api/mail-outbox.ts'
import {
  answerError,
  eventBody,
  identify,
  noStore,
  refuseCrossSite,
  refuseHead,
  requireDestination,
  requireLocalHost,
  requireOwnOrigin,
  requireSettings,
  secure,
  smallBody,
} from './api/middleware.ts'
import { handleModelsRefresh } from './api/models.ts'
import { handleReset, handleSetup, type WorkOnDemand } from './api/operator.ts'
import { handlePageError } from './api/page-errors.ts'
import { handleFindInThread, handleSearch } from './api/search.ts'
import { handleShare, handleShareCopy, handleSharedFile } from './api/shares.ts'
import { handleStream } from './api/stream.ts'
import { handleConnect } from './api/sync.ts'
import {
  handleAddServer,
  handleChangeServer,
  handleClientDocument,
  handleRefreshServer,
  handleRemoveServer,
  handleServerCallback,
  handleServerHeaders,
  handleServerLogin,
  handleServerLogout,
  handleServerPrompt,
  handleServerResource,
  handleServerSuggestions,
} from './api/tool-servers.ts'
import { systemClock } from './lib/clock.ts'
import { isFilePath, servePage, serveShell } from './page/page.ts'
import { missingShare } from './page/share-page.ts'

/** `standIn`: routes of a simulated provider, in development. */
export function createApp(
  scheduledWork: WorkOnDemand,
  standIn: { readonly path: string; readonly routes: Hono<AppEnv> } | null = null,
): Hono<AppEnv> {
  const app = new Hono<AppEnv>()
  app.onError(answerError)
  app.use(identify, secure, requireLocalHost)

  app.use('/api/*', noStore, requireOwnOrigin)
  const navigation = requireDestination('document')
  // These two report missing settings, so they come before the check of the settings.
  app.get('/api/health', handleHealth)
  app.on(['GET', 'POST'], '/api/setup', smallBody, handleSetup)
  app.use(requireSettings)

  app.post(linkUse, smallBody, handleMagicLink)
  app.on(['GET', 'POST'], '/api/auth/*', smallBody, handleAuth)
  app.get('/api/account/export', requireDestination('document', 'empty'), refuseCrossSite, handleExport)
  app.get('/api/thread/:threadId/stream', refuseHead, handleStream)
  app.get('/api/checkout', refuseHead, navigation, handleCheckout)
  app.get('/api/checkout/success', refuseHead, navigation, handleCheckoutSuccess)
  app.get('/api/customer-portal', refuseHead, navigation, handlePortal)
  app.get('/api/customer-portal/return', refuseHead, navigation, handlePortalReturn)
  app.get('/api/price', handlePrice)
  app.post('/api/webhook/stripe', eventBody, handleWebhook)
  if (standIn !== null) app.route(standIn.path, standIn.routes)
  app.get('/api/reset', refuseHead, handleReset(scheduledWork, systemClock))
  app.post('/api/models/refresh', handleModelsRefresh)
  app.post('/api/messages/search', smallBody, handleSearch)
  app.post('/api/messages/find', smallBody, handleFindInThread)
  app.post('/api/files', handleUpload)
  app.post('/api/files/convert', handleConvert)
  app.on(['GET', 'HEAD'], '/api/files/:id', handleFile)
  app.delete('/api/files/:id', handleDiscard)
  app.post('/api/files/:id/original', handleOriginalUpload)
  app.on(['GET', 'HEAD'], '/api/files/:id/original', handleOriginal)
  app.post('/api/files/:id/thumbnail', handleThumbnailUpload)
  app.on(['GET', 'HEAD'], '/api/files/:id/thumbnail', handleThumbnail)
  app.post('/api/shares/:id/copy', smallBody, handleShareCopy)
  app.post('/api/tool-servers', smallBody, handleAddServer)
  app.get('/api/tool-servers/client-metadata.json', handleClientDocument)
  app.get('/api/tool-servers/callback', refuseHead, navigation, handleServerCallback)
  app.patch('/api/tool-servers/:id', smallBody, handleChangeServer)
  app.delete('/api/tool-servers/:id', handleRemoveServer)
  app.post('/api/tool-servers/:id/refresh', handleRefreshServer)
  app.put('/api/tool-servers/:id/headers', smallBody, handleServerHeaders)
  app.post('/api/tool-servers/:id/resource', smallBody, handleServerResource)
  app.post('/api/tool-servers/:id/prompt', smallBody, handleServerPrompt)
  app.post('/api/tool-servers/:id/suggestions', smallBody, handleServerSuggestions)
  app.post('/api/tool-servers/:id/login', handleServerLogin)
  app.post('/api/tool-servers/:id/logout', handleServerLogout)
  app.post('/api/page-errors', smallBody, handlePageError)
  app.get('/api/outbox', handleOutbox)
  app.all('/api/*', (c) => refuseWith(c, 'not_found'))

  app.use('/_serverFn/*', noStore)
  app.on('GET', ['/_serverFn', '/_serverFn/', '/_serverFn/first-page'], handleFirstPage)
  app.all('/_serverFn/*', (c) => refuseWith(c, 'not_found'))

  app.get('/sync/:version{v[0-9]+}/connect', handleConnect)
  app.all('/sync/*', (c) => refuseWith(c, 'not_found'))

  app.on('GET', ['/share/:id', '/share/:id/'], handleShare)
  app.get('/share/:id/files/:index', handleSharedFile)
  // Misspelled addresses of shared pages, which the app would otherwise open.
  app.get('*', (c, next) => (/^\/+share(?:\/|$)/i.test(c.req.path) ? missingShare(c.env, c.req.raw) : next()))

  app.get('/shell', (c) => serveShell(c.env, c.var.settings, c.req.raw, c.var.nonce))
  app.get('*', servePageOrFile)
  app.all('*', (c) => refuseWith(c, 'not_found'))
  return app
}

async function servePageOrFile(c: Context<AppEnv>): Promise<Response> {
  if (isFilePath(c.req.path)) {
    const file = await c.env.ASSETS.fetch(c.req.raw)
    // A user who opens a missing file reads "Not found"; a program gets the empty response.
    if (file.status !== 404) return file
    if (!c.req.header('accept')?.includes('text/html')) return missingFile(file)
    await file.body?.cancel()
  }
  return servePage(c.env, c.var.settings, c.req.raw, c.var.nonce)
}

/** A build to which the operator rolls back may have the file, so the rules of `_headers` for files that exist do not apply. */
function missingFile(file: Response): Response {
  const missing = new Response(file.body, file)
  missing.headers.set('cache-control', 'no-store')
  return missing
}

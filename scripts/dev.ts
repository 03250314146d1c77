// `npm run dev`: the product with hot reload of page and Worker. Shares STATE_DIR with `npm start`.
import { join } from 'node:path'
import { fail, isNoise, printHealth } from './lib/console.ts'
import { lockStateDir } from './lib/lock-state-dir.ts'
import { applyMigrations } from './lib/migrate.ts'
import { rootDir, stateDirOf } from './lib/paths.ts'
import { assertPortIsFree } from './lib/port.ts'

const port = Number(process.env.PORT || 8787)
const stateDir = stateDirOf(process.env)
// Without a network, Miniflare would wait for location data of Cloudflare, and wrangler for its telemetry consent.
process.env.CLOUDFLARE_CF_FETCH_ENABLED = 'false'
process.env.WRANGLER_SEND_METRICS = 'false'

async function dev() {
  process.once('exit', lockStateDir(stateDir, port))
  await assertPortIsFree(port)
  const applied = await applyMigrations(stateDir)
  if (applied.length > 0) console.log(`Parley: applied ${applied.join(', ')}.`)
  const { createLogger, createServer } = await import('vite')
  const logger = createLogger('info', { prefix: '[parley]', allowClearScreen: false })
  const { info, warn, warnOnce } = logger
  logger.info = (message, options) => void (isNoise(message) || info(message, options))
  logger.warn = (message, options) => void (isNoise(message) || warn(message, options))
  logger.warnOnce = (message, options) => void (isNoise(message) || warnOnce(message, options))
  const server = await createServer({
    configFile: join(rootDir, 'vite.config.ts'),
    customLogger: logger,
    server: { host: '127.0.0.1', port, strictPort: true },
  })
  await server.listen()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void server.close().finally(() => process.exit(0)))
  }
  const url = `http://localhost:${port}`
  await printHealth(url)
  console.log(`\n  Parley is being developed at ${url}\n`)
}

await dev().catch(fail('Parley could not start'))

// Serves the built product with Miniflare: workerd itself listens on the port, WebSockets pass through it untouched, and D1, KV and the
// objects' SQLite live below STATE_DIR. Miniflare's entry Worker stays in front on purpose: like Cloudflare's edge it compresses and
// sets the client's address, for about 0.2 ms per HTTP request and nothing per WebSocket message.
import { readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare, type V4WorkerOptions } from 'miniflare'
import { localDatabases } from './local-databases.ts'
import { persistDirOf, serveFile, workerDir } from './paths.ts'
import type { Settings } from './settings.ts'
import { filesBelow } from './sources.ts'

export type WorkerdLog = { readonly level: string; readonly message: string }

export type ServeOptions = {
  readonly port: number
  readonly stateDir: string
  readonly bindings: Settings
  /** Where a debugger may attach: workerd's own inspector, with every isolate of the process. */
  readonly inspectorPort?: number | undefined
  readonly onLog: (log: WorkerdLog) => void
}

/** Only this machine. Browsers, curl and Node try ::1 first for `localhost`, are refused at once, and come here. */
const host = '127.0.0.1'

const scheduledEveryMs = 5 * 60_000

export async function serve({ port, stateDir, bindings, inspectorPort, onLog }: ServeOptions) {
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      host,
      port,
      log: new Log(LogLevel.WARN),
      handleStructuredLogs: onLog,
      logRequests: false,
      // A placeholder instead of asking Cloudflare where this machine is: a local run needs no network.
      cf: false,
      ...(inspectorPort === undefined ? {} : { inspectorPort }),
      resourcePersistencePath: persistDirOf(stateDir),
      workers: [builtWorker(bindings)],
    }),
  )
  await miniflare.ready
  const clock = setInterval(() => void runScheduled(miniflare, onLog), scheduledEveryMs)
  return {
    url: `http://localhost:${port}`,
    stop: async () => {
      clearInterval(clock)
      await miniflare.dispose()
    },
  }
}

/** Nothing there is a file. Elsewhere Miniflare asks two Workers first, and each stays in memory for as long as a socket passes through it. */
const routes = ['*/sync/*']

/** `dist/serve.json` is wrangler's own translation of the configuration, made by the build; what a local run has of its own is added here. */
function builtWorker(bindings: Settings): V4WorkerOptions {
  const options = JSON.parse(readFileSync(serveFile, 'utf8')) as V4WorkerOptions
  const modules = filesBelow(workerDir)
    .filter((file) => file.endsWith('.js'))
    // The entry module comes first; that is how workerd knows it.
    .sort((a, b) => Number(relative(workerDir, b) === 'index.js') - Number(relative(workerDir, a) === 'index.js'))
    .map((path) => ({ type: 'ESModule' as const, path }))
  return {
    ...options,
    d1Databases: localDatabases(process.env),
    name: 'parley',
    routes,
    bindings: { ...options.bindings, ...bindings },
    modulesRoot: workerDir,
    modules,
  }
}

type Scheduled = { scheduled(event: { scheduledTime: Date; cron: string }): Promise<unknown> }

/** Cron triggers never fire by themselves outside Cloudflare, and tidying should happen in development too. */
async function runScheduled(miniflare: Miniflare, onLog: (log: WorkerdLog) => void) {
  try {
    // Miniflare's own types leave out what only workerd's fetchers can do.
    const worker = (await miniflare.getWorker()) as unknown as Scheduled
    await worker.scheduled({ scheduledTime: new Date(), cron: '*/5 * * * *' })
  } catch (error) {
    onLog({ level: 'error', message: `scheduled work failed: ${String(error)}` })
  }
}

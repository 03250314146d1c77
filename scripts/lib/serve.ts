// Serves the built product with Miniflare. workerd listens on the port and handles WebSockets, and the data of D1, KV and the objects is
// below STATE_DIR. Miniflare's entry Worker handles HTTP requests as Cloudflare's edge does: it compresses and sets the client address. It
// costs about 0.2 ms per HTTP request.
import { readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare, type V4WorkerOptions } from 'miniflare'
import { persistDirOf, serveFile, workerDir } from './paths.ts'
import type { Settings } from './settings.ts'
import { filesBelow } from './sources.ts'
import { localDatabases } from './wrangler-config.ts'

type WorkerdLog = { readonly level: string; readonly message: string }

type ServeOptions = {
  readonly port: number
  readonly stateDir: string
  readonly bindings: Settings
  /** Port of workerd's inspector, which serves every isolate of the process. */
  readonly inspectorPort?: number | undefined
  readonly onLog: (log: WorkerdLog) => void
}

/** Loopback only. For `localhost`, clients try ::1 first, are refused immediately and then use this address. */
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
      // A placeholder, so that a local run does not request location data from Cloudflare.
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

/**
 * These paths contain no files. On other paths Miniflare first asks two Workers, and both stay in memory as long as a WebSocket passes
 * through them.
 */
const routes = ['*/sync/*']

/** Adds the settings of a local run to `dist/serve.json`, which contains wrangler's options from the build. */
function builtWorker(bindings: Settings): V4WorkerOptions {
  const options = JSON.parse(readFileSync(serveFile, 'utf8')) as V4WorkerOptions
  const modules = filesBelow(workerDir)
    .filter((file) => file.endsWith('.js'))
    // workerd uses the first module as the entry.
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

/** Miniflare never runs cron triggers, so a timer runs the scheduled work. */
async function runScheduled(miniflare: Miniflare, onLog: (log: WorkerdLog) => void) {
  try {
    // Miniflare's types omit methods of workerd's fetchers.
    const worker = (await miniflare.getWorker()) as unknown as Scheduled
    await worker.scheduled({ scheduledTime: new Date(), cron: '*/5 * * * *' })
  } catch (error) {
    onLog({ level: 'error', message: `scheduled work failed: ${String(error)}` })
  }
}

// Serves the built product with Miniflare. workerd listens on the port and handles WebSockets, and the data of D1, KV and the objects is
// below STATE_DIR. Miniflare's entry Worker handles HTTP requests as Cloudflare's edge does: it compresses and sets the client address. It
// costs about 0.2 ms per HTTP request.
import { readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare, type V4WorkerOptions } from 'miniflare'
import { clientDir, edgeFile, persistDirOf, productionDir, serveFile, workerDir, wranglerFile } from './paths.ts'
import type { Settings } from './settings.ts'
import { filesBelow } from './sources.ts'
import { localDatabases, readWranglerConfig } from './wrangler-config.ts'

type WorkerdLog = { readonly level: string; readonly message: string }

type ServeOptions = {
  readonly port: number
  readonly stateDir: string
  readonly bindings: Settings
  /** Port of workerd's inspector, which serves every isolate of the process. */
  readonly inspectorPort?: number | undefined
  readonly onLog: (log: WorkerdLog) => void
  /** Serves the Worker of a deployment behind `worker/edge.ts` with these settings. */
  readonly edge?: Edge
}

type Edge = { readonly host: string; readonly settings: Settings }

/** For `localhost`, clients try ::1 first, are refused immediately and then use this address. */
const loopback = '127.0.0.1'

const scheduledEveryMs = 5 * 60_000

export async function serve({ port, stateDir, bindings, inspectorPort, onLog, edge }: ServeOptions) {
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      host: loopback,
      // The entry Worker trusts headers of its clients, for example the client address. With an edge, only loopback reaches it.
      port: edge === undefined ? port : 0,
      log: edge === undefined ? new Log(LogLevel.WARN) : new ToolLog(onLog),
      handleStructuredLogs: onLog,
      logRequests: false,
      // A placeholder, so that a local run does not request location data from Cloudflare.
      cf: false,
      ...(inspectorPort === undefined ? {} : { inspectorPort }),
      resourcePersistencePath: persistDirOf(stateDir),
      workers: edge === undefined ? [builtWorker(workerDir, bindings)] : [productWorker(bindings), edgeWorker(port, edge)],
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

/** The Worker of a deployment, in the container. */
export const productWorker = (bindings: Settings) => ({
  ...builtWorker(productionDir, bindings),
  serviceBindings: { PUBLIC_INTERNET: publicInternet },
})

/** For addresses that users name: workerd refuses connections to private addresses, also by a name that resolves to one. */
const publicInternet = { network: { allow: ['public'], tlsOptions: { trustBrowserCas: true } } }

/**
 * These paths contain no files. On other paths Miniflare first asks two Workers, and both stay in memory as long as a WebSocket passes
 * through them.
 */
const routes = ['*/sync/*']

/** Adds the settings of a local run to `dist/serve.json`, which contains wrangler's options from the build. */
function builtWorker(dir: string, bindings: Settings): V4WorkerOptions {
  const options = JSON.parse(readFileSync(serveFile, 'utf8')) as V4WorkerOptions
  const modules = filesBelow(dir)
    .filter((file) => file.endsWith('.js'))
    // workerd uses the first module as the entry.
    .sort((a, b) => Number(relative(dir, b) === 'index.js') - Number(relative(dir, a) === 'index.js'))
    .map((path) => ({ type: 'ESModule' as const, path }))
  return {
    ...options,
    // The build may have been made in another folder.
    rootPath: dir,
    ...(options.assets && { assets: { ...options.assets, directory: clientDir } }),
    d1Databases: localDatabases(process.env),
    name: 'parley',
    routes,
    bindings: { ...options.bindings, ...bindings },
    modulesRoot: dir,
    modules,
  }
}

/** Listens on a separate socket, so that its requests do not pass through Miniflare's entry Worker. */
const edgeWorker = (port: number, { host, settings }: Edge): V4WorkerOptions => ({
  name: 'edge',
  compatibilityDate: readWranglerConfig(wranglerFile).compatibility_date,
  modules: true,
  scriptPath: edgeFile,
  bindings: settings,
  serviceBindings: { PRODUCT: 'parley' },
  unsafeDirectSockets: [{ host, port }],
})

/** Warnings of Miniflare as lines of the log. */
class ToolLog extends Log {
  readonly #onLog: ServeOptions['onLog']

  constructor(onLog: ServeOptions['onLog']) {
    super(LogLevel.WARN)
    this.#onLog = onLog
  }

  override logWithLevel(level: LogLevel, message: string) {
    if (level <= this.level) this.#onLog({ level: level === LogLevel.ERROR ? 'error' : 'warn', message })
  }
}

type Scheduled = { scheduled(event: { scheduledTime: Date; cron: string }): Promise<unknown> }

/** Miniflare never runs cron triggers, so a timer runs the scheduled work. */
async function runScheduled(miniflare: Miniflare, onLog: (log: WorkerdLog) => void) {
  try {
    // Miniflare's types omit methods of workerd's fetchers.
    const worker = (await miniflare.getWorker('parley')) as unknown as Scheduled
    await worker.scheduled({ scheduledTime: new Date(), cron: '*/5 * * * *' })
  } catch (error) {
    onLog({ level: 'error', message: `scheduled work failed: ${String(error)}` })
  }
}

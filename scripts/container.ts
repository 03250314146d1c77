// The server of the container image (Dockerfile): the Worker of a deployment on one machine, to which a reverse proxy forwards. HOST and PORT set the
// address, STATE_DIR the volume. Every line of output is one JSON object, as the Worker writes them.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { forms } from '../worker/setting-forms.ts'
import { applyMigrations } from './lib/migrate.ts'
import { stateDirOf } from './lib/paths.ts'
import { serve } from './lib/serve.ts'
import { containerBindings, readSettings, type Settings } from './lib/settings.ts'

const host = process.env.HOST || '127.0.0.1'
const port = Number(process.env.PORT || 8787)
const stateDir = stateDirOf(process.env)

async function start() {
  // The first process of a container ignores signals that it does not handle, so it handles them from the beginning.
  onSignal(() => Promise.resolve())
  const settings = readSettings(process.env, {})
  const edge = edgeSettings(settings)
  const lock = lockVolume()
  const bindings = containerBindings(settings, stateDir)
  const applied = await applyMigrations(stateDir, { acceptNewer: true })
  const server = await serve({
    port,
    stateDir,
    bindings,
    onLog: ({ level, message }) => print(level, message),
    edge: { host, settings: edge },
  })
  // The handler also references the lock, because garbage collection would release it.
  onSignal(() => server.stop().finally(() => lock.close()))
  log('info', 'container.ready', { host, port, migrations: applied.length, disabledFeatures: bindings.DISABLED_FEATURES ?? '' })
  if (edge.CLIENT_ADDRESS_HEADER === undefined)
    log('warn', 'container.no_client_addresses', { reason: 'CLIENT_ADDRESS_HEADER is not set, so rate limits count all clients together' })
}

/** The Worker reports an invalid PUBLIC_URL. */
function edgeSettings({ PUBLIC_URL, CLIENT_ADDRESS_HEADER }: Settings): Settings {
  const { form, reason } = forms.header
  if (CLIENT_ADDRESS_HEADER !== undefined && !form.safeParse(CLIENT_ADDRESS_HEADER).success)
    throw new Error(`CLIENT_ADDRESS_HEADER ${reason}`)
  return { ...(PUBLIC_URL && { PUBLIC_URL }), ...(CLIENT_ADDRESS_HEADER && { CLIENT_ADDRESS_HEADER }) }
}

/**
 * Two servers on the same files would both serve every object. SQLite's lock also excludes other containers, whose process ids mean nothing
 * here, and the kernel releases it when this process ends.
 */
function lockVolume(): DatabaseSync {
  mkdirSync(stateDir, { recursive: true })
  try {
    const lock = new DatabaseSync(join(stateDir, 'lock'))
    lock.exec('begin exclusive')
    return lock
  } catch (cause) {
    throw new Error(`${stateDir} cannot be used or is in use by another container (${(cause as Error).message})`, { cause })
  }
}

/** Replaces the handlers of Miniflare, which end this process with an error code. */
function onSignal(stop: () => Promise<void>) {
  const end = () => {
    log('info', 'container.stopped', {})
    process.exit(0)
  }
  for (const signal of ['SIGINT', 'SIGTERM']) process.removeAllListeners(signal).once(signal, () => void stop().finally(end))
}

const log = (level: string, event: string, fields: Readonly<Record<string, string | number>>) =>
  process.stdout.write(`${JSON.stringify({ level, event, ...fields })}\n`)

/** Lines of the Worker are JSON already. Those of the runtime are not. */
const print = (level: string, message: string) =>
  message.startsWith('{"level":') ? process.stdout.write(`${message}\n`) : log(level, 'runtime', { message })

await start().catch((error: unknown) => {
  log('error', 'container.failed', { reason: error instanceof Error ? error.message : String(error) })
  process.exit(1)
})

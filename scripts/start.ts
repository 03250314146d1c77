// `npm start`: serves the product at http://localhost:8787 without accounts or keys. PORT and STATE_DIR set the port and the folder of
// local data. `--no-build` serves the existing dist/. INSPECTOR_PORT enables a debugger.
import { join, relative } from 'node:path'
import { isBuilt } from './build.ts'
import { fail, printHealth, printLog } from './lib/console.ts'
import { lockStateDir } from './lib/lock-state-dir.ts'
import { isMigrated } from './lib/migrate.ts'
import { rootDir, stateDirOf } from './lib/paths.ts'
import { assertPortIsFree } from './lib/port.ts'
import { run } from './lib/run.ts'
import { serve } from './lib/serve.ts'
import { readSettings, workerBindings } from './lib/settings.ts'

const port = Number(process.env.PORT || 8787)
const stateDir = stateDirOf(process.env)
const inspectorPort = process.env.INSPECTOR_PORT ? Number(process.env.INSPECTOR_PORT) : undefined

async function start() {
  if (!process.argv.includes('--no-build') && !isBuilt('local')) {
    await runScript('build.ts', ['--when-stale', '--local', ...process.argv.slice(2)])
    console.log('Parley: built.')
  }
  process.once('exit', lockStateDir(stateDir, port))
  await assertPortIsFree(port)
  if (!isMigrated(stateDir)) await runScript('lib/migrate.ts', [stateDir])
  const server = await serve({ port, stateDir, bindings: workerBindings(readSettings(), stateDir), inspectorPort, onLog: printLog })
  const stop = () => void server.stop().finally(() => process.exit(0))
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, stop)
  stopWithShell(stop)
  // The IP address, because Node abandons each of several addresses of a name after 250 ms, which is too short on a busy machine.
  const verdict = (await printHealth(`http://127.0.0.1:${port}`)) === 'ok' ? 'is ready' : 'is not set up (see the list above)'
  console.log(`\n  Parley ${verdict} at ${server.url}   (data in ${relative(rootDir, stateDir) || '.'}, Ctrl-C stops it)\n`)
}

/** In another process, because this one would keep the memory of vite and wrangler for as long as it serves. */
async function runScript(name: string, args: readonly string[]) {
  const { status } = await run('node', [join(rootDir, 'scripts', name), ...args], { show: true })
  if (status !== 0) throw new Error('see the error above')
}

/** npm starts this script through a shell, and a signal that npm forwards ends only the shell. */
function stopWithShell(stop: () => void): void {
  if (process.env.npm_lifecycle_event !== 'start') return
  const shell = process.ppid
  const watch = setInterval(() => {
    if (process.ppid === shell) return
    clearInterval(watch)
    stop()
  }, 500)
}

await start().catch(fail('Parley could not start'))

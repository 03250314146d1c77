// Runs a tool of node_modules as a child and collects or shows what it says, without the lines in which tools talk about themselves.
import { spawn } from 'node:child_process'
import { setPriority } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { isNoise } from './console.ts'
import { rootDir } from './paths.ts'

export type Outcome = { readonly status: number; readonly output: string }
export type RunOptions = {
  readonly show?: boolean
  readonly env?: NodeJS.ProcessEnv
  /** As in `os.constants.priority`; what the tool starts inherits it. */
  readonly priority?: number | undefined
}

const binDir = join(rootDir, 'node_modules', '.bin')
const quiet = { WRANGLER_SEND_METRICS: 'false', WRANGLER_HIDE_BANNER: 'true', CLOUDFLARE_CF_FETCH_ENABLED: 'false', CI: '1' }

/** `show` prints lines as they come; otherwise they are only returned. Colours survive when a person is watching. */
export function run(tool: string, args: readonly string[], { show = false, env = {}, priority }: RunOptions = {}): Promise<Outcome> {
  const colour = process.stdout.isTTY ? { FORCE_COLOR: '1' } : { NO_COLOR: '1' }
  // First in PATH, so that tools find the pinned Node even when a script is run by hand and not by npm.
  const PATH = `${binDir}:${process.env.PATH ?? ''}`
  const child = spawn(join(binDir, tool), args, {
    cwd: rootDir,
    env: { ...process.env, ...quiet, ...colour, ...env, PATH },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  if (priority !== undefined && child.pid !== undefined) setPriority(child.pid, priority)
  const lines: string[] = []
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on('line', (line) => {
      if (isNoise(line)) return
      lines.push(line)
      if (show) console.log(line)
    })
  }
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (status) => resolve({ status: status ?? 1, output: lines.join('\n') }))
  })
}

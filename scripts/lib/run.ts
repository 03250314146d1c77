// Runs a tool of node_modules as a child process and collects or prints its output, without its notices.
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { isNoise } from './console.ts'
import { rootDir } from './paths.ts'

export type Outcome = { readonly status: number; readonly output: string }
/** `output` also contains the standard error. */
type ToolOutcome = Outcome & { readonly stdout: string }
type RunOptions = {
  readonly show?: boolean
  readonly env?: NodeJS.ProcessEnv
}

const binDir = join(rootDir, 'node_modules', '.bin')
const wranglerEnv = { WRANGLER_SEND_METRICS: 'false', WRANGLER_HIDE_BANNER: 'true', CLOUDFLARE_CF_FETCH_ENABLED: 'false', CI: '1' }

/** `show`: prints lines as they arrive. Otherwise they are only returned. Keeps colours on a terminal. */
export function run(tool: string, args: readonly string[], { show = false, env = {} }: RunOptions = {}): Promise<ToolOutcome> {
  const colour = process.stdout.isTTY ? { FORCE_COLOR: '1' } : { NO_COLOR: '1' }
  // First in PATH, so that tools use the pinned Node even if the script was not started by npm.
  const PATH = `${binDir}:${process.env.PATH ?? ''}`
  const child = spawn(join(binDir, tool), args, {
    cwd: rootDir,
    env: { ...process.env, ...wranglerEnv, ...colour, ...env, PATH },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const lines: string[] = []
  const stdout: string[] = []
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on('line', (line) => {
      if (isNoise(line)) return
      lines.push(line)
      if (stream === child.stdout) stdout.push(line)
      if (show) console.log(line)
    })
  }
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (status) => resolve({ status: status ?? 1, stdout: stdout.join('\n'), output: lines.join('\n') }))
  })
}

// One process per STATE_DIR: two workerds on the same SQLite files would each believe they own every object.
// A kill -9 of this process leaves its workerd alive and holding the port, so the claim remembers that too, and the next start ends it.

import type { ChildProcess } from 'node:child_process'
import { execFileSync } from 'node:child_process'
import { subscribe } from 'node:diagnostics_channel'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

type Claim = { readonly pid: number; readonly port: number; readonly workerdPids: readonly number[] }

/** Call before Miniflare starts: from then on every workerd it spawns is written down. Returns how to let go. */
export function claimStateDir(stateDir: string, port: number): () => void {
  mkdirSync(stateDir, { recursive: true })
  const file = join(stateDir, 'running.json')
  if (existsSync(file)) takeOver(JSON.parse(readFileSync(file, 'utf8')) as Claim, stateDir)
  const workerdPids: number[] = []
  const write = () => writeFileSync(file, JSON.stringify({ pid: process.pid, port, workerdPids } satisfies Claim))
  write()
  subscribe('child_process', (message) => {
    const { process: child } = message as { process: ChildProcess }
    child.once('spawn', () => {
      if (child.pid === undefined || !child.spawnfile.includes('workerd')) return
      workerdPids.push(child.pid)
      write()
    })
  })
  return () => rmSync(file, { force: true })
}

function takeOver(claim: Claim, stateDir: string) {
  if (claim.pid !== process.pid && /start\.ts|dev\.ts/.test(commandOf(claim.pid))) {
    throw new Error(`${stateDir} is in use by process ${claim.pid} on port ${claim.port}; choose another STATE_DIR or stop that one`)
  }
  for (const pid of claim.workerdPids) if (commandOf(pid).includes('workerd')) process.kill(pid, 'SIGKILL')
}

/** Pids are reused, above all in containers: a number alone proves nothing. Empty when there is no such process. */
function commandOf(pid: number): string {
  try {
    if (existsSync('/proc/self/cmdline')) return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
    return execFileSync('ps', ['-p', String(pid), '-o', 'command='], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
  } catch {
    // No such process is the usual answer here, and the one we hoped for.
    return ''
  }
}

// Allows one process per STATE_DIR, because two workerd processes on the same SQLite files would both serve every object. After a `kill -9`
// of this process, its workerd keeps running and holds the port. The lock file records it, and the next start stops it.

import type { ChildProcess } from 'node:child_process'
import { execFileSync } from 'node:child_process'
import { subscribe } from 'node:diagnostics_channel'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

type Lock = { readonly pid: number; readonly port: number; readonly workerdPids: readonly number[] }

/** Call before Miniflare starts: every workerd that it spawns later is recorded. Returns a function that releases the lock. */
export function lockStateDir(stateDir: string, port: number): () => void {
  mkdirSync(stateDir, { recursive: true })
  const file = join(stateDir, 'running.json')
  if (existsSync(file)) takeOver(JSON.parse(readFileSync(file, 'utf8')) as Lock, stateDir)
  const workerdPids: number[] = []
  const write = () => writeFileSync(file, JSON.stringify({ pid: process.pid, port, workerdPids } satisfies Lock))
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

function takeOver(lock: Lock, stateDir: string) {
  if (lock.pid !== process.pid && /start\.ts|dev\.ts/.test(commandOf(lock.pid))) {
    throw new Error(`${stateDir} is in use by process ${lock.pid} on port ${lock.port}; choose another STATE_DIR or stop that one`)
  }
  for (const pid of lock.workerdPids) if (commandOf(pid).includes('workerd')) process.kill(pid, 'SIGKILL')
}

/** Command line of a process, because pids are reused, above all in containers. Empty if the process does not exist. */
function commandOf(pid: number): string {
  try {
    if (existsSync('/proc/self/cmdline')) return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
    return execFileSync('ps', ['-p', String(pid), '-o', 'command='], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
  } catch {
    // Usually the process does not exist.
    return ''
  }
}

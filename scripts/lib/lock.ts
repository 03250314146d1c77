// A lock across processes: a symbolic link to the holder's pid. Creating it is atomic and fails if it exists.
import { mkdirSync, readlinkSync, rmSync, symlinkSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const pollIntervalMs = 100

export async function underLock<Result>(path: string, work: () => Promise<Result>): Promise<Result> {
  mkdirSync(dirname(path), { recursive: true })
  while (!acquire(path)) await sleep(pollIntervalMs)
  try {
    return await work()
  } finally {
    rmSync(path, { force: true })
  }
}

function acquire(path: string): boolean {
  try {
    symlinkSync(String(process.pid), path)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    // A killed holder leaves its link.
    const holder = holderOf(path)
    if (holder !== undefined && !isRunning(holder)) rmSync(path, { force: true })
    return false
  }
}

/** The pid of the holder, or undefined if the lock was released meanwhile. */
function holderOf(path: string): number | undefined {
  try {
    return Number(readlinkSync(path))
  } catch {
    return undefined
  }
}

export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // ESRCH: no such process. EPERM: the process belongs to another user.
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}

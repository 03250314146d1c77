// One process at a time, across processes: a folder with the holder's pid in it is renamed into place, which fails where one already is.
import { randomUUID } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const pollEveryMs = 100

export async function underLock<Result>(path: string, work: () => Promise<Result>): Promise<Result> {
  while (!acquire(path)) await sleep(pollEveryMs)
  try {
    return await work()
  } finally {
    rmSync(path, { recursive: true, force: true })
  }
}

function acquire(path: string): boolean {
  const candidate = `${path}.${randomUUID()}`
  mkdirSync(candidate, { recursive: true })
  writeFileSync(join(candidate, 'pid'), String(process.pid))
  try {
    renameSync(candidate, path)
    return true
  } catch (error) {
    rmSync(candidate, { recursive: true })
    if (!['EEXIST', 'ENOTEMPTY', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
    // A holder that was killed cannot clean up after itself.
    if (!isHeld(path)) rmSync(path, { recursive: true, force: true })
    return false
  }
}

function isHeld(path: string): boolean {
  try {
    return isRunning(Number(readFileSync(join(path, 'pid'), 'utf8')))
  } catch {
    // It just let go, and the next attempt will tell.
    return true
  }
}

export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // There is no such process any more; of somebody else's we hear that it is not ours.
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}

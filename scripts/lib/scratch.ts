// Where a run of the tests keeps what it throws away: databases, objects, profiles of browsers. In memory where the machine has enough of
// it: every write of the product is confirmed by the disk, and on a slow one tests would wait for that longer than for everything else.
// What a kill -9 leaves is the same in both, because what was written stays with the kernel; only a power cut would tell them apart.
import { existsSync, mkdtempSync, readdirSync, rmSync, statfsSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { isRunning } from './lock.ts'

const memoryDir = '/dev/shm'
const prefix = 'parley-tests-'
/** Ten times what a suite has held at once. */
const neededBytes = 1024 ** 3
/** Whoever is in another container may share the folder and not the numbers of processes. */
const longestRunMs = 60 * 60_000

/** A folder in memory, removed when this process exits; undefined where there is no room for one. */
export function scratchInMemory(): string | undefined {
  forgetAbandoned()
  if (roomBytes() < neededBytes || process.availableMemory() < 4 * neededBytes) return undefined
  const dir = mkdtempSync(join(memoryDir, `${prefix}${process.pid}-`))
  process.once('exit', () => forget(basename(dir)))
  return dir
}

/** A run that was killed cannot clean up after itself. */
function forgetAbandoned(): void {
  if (!existsSync(memoryDir)) return
  for (const name of readdirSync(memoryDir).filter((entry) => entry.startsWith(prefix))) {
    const { uid, mtimeMs } = statSync(join(memoryDir, name))
    const isOld = Date.now() - mtimeMs > longestRunMs
    if (isOld && uid === process.getuid?.() && !isRunning(Number.parseInt(name.slice(prefix.length), 10))) forget(name)
  }
}

const forget = (name: string): void => rmSync(join(memoryDir, name), { recursive: true, force: true })

function roomBytes(): number {
  if (!existsSync(memoryDir)) return 0
  const { bavail, bsize, type } = statfsSync(memoryDir)
  return type === tmpfs ? bavail * bsize : 0
}

/** What `statfs` calls a file system in memory. */
const tmpfs = 0x01021994

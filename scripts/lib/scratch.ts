// Temporary files of a test run: databases, objects and browser profiles. They are in memory if the machine has enough of it, because every
// write of the product waits for the disk. A `kill -9` leaves the same state in both cases, because the kernel keeps written data; only a
// power failure differs.
import { existsSync, mkdtempSync, readdirSync, rmSync, statfsSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { isRunning } from './lock.ts'

const memoryDir = '/dev/shm'
const prefix = 'parley-tests-'
/** Chosen: ten times the largest use of a suite. */
const neededBytes = 1024 ** 3
/** Another container can share the folder but not the process ids, so age decides. */
const longestRunMs = 60 * 60_000

/** A folder in memory, deleted when this process exits. Undefined without enough memory. */
export function scratchInMemory(): string | undefined {
  deleteAbandoned()
  if (freeBytes() < neededBytes || process.availableMemory() < 4 * neededBytes) return undefined
  const dir = mkdtempSync(join(memoryDir, `${prefix}${process.pid}-`))
  process.once('exit', () => deleteDir(basename(dir)))
  return dir
}

/** Deletes the folders of runs that were killed. */
function deleteAbandoned(): void {
  if (!existsSync(memoryDir)) return
  for (const name of readdirSync(memoryDir).filter((entry) => entry.startsWith(prefix))) {
    const { uid, mtimeMs } = statSync(join(memoryDir, name))
    const isOld = Date.now() - mtimeMs > longestRunMs
    if (isOld && uid === process.getuid?.() && !isRunning(Number.parseInt(name.slice(prefix.length), 10))) deleteDir(name)
  }
}

const deleteDir = (name: string): void => rmSync(join(memoryDir, name), { recursive: true, force: true })

function freeBytes(): number {
  if (!existsSync(memoryDir)) return 0
  const { bavail, bsize, type } = statfsSync(memoryDir)
  return type === tmpfs ? bavail * bsize : 0
}

/** File system type of tmpfs in `statfs`. */
const tmpfs = 0x01021994

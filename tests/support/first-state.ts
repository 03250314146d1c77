/**
 * A STATE_DIR as the first start of a product leaves it, with every migration applied. Every test could wait for that itself; it is the
 * same each time, so one product starts on an empty folder for all of them, and the others begin like its second start, with a copy.
 */
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { underLock } from '../../scripts/lib/lock.ts'
import { cacheDir } from '../../scripts/lib/paths.ts'
import { hashOf, stamp } from '../../scripts/lib/sources.ts'

/** `startOnce` starts a product with so many content databases on a folder, and ends it. */
export async function copyFirstState(contentDatabases: string, startOnce: (stateDir: string) => Promise<void>): Promise<string> {
  const stateDir = mkdtempSync(join(tmpdir(), 'parley-test-'))
  const firstState = join(cacheDir, `first-state-${contentDatabases}`)
  // The contents of the first state depend on these files.
  const made = stamp(`${firstState}-hash`, hashOf(['migrations', 'scripts', 'wrangler.jsonc', 'package-lock.json']))
  await underLock(`${firstState}.lock`, async () => {
    if (!made.isFresh()) {
      rmSync(firstState, { recursive: true, force: true })
      mkdirSync(firstState)
      await startOnce(firstState)
      made.remember()
    }
    cpSync(firstState, stateDir, { recursive: true })
  })
  return stateDir
}

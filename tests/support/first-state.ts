/**
 * A STATE_DIR after the first start of a product, with every migration applied. It is the same for all tests, so one product creates it,
 * and the others start from a copy.
 */
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { underLock } from '../../scripts/lib/lock.ts'
import { cacheDir } from '../../scripts/lib/paths.ts'
import { hashOf, stamp } from '../../scripts/lib/sources.ts'

/** `startOnce` starts and stops a product with this many content databases on a folder. */
export async function copyFirstState(contentDatabases: string, startOnce: (stateDir: string) => Promise<void>): Promise<string> {
  const stateDir = mkdtempSync(join(tmpdir(), 'parley-test-'))
  const firstState = join(cacheDir, `first-state-${contentDatabases}`)
  // The contents of the first state depend on these files.
  const made = stamp(`${firstState}-hash`, hashOf(['migrations', 'scripts', 'wrangler.jsonc', 'package-lock.json']))
  await underLock(`${firstState}.lock`, async () => {
    if (!made.isUpToDate()) {
      rmSync(firstState, { recursive: true, force: true })
      mkdirSync(firstState)
      await startOnce(firstState)
      made.remember()
    }
    cpSync(firstState, stateDir, { recursive: true })
  })
  return stateDir
}

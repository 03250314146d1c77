/** Starts the floor worker beside the product, on the same machine and runtime, for figures taken in the same run. */
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'

export type Floor = { readonly url: string; stop(): Promise<void> }

export const startFloor = async (): Promise<Floor> => {
  const stateDir = await mkdtemp(join(tmpdir(), 'parley-floor-'))
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      host: '127.0.0.1',
      port: 0,
      cf: false,
      resourcePersistencePath: stateDir,
      workers: [
        {
          name: 'floor',
          compatibilityDate: '2026-10-12',
          modules: true,
          script: await readFile(new URL('floor-worker.js', import.meta.url), 'utf8'),
          d1Databases: { DB: 'floor' },
          durableObjects: { FLOOR: { className: 'Floor', useSQLite: true } },
        },
      ],
    }),
  )
  const url = (await miniflare.ready).origin
  await fetch(`${url}/setup`)
  return {
    url,
    stop: async () => {
      await miniflare.dispose()
      await rm(stateDir, { recursive: true, force: true })
    },
  }
}

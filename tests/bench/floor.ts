/** Starts the floor worker on the same machine and runtime as the product, for figures taken in the same run. */
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import { workerdOf } from './process.ts'

export type FloorKind = 'echo' | 'record' | 'turn' | 'relay' | 'halt' | 'rows'

export type Floor = {
  readonly url: string
  readonly pid: number
  /** A socket of the object with this name, or of a new object. */
  connect(kind: FloorKind, name?: string): Promise<WebSocket>
}

let named = 0

/** One at a time: the inspector could not tell two apart. */
export async function withFloor<Result>(run: (floor: Floor) => Promise<Result>, inspectorPort?: number): Promise<Result> {
  const stateDir = await mkdtemp(join(tmpdir(), 'parley-floor-'))
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      host: '127.0.0.1',
      port: 0,
      cf: false,
      ...(inspectorPort === undefined ? {} : { inspectorPort }),
      resourcePersistencePath: stateDir,
      workers: [
        {
          name: 'floor',
          compatibilityDate: '2026-10-12',
          modules: true,
          script: await readFile(join(import.meta.dirname, 'floor-worker.js'), 'utf8'),
          d1Databases: { DB: 'floor' },
          durableObjects: { FLOOR: { className: 'Floor', useSQLite: true } },
        },
      ],
    }),
  )
  // By name, like the product.
  const url = (await miniflare.ready).origin.replace('127.0.0.1', 'localhost')
  try {
    await fetch(`${url}/setup`)
    return await run({ url, pid: workerdOf(process.pid), connect: (kind, name = `${kind}-${++named}`) => open(url, kind, name) })
  } finally {
    await miniflare.dispose()
    await rm(stateDir, { recursive: true, force: true })
  }
}

async function open(url: string, kind: FloorKind, name: string): Promise<WebSocket> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/${kind}?name=${name}`)
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve, { once: true })
    socket.addEventListener('error', reject, { once: true })
  })
  return socket
}

/** Sends a message and waits for the reply. */
export const roundTrip = (socket: WebSocket, text: string): Promise<void> => {
  const answered = new Promise<void>((resolve) => socket.addEventListener('message', () => resolve(), { once: true }))
  socket.send(text)
  return answered
}

/** The size of a small mutation. */
export const payload = 'x'.repeat(250)

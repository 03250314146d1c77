/**
 * Memory of one additional connection: the median step between many points, with garbage collected at each. A single difference would
 * measure V8, which allocates by the megabyte, and the allocator, which never returns memory: freed memory is reused by the next
 * connection. Connections close only at the end, so that later ones do not reuse their memory.
 */

import { freePort } from '../support/ports.ts'
import { startProduct, unlimitedWrites } from '../support/product.ts'
import { connectWire } from '../support/wire-client.ts'
import { newGuests, newId, pageQueries } from './clients.ts'
import { withFloor } from './floor.ts'
import { type Isolates, isolatesAt } from './isolates.ts'
import { memoryKb, workerdOf } from './process.ts'
import { median } from './sample.ts'

export type Server = {
  readonly pid: number
  readonly isolates: Isolates
  /** A user whose first tab is open and whose object is awake: each call opens one more tab of the same browser. */
  newUser(): Promise<() => Promise<unknown>>
}

/** A new server for each figure: memory left by another figure would hide the need of this one. */
export async function withProductServer<Result>(run: (server: Server) => Promise<Result>): Promise<Result> {
  const inspectorPort = await freePort()
  const product = await startProduct({ env: { ...unlimitedWrites, INSPECTOR_PORT: String(inspectorPort) } })
  try {
    return await run({
      pid: workerdOf(product.pid),
      isolates: await isolatesAt(inspectorPort),
      newUser: async () => {
        const [guest] = await newGuests(product.url, 1)
        if (!guest) throw new Error('a guest was asked for')
        const tab = { guest, token: await guest.token(), queries: pageQueries, clientGroupID: newId('browser') }
        const first = await connectWire(tab)
        // Like the second tab of a browser: starts from the rows that the first has stored.
        return () => connectWire({ ...tab, baseCookie: first.cookie() })
      },
    })
  } finally {
    await product.stop()
  }
}

/** A bare object behind a bare Worker, behind Miniflare's entry Worker: the path of the product's sockets without the product. */
export async function withFloorServer<Result>(run: (server: Server) => Promise<Result>): Promise<Result> {
  const inspectorPort = await freePort()
  return withFloor(async (floor) => {
    const sockets: WebSocket[] = []
    const newUser = async () => {
      const name = newId('user')
      const open = async () => sockets.push(await floor.connect('echo', name))
      await open()
      return open
    }
    try {
      return await run({ pid: floor.pid, isolates: await isolatesAt(inspectorPort), newUser })
    } finally {
      for (const socket of sockets) socket.close()
    }
  }, inspectorPort)
}

/** Kilobytes per connection: of the whole process, and of the JavaScript heap shared by the Worker and its objects. */
export type Held = { readonly process: number; readonly heap: number }

const pointEvery = 11

/** Runs each step once, in sequence, and measures the memory that it adds. */
export async function heldByEach({ pid, isolates }: Server, steps: readonly (() => Promise<unknown>)[]): Promise<Held> {
  const points: { done: number; process: number; heap: number }[] = []
  const take = async (done: number) => {
    await isolates.collect()
    points.push({ done, process: memoryKb(pid), heap: await isolates.heapKb() })
  }
  await take(0)
  for (const [index, step] of steps.entries()) {
    await step()
    if ((index + 1) % pointEvery === 0 || index + 1 === steps.length) await take(index + 1)
  }
  const each = (kind: keyof Held) =>
    median(points.slice(1).map((point, index) => (point[kind] - (points[index]?.[kind] ?? 0)) / (point.done - (points[index]?.done ?? 0))))
  return { process: each('process'), heap: each('heap') }
}

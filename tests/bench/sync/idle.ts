/**
 * The cost of an idle connection: memory of the server, and its CPU while a thousand tabs send pings.
 *
 * Memory is that of the workerd process that `npm start` runs, compared with the same path without the product: Miniflare's entry Worker, a
 * bare Worker, a bare object. `live` excludes garbage; `at once` is measured by Linux without collection. The target of 50 KB includes the
 * path, which alone needs more: three requests that last as long as the socket, with pending promises, pipes and header copies. A
 * deployment has no entry Worker, which needs about 30 KB; but a bare Worker that accepts the socket also needs more than 50. The product
 * determines the difference to the floor, which sends no first message, and the JavaScript heap.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Benchmark, Point } from '../../../scripts/lib/benchmark.ts'
import { closeAll, crowd, newGuests, tabsOfOne } from '../clients.ts'
import { withFloor } from '../floor.ts'
import { type Held, heldByEach, type Server, withFloorServer, withProductServer } from '../live-memory.ts'
import { cpuMs, memoryKb, workerdOf } from '../process.ts'

/** The target divided by the floor at the time it was set (50 and 34 KB): the equivalent target for another floor. */
const targetByFloor = 50 / 34

/** Numbers of users, and extra tabs of each. */
const shapes = [
  { users: 1, tabs: tabsOfOne },
  { users: 3, tabs: tabsOfOne },
  { users: 10, tabs: 10 },
] as const
const shapeOfParts = shapes[1]
/** One tab each. */
const moreUsers = 55
/** Platform: an object hibernates after ten idle seconds. */
const sleepMs = 11_500

const sockets = 1000
const pingEveryMs = 5000
const idleMs = 15_000

/** The real client's ping, sent five seconds after the last message. */
const ping = ['ping', {}] as const

type Shape = (typeof shapes)[number]
type Opener = Awaited<ReturnType<Server['newUser']>>

async function inTurn<T>(count: number, make: () => Promise<T>): Promise<T[]> {
  const made: T[] = []
  for (let index = 0; index < count; index++) made.push(await make())
  return made
}

/** The first hundred connections allocate memory and compile code that later ones reuse. */
async function warmUp(server: Server): Promise<void> {
  const open = await server.newUser()
  await inTurn(tabsOfOne, open)
}

const tabsOf = (openers: readonly Opener[], tabs: number): Opener[] => openers.flatMap((open) => Array.from({ length: tabs }, () => open))

async function live(server: Server, { users, tabs }: Shape): Promise<Held & { readonly asleep: Held }> {
  await warmUp(server)
  const openers = await inTurn(users, () => server.newUser())
  await server.isolates.collect()
  const [processBefore, heapBefore] = [memoryKb(server.pid), await server.isolates.heapKb()]
  const held = await heldByEach(server, tabsOf(openers, tabs))
  await sleep(sleepMs)
  await server.isolates.collect()
  const since = (now: number, before: number) => (now - before) / (users * tabs)
  const asleep = { process: since(memoryKb(server.pid), processBefore), heap: since(await server.isolates.heapKb(), heapBefore) }
  return { ...held, asleep }
}

async function ofUsers(server: Server): Promise<Held> {
  await warmUp(server)
  return heldByEach(
    server,
    Array.from({ length: moreUsers }, () => () => server.newUser()),
  )
}

/** All tabs of a user open at the same time, without garbage collection. */
async function atOnce(server: Server, { users, tabs }: Shape): Promise<{ readonly memory: number; readonly cpu: number }> {
  await warmUp(server)
  const openers = await inTurn(users, () => server.newUser())
  const [before, cpuBefore] = [memoryKb(server.pid), cpuMs(server.pid)]
  for (const open of openers) await Promise.all(Array.from({ length: tabs }, open))
  const each = (now: number, then: number) => (now - then) / (users * tabs)
  return { memory: each(memoryKb(server.pid), before), cpu: each(cpuMs(server.pid), cpuBefore) }
}

async function both<Result>(measure: (server: Server) => Promise<Result>): Promise<{ readonly ours: Result; readonly floor: Result }> {
  return { ours: await withProductServer(measure), floor: await withFloorServer(measure) }
}

const named = ({ users, tabs }: Shape) => `${users} ${users === 1 ? 'user' : 'users'}, ${tabs} tabs each`

export const benchmarks: readonly Benchmark[] = [
  {
    id: 'S9',
    name: 'memory of an extra idle tab',
    unit: 'KB',
    run: async () => {
      const points: Point[] = []
      for (const shape of shapes) {
        const { ours, floor } = await both((server) => live(server, shape))
        points.push({ at: `live: ${named(shape)}`, value: ours.process, floor: floor.process, mustHold: { most: 50 } })
        points.push({
          at: `by its floor: ${named(shape)}`,
          value: ours.process,
          floor: floor.process,
          mustHold: { timesFloor: targetByFloor },
        })
        if (shape !== shapeOfParts) continue
        points.push({ at: 'of it JavaScript heap', value: ours.heap, floor: floor.heap })
        points.push({ at: 'of it JavaScript heap, asleep', value: ours.asleep.heap, floor: floor.asleep.heap })
        points.push({ at: 'asleep, of the process', value: ours.asleep.process, floor: floor.asleep.process, moonshot: { most: 40 } })
      }
      const raw = await both((server) => atOnce(server, shapeOfParts))
      points.push({ at: `at once: ${named(shapeOfParts)}`, value: raw.ours.memory, floor: raw.floor.memory })
      points.push({ at: 'CPU of connecting it', value: raw.ours.cpu, floor: raw.floor.cpu, unit: 'ms' })
      const user = await both(ofUsers)
      points.push({ at: 'live: one user more, with one tab', value: user.ours.process, floor: user.floor.process, moonshot: { most: 300 } })
      return points
    },
  },
  {
    id: 'S15',
    name: `${sockets} idle sockets for ${idleMs / 1000} s, pinging every ${pingEveryMs / 1000} s`,
    unit: 'µs/ping',
    run: async ({ product }): Promise<Point[]> => {
      const { url, pid } = await product()
      const server = workerdOf(pid)
      const clients = await crowd(await newGuests(url, Math.ceil(sockets / tabsOfOne)), sockets)
      await sleep(sleepMs)
      const idle = await pinging(server, () => {
        for (const client of clients) client.send(ping)
      })
      await closeAll(...clients)
      const floor = await withFloor(async ({ pid: floorPid, connect: open }) => {
        const opened = await inTurn(sockets, () => open('echo', 'pinged'))
        await sleep(sleepMs)
        const cost = await pinging(floorPid, () => {
          for (const socket of opened) socket.send('ping')
        })
        for (const socket of opened) socket.close()
        return cost
      })
      return [{ at: 'CPU, auto-response', value: idle, floor, mustHold: { timesFloor: 1.5 } }]
    },
  },
]

/** Server microseconds per ping and its reply. */
async function pinging(server: number, pingAll: () => void): Promise<number> {
  const before = cpuMs(server)
  const rounds = idleMs / pingEveryMs
  for (let round = 0; round < rounds; round++) {
    pingAll()
    await sleep(pingEveryMs)
  }
  return ((cpuMs(server) - before) * 1000) / (rounds * sockets)
}

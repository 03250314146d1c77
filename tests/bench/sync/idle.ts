/** What a connection costs on which nothing happens: memory of the server, and its CPU while a thousand tabs ping it. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Benchmark, Point } from '../../../scripts/lib/benchmark.ts'
import { withFloor } from '../floor.ts'
import { closeAll, connect, crowd, newGuests, tabsOfOne } from '../people.ts'
import { cpuMs, memoryKb, workerdOf } from '../process.ts'

/** Of so many people, each with as many tabs as one may have. */
const people = 3
const tabs = people * tabsOfOne
/** The platform puts an object to sleep after ten seconds of silence. */
const sleepMs = 11_500

const sockets = 1000
const pingEveryMs = 5000
const idleMs = 15_000

/** The real client's own, five seconds after the last word. */
const ping = ['ping', {}] as const

async function inTurn<T>(count: number, make: () => Promise<T>): Promise<T[]> {
  const made: T[] = []
  for (let index = 0; index < count; index++) made.push(await make())
  return made
}

export const benchmarks: readonly Benchmark[] = [
  {
    id: 'S9',
    name: `memory of an idle tab, over ${tabs} of ${people} users`,
    unit: 'KB',
    run: async ({ product }) => {
      const { url, pid } = await product()
      const server = workerdOf(pid)
      // The heap grows in steps; the first hundreds pay for room that the next ones use.
      const warm = await crowd(await newGuests(url, people), tabs, true)
      const guests = await newGuests(url, people)
      // Their objects are awake and know their rows: what is counted is one tab more.
      const firsts = await Promise.all(guests.map((guest) => connect(guest)))
      const [before, startCpu] = [memoryKb(server), cpuMs(server)]
      const clients = await crowd(guests, tabs, true)
      const awake = (memoryKb(server) - before) / tabs
      const connecting = (cpuMs(server) - startCpu) / tabs
      await sleep(sleepMs)
      const asleep = (memoryKb(server) - before) / tabs
      await closeAll(...firsts, ...warm, ...clients)
      const floor = await withFloor(async ({ pid: floorPid, connect: open }) => {
        const earlier = await inTurn(tabs, () => open('echo', 'idle'))
        const floorBefore = memoryKb(floorPid)
        const opened = await inTurn(tabs, () => open('echo', 'idle'))
        const each = (memoryKb(floorPid) - floorBefore) / tabs
        for (const socket of [...earlier, ...opened]) socket.close()
        return each
      })
      return [
        { at: 'awake', value: awake, floor, mustHold: { most: 50 } },
        { at: 'after 11 s of silence', value: asleep, floor, moonshot: { most: 40 } },
        { at: 'CPU of connecting one more', value: connecting, floor: null, unit: 'ms' },
      ]
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

/** Server microseconds for each ping and its answer. */
async function pinging(server: number, pingAll: () => void): Promise<number> {
  const before = cpuMs(server)
  const rounds = idleMs / pingEveryMs
  for (let round = 0; round < rounds; round++) {
    pingAll()
    await sleep(pingEveryMs)
  }
  return ((cpuMs(server) - before) * 1000) / (rounds * sockets)
}

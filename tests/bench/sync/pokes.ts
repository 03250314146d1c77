/** The server's cost of one change per receiving client, the bytes sent to each, and the time until the last one has it. */
import type { Benchmark, Point } from '../../../scripts/lib/benchmark.ts'
import { newGuest } from '../../support/guest.ts'
import type { WireClient } from '../../support/wire-client.ts'
import { closeAll, connect, crowd, nickname, pageQueries, showsNickname, tabsOfOne, thread, untilWhole } from '../clients.ts'
import { type Floor, payload, withFloor } from '../floor.ts'
import { threadIdOf, withHistories } from '../history.ts'
import { cpuPerPoke } from '../poke-cost.ts'
import { cpuMs, workerdOf } from '../process.ts'
import { interleave, pointOf, timeEach } from '../sample.ts'

const blocks = 5
const watchers = 10
const writesPerBlock = 100

async function floorCpu(floor: Floor, sockets: readonly WebSocket[]): Promise<number> {
  const before = cpuMs(floor.pid)
  for (let index = 0; index < writesPerBlock; index++) await echoToAll(sockets)
  return (cpuMs(floor.pid) - before) / (writesPerBlock * sockets.length)
}

async function echoToAll(sockets: readonly WebSocket[]): Promise<void> {
  const received = sockets.map((socket) => new Promise((resolve) => socket.addEventListener('message', resolve, { once: true })))
  sockets[0]?.send(payload)
  await Promise.all(received)
}

const openSockets = (floor: Floor, kind: 'echo' | 'record', count: number) =>
  Promise.all(Array.from({ length: count }, () => floor.connect(kind, `${kind}-of-${count}`)))

/** Bytes sent to another device for one write. */
async function bytesOf(writer: WireClient, reader: WireClient, name: string, args: unknown): Promise<number> {
  const before = reader.received.bytes
  const poked = reader.next(([tag]) => tag === 'pokeEnd')
  await writer.confirmed(writer.push(name, args))
  await poked
  return reader.received.bytes - before
}

const histories = [100, 1000, 10_000, 100_000]

export const benchmarks: readonly Benchmark[] = [
  {
    id: 'S10',
    name: `server CPU of a poke, ${watchers} watchers`,
    unit: 'ms',
    run: () =>
      withHistories(
        histories.map((messages) => ({ threads: Math.min(1000, messages / 20), messages, newest: 20 })),
        async (product, guests) => {
          const server = workerdOf(product.pid)
          const rooms: { readonly writer: WireClient; readonly readers: readonly WireClient[] }[] = []
          for (const guest of guests) {
            await untilWhole(guest)
            rooms.push({ writer: await connect(guest), readers: await crowd([guest], watchers) })
          }
          const points = await withFloor(async (floor) => {
            const sockets = await openSockets(floor, 'record', watchers + 1)
            const sides = Object.fromEntries([
              ['floor', async () => [await floorCpu(floor, sockets)]],
              ...rooms.map(({ writer, readers }, at) => [
                String(histories[at]),
                async (block: number) => [
                  await cpuPerPoke(server, writer, readers, { from: block * writesPerBlock, writes: writesPerBlock }),
                ],
              ]),
            ]) as { readonly [side: string]: (block: number) => Promise<number[]> }
            const taken = await interleave(blocks, sides)
            return histories.map((messages) =>
              pointOf(`${messages} messages`, taken[messages] ?? [], taken.floor ?? [], {
                mustHold: { most: 0.2 },
                moonshot: { most: 0.1 },
              }),
            )
          })
          for (const { writer, readers } of rooms) await closeAll(writer, ...readers)
          const slope = (points.at(-1)?.value ?? 0) / (points[0]?.value ?? 1)
          return [...points, { at: 'most messages over fewest', value: slope, floor: 1, unit: 'x', mustHold: { most: 1.25 } }]
        },
      ),
  },
  {
    id: 'S11',
    name: 'bytes of a change of one row, to another client',
    unit: 'B',
    run: () =>
      withHistories(
        [10, 1000].map((threads) => ({ threads, messages: threads * 20 })),
        async (_product, guests) => {
          const points: Point[] = []
          for (const [index, guest] of guests.entries()) {
            const threads = [10, 1000][index] ?? 0
            await untilWhole(guest)
            const open = thread(threadIdOf(guest, threads - 1))
            const [writer, reader] = [await connect(guest, [...pageQueries, open]), await connect(guest, [...pageQueries, open])]
            const threadId = threadIdOf(guest, threads - 1)
            const renamed = await bytesOf(writer, reader, 'threads.rename', { threadId, title: 'Renamed', at: Date.now() })
            const set = await bytesOf(writer, reader, 'settings.update', nickname(1))
            points.push({
              at: `a thread renamed, of ${threads}`,
              value: renamed,
              floor: 90,
              mustHold: { most: 300 },
              moonshot: { most: 250 },
            })
            points.push({
              at: `a setting changed, of ${threads} threads`,
              value: set,
              floor: 90,
              mustHold: { most: 300 },
              moonshot: { most: 250 },
            })
            await closeAll(writer, reader)
          }
          return points
        },
      ),
  },
  {
    id: 'S12',
    name: 'a change at the last of many sockets of one user',
    unit: 'ms',
    run: async ({ product }) => {
      const { url } = await product()
      const points: Point[] = []
      for (const [count, bounds] of [
        [10, {}],
        [50, {}],
        // The maximum number of tabs of a user.
        [tabsOfOne, { mustHold: { most: 15 } }],
      ] as const) {
        const guest = await newGuest(url)
        const [writer, readers] = [await connect(guest), await crowd([guest], count, true)]
        let written = 0
        const taken = await withFloor(async (floor) => {
          const sockets = await openSockets(floor, 'record', count + 1)
          return interleave(blocks, {
            floor: () => timeEach(10, () => echoToAll(sockets), 2),
            ours: () =>
              timeEach(
                10,
                async () => {
                  const index = ++written
                  const received = Promise.all(readers.map((reader) => showsNickname(reader, index)))
                  await writer.confirmed(writer.push('settings.update', nickname(index)))
                  await received
                },
                2,
              ),
          })
        })
        points.push(pointOf(`${count} sockets, p50`, taken.ours, taken.floor, bounds))
        await closeAll(writer, ...readers)
      }
      return points
    },
  },
]

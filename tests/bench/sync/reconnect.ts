/** Reconnecting: to an awake object without changes, and to a hibernating one with a pending write. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Benchmark, Point } from '../../../scripts/lib/benchmark.ts'
import { type Guest, newGuest } from '../../support/guest.ts'
import { connectWire, type WireClient } from '../../support/wire-client.ts'
import { closeAll, connect, nickname, pageQueries, showsNickname, untilWhole } from '../clients.ts'
import { type Floor, payload, roundTrip, withFloor } from '../floor.ts'
import { withHistories } from '../history.ts'
import { interleave, pointOf, timeEach } from '../sample.ts'

const blocks = 5
/** A block has 5 connects to warm up, and `connectBurst` (100) limits those of a user. */
const perBlock = 12

const floorConnects = (floor: Floor): Promise<number[]> =>
  timeEach(perBlock, async () => {
    const socket = await floor.connect('echo', 'reconnect')
    await roundTrip(socket, payload)
    socket.close()
  })

async function warmReconnects(guest: Guest) {
  await untilWhole(guest)
  const client = await connect(guest, pageQueries)
  const token = await guest.token()
  const { clientGroupID, clientID } = client
  const baseCookie = client.cookie()
  await client.close()
  let bytes = 0
  let rows = 0
  const times = () =>
    timeEach(perBlock, async () => {
      const again = await connectWire({ guest, token, clientGroupID, clientID, baseCookie })
      bytes = again.received.bytes
      rows += again.received.rows
      await again.close()
    })
  return { times, counts: () => ({ bytes, rows }) }
}

const histories = [100, 1000, 10_000, 100_000]

/** Platform: an object hibernates after ten idle seconds. */
const sleepMs = 11_500
const sleepers = 24

type Pair = { readonly writer: WireClient; readonly reader: WireClient }

export const benchmarks: readonly Benchmark[] = [
  {
    id: 'S7',
    name: 'warm reconnect, nothing changed',
    unit: 'ms',
    run: () =>
      withHistories(
        histories.map((messages) => ({ threads: Math.min(1000, messages / 20), messages })),
        async (_product, guests) => {
          const visits = await Promise.all(guests.map(warmReconnects))
          const [smallest, , , largest] = visits
          if (!smallest || !largest) throw new Error('there are four histories')
          const taken = await withFloor((floor) =>
            interleave(blocks, {
              floor: () => floorConnects(floor),
              ...Object.fromEntries(visits.map(({ times }, index) => [`of ${histories[index]}`, times])),
            } as { readonly [side: string]: () => Promise<number[]> }),
          )
          const floor = taken.floor ?? []
          const times = visits.map((_, index) => taken[`of ${histories[index]}`] ?? [])
          const points = times.map((each, index) => pointOf(`${histories[index]} messages, p50`, each, floor, { moonshot: { most: 4 } }))
          const counts = visits.map((visit) => visit.counts())
          return [
            ...points,
            {
              at: 'most messages over fewest',
              value: (points.at(-1)?.value ?? 0) / (points[0]?.value ?? 1),
              floor: 1,
              unit: 'x',
              mustHold: { most: 1.25 },
            },
            { at: 'bytes', value: Math.max(...counts.map(({ bytes }) => bytes)), floor: null, unit: 'B', mustHold: { most: 200 } },
            { at: 'rows', value: Math.max(...counts.map(({ rows }) => rows)), floor: null, unit: '', mustHold: { most: 0 } },
          ]
        },
      ),
  },
  {
    id: 'S8',
    name: 'first mutation after a sleep',
    unit: 'ms',
    run: async ({ product }) => {
      const { url } = await product()
      const pairs: Pair[] = []
      for (let index = 0; index < sleepers; index++) {
        const guest = await newGuest(url)
        pairs.push({ writer: await connect(guest), reader: await connect(guest) })
      }
      const write = async ({ writer, reader }: Pair, index: number) => {
        const startMs = performance.now()
        const seen = showsNickname(reader, index)
        writer.push('settings.update', nickname(index))
        await seen
        return performance.now() - startMs
      }
      const points = await withFloor(async (floor): Promise<Point[]> => {
        const sockets = await Promise.all(pairs.map(() => floor.connect('record')))
        for (const socket of sockets) await roundTrip(socket, payload)
        const awake: number[] = []
        for (const [index, pair] of pairs.entries()) awake.push(await write(pair, index))
        await sleep(sleepMs)
        const [ours, floors]: [number[], number[]] = [[], []]
        for (const [index, pair] of pairs.entries()) {
          const socket = sockets[index]
          const startMs = performance.now()
          if (socket) await roundTrip(socket, payload)
          floors.push(performance.now() - startMs)
          ours.push(await write(pair, index + sleepers))
        }
        for (const socket of sockets) socket.close()
        return [
          pointOf('p50', [ours], [floors], { mustHold: { most: 15 } }),
          pointOf('p99', [ours], [floors], { share: 0.99 }),
          pointOf('awake, p50', [awake], null),
        ]
      })
      await closeAll(...pairs.flatMap(({ writer, reader }) => [writer, reader]))
      return points
    },
  },
]

/** Mutations per second: the maximum of one user's object, and the delays at a given rate over several users. */
import type { Benchmark } from '../../../scripts/lib/benchmark.ts'
import type { WireClient } from '../../support/wire-client.ts'
import { closeAll, meet, nickname } from '../clients.ts'
import { type Floor, payload, withFloor } from '../floor.ts'
import { interleave, percentile, pointOf } from '../sample.ts'

const pipelined = 1000
const blocks = 5

const pushesPerSecond = async (writer: WireClient): Promise<number> => {
  const startMs = performance.now()
  let last = 0
  for (let index = 0; index < pipelined; index++) last = writer.push('settings.update', nickname(index))
  await writer.confirmed(last)
  return pipelined / ((performance.now() - startMs) / 1000)
}

/** One batch per frame: shows the benefit of grouping frames. */
const floorPushesPerSecond = async (floor: Floor): Promise<number> => {
  const socket = await floor.connect('record')
  let answers = 0
  const startMs = performance.now()
  const all = new Promise<void>((resolve) => {
    socket.addEventListener('message', () => {
      if (++answers === pipelined) resolve()
    })
  })
  for (let index = 0; index < pipelined; index++) socket.send(payload)
  await all
  const seconds = (performance.now() - startMs) / 1000
  socket.close()
  return pipelined / seconds
}

const users = 8
const offeredForMs = 4000

/** Open loop: a write is sent when it is due, however late the earlier ones are. Returns milliseconds from due to confirmed. */
const delaysAt = async (writers: readonly WireClient[], perSecond: number): Promise<number[]> => {
  const delays: number[] = []
  const waiting: Promise<void>[] = []
  const startMs = performance.now()
  const count = (perSecond * offeredForMs) / 1000
  for (let index = 0; index < count; ) {
    const nowMs = performance.now() - startMs
    for (; index < count && (index * 1000) / perSecond <= nowMs; index++) {
      const writer = writers[index % writers.length]
      const dueMs = startMs + (index * 1000) / perSecond
      const confirmed = writer?.confirmed(writer.push('settings.update', nickname(index)))
      waiting.push(Promise.resolve(confirmed).then(() => void delays.push(performance.now() - dueMs)))
    }
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
  await Promise.all(waiting)
  return delays
}

export const benchmarks: readonly Benchmark[] = [
  {
    id: 'S3',
    name: 'pipelined pushes of one user',
    unit: '/s',
    run: async ({ product }) => {
      const { writer, reader } = await meet((await product()).url)
      await pushesPerSecond(writer)
      const taken = await withFloor((floor) =>
        interleave(blocks, { ours: async () => [await pushesPerSecond(writer)], floor: async () => [await floorPushesPerSecond(floor)] }),
      )
      await closeAll(writer, reader)
      return [pointOf(`${pipelined} pushes`, taken.ours, taken.floor, { mustHold: { least: 1500 }, moonshot: { least: 2000 } })]
    },
  },
  {
    id: 'S13',
    name: `sustained rate, ${users} users, ${offeredForMs / 1000} s each`,
    unit: 'ms',
    run: async ({ product }) => {
      const { url } = await product()
      const met = await Promise.all(Array.from({ length: users }, () => meet(url)))
      const writers = met.map(({ writer }) => writer)
      await delaysAt(writers, 100)
      const points = []
      for (const perSecond of [250, 500, 1000]) {
        const delays = await delaysAt(writers, perSecond)
        const half = delays.length / 2
        // Falling behind makes the second half slower than the first.
        const slope = percentile(delays.slice(half), 0.5) / percentile(delays.slice(0, half), 0.5)
        points.push({ at: `${perSecond} writes/s, p99`, value: percentile(delays, 0.99), floor: null, moonshot: { most: 50 } })
        points.push({ at: `${perSecond} writes/s, second half over first`, value: slope, floor: null, unit: 'x' })
      }
      await closeAll(...met.flatMap(({ writer, reader }) => [writer, reader]))
      return points
    },
  },
]

/** A browser without rows, for histories of different lengths. The object has its rows, unless the figure's name contains "new". */
import type { Benchmark, Point } from '../../../scripts/lib/benchmark.ts'
import type { Guest } from '../../support/guest.ts'
import { messageWindow } from '../../support/message-windows.ts'
import { freePort } from '../../support/ports.ts'
import type { Query } from '../../support/wire-client.ts'
import { connect, me, pageQueries, thread, untilWhole } from '../clients.ts'
import { type Floor, withFloor } from '../floor.ts'
import { threadIdOf, withHistories } from '../history.ts'
import { isolatesAt } from '../isolates.ts'
import { interleave, pointOf, timeEach } from '../sample.ts'

const blocks = 5
/** Each connect is a new client group, and `newClientGroupBurst` (20) limits those of a user: 5 blocks of 3, and 3 connects before them. */
const connectsPerBlock = 3

/** Tokens are created in advance, because a page receives its token with the HTML. */
const timeConnects = async (guest: Guest, queries: readonly Query[], count: number) => {
  let received = { bytes: 0, rows: 0 }
  const times = await timeEach(
    count,
    async () => {
      const client = await connect(guest, queries)
      received = client.received
      await client.close()
    },
    0,
  )
  return { times, received }
}

const timeRows = (floor: Floor, rows: number, count: number): Promise<number[]> =>
  timeEach(
    count,
    async () => {
      const socket = await floor.connect('rows', 'rows')
      const done = new Promise<void>((resolve) => socket.addEventListener('message', ({ data }) => data === 'done' && resolve()))
      socket.send(String(rows))
      await done
      socket.close()
    },
    0,
  )

async function curve(
  name: string,
  guest: Guest,
  queries: readonly Query[],
  perBlock: number,
  bounds: Omit<Point, 'at' | 'value' | 'floor'>,
) {
  const newMs = (await timeConnects(guest, queries, 1)).times[0] ?? Number.NaN
  await untilWhole(guest)
  const { received } = await timeConnects(guest, queries, 1)
  const taken = await withFloor(async (floor) => {
    await timeRows(floor, received.rows, 1)
    return interleave(blocks, {
      ours: async () => (await timeConnects(guest, queries, perBlock)).times,
      floor: () => timeRows(floor, received.rows, perBlock),
    })
  })
  const at = `${name}: ${received.rows} rows, ${Math.round(received.bytes / 1000)} KB`
  return [pointOf(at, taken.ours, taken.floor, bounds), { at: `${name}, new object`, value: newMs, floor: null }]
}

/** The maximum of `sample` during `run`. */
async function mostWhile(sample: () => Promise<number>, run: () => Promise<unknown>): Promise<number> {
  let most = 0
  let isRunning = true
  const ended = run().finally(() => {
    isRunning = false
  })
  while (isRunning) most = Math.max(most, await sample())
  await ended
  return most
}

/** The idle heap of the Worker's isolate, and the growth that a load may cause. */
const idleHeapMb = 10
const loadHeapMb = 24

/**
 * The growth of the Worker's heap while one user's rows are sent, in megabytes, including garbage. V8 delays collection while there is
 * space, so the heap is limited to the target: a load that needs more ends workerd and this run. A separate run, because the small heap and
 * the inspector cost time.
 */
async function heapOfLoading(messages: number): Promise<Point[]> {
  const inspectorPort = await freePort()
  return withHistories(
    [{ threads: 1000, messages, newest: messages }],
    async (_product, [guest]) => {
      if (!guest) throw new Error('a user is required')
      const isolates = await isolatesAt(inspectorPort)
      const load = async () => {
        const client = await connect(guest, wholeThread(guest, messages))
        // A new object continues to read after its first poke.
        while (client.received.rows < messages) await client.next(([tag]) => tag === 'pokePart')
        await client.close()
      }
      const points: Point[] = []
      for (const what of ['heap', 'heap, new object'].reverse()) {
        await isolates.collect()
        const before = await isolates.heapKb()
        const value = ((await mostWhile(isolates.heapKb, load)) - before) / 1024
        points.unshift({ at: `${what}, ${messages} messages`, value, floor: null, unit: 'MB', mustHold: { most: loadHeapMb } })
      }
      isolates.close()
      return points
    },
    { INSPECTOR_PORT: String(inspectorPort), MINIFLARE_WORKERD_V8_FLAGS: `--max-heap-size=${idleHeapMb + loadHeapMb}` },
  )
}

const threads1000: Query = { hash: 'list', name: 'threads.list', args: [{ limit: 1000 }] }

/** The newest thread with this many of its messages. */
const newestThread = (guest: Guest, messages: number): readonly Query[] => {
  const id = threadIdOf(guest, 999)
  return [thread(id), messageWindow(id, messages)]
}
const wholeThread = (guest: Guest, messages: number) => [me, threads1000, ...newestThread(guest, messages)]

const lists = [100, 1000, 5000]
const histories = [1000, 5000, 20_000]

export const benchmarks: readonly Benchmark[] = [
  {
    id: 'S4',
    name: 'cold connect, thread list',
    unit: 'ms',
    run: () =>
      withHistories(
        lists.map((threads) => ({ threads, messages: 0 })),
        async (_product, guests) => {
          const points: Point[] = []
          for (const [index, guest] of guests.entries()) {
            const limit = lists[index] ?? 0
            const list: Query = { hash: 'list', name: 'threads.list', args: [{ limit }] }
            points.push(
              ...(await curve(`${limit} threads`, guest, [me, list], connectsPerBlock, limit === 1000 ? { moonshot: { most: 15 } } : {})),
            )
          }
          return points
        },
      ),
  },
  {
    id: 'S5',
    name: 'cold connect, messages of one thread and 1000 threads',
    unit: 'ms',
    run: async () => {
      const times = await withHistories(
        histories.map((messages) => ({ threads: 1000, messages, newest: messages })),
        async (_product, guests) => {
          const points: Point[] = []
          for (const [index, guest] of guests.entries()) {
            const isLargest = index === histories.length - 1
            const bounds = isLargest ? { mustHold: { most: 250 }, moonshot: { timesFloor: 4.5 } } : {}
            const queries = wholeThread(guest, histories[index] ?? 0)
            points.push(...(await curve(`${histories[index]} messages`, guest, queries, 1, bounds)))
          }
          return points
        },
      )
      const heaps: Point[] = []
      for (const messages of histories) heaps.push(...(await heapOfLoading(messages)))
      return [...times, ...heaps]
    },
  },
  {
    id: 'S6',
    name: 'first screen: 50 threads and 50 messages',
    unit: 'ms',
    run: () =>
      withHistories(
        histories.map((messages) => ({ threads: 1000, messages, newest: 50 })),
        async (_product, guests) => {
          const points: Point[] = []
          for (const [index, guest] of guests.entries()) {
            const queries = [...pageQueries, ...newestThread(guest, 50)]
            points.push(...(await curve(`of ${histories[index]}`, guest, queries, connectsPerBlock, { moonshot: { most: 8 } })))
          }
          return points
        },
      ),
  },
]

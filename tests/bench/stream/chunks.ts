/** The cost of a chunk on its way from the provider to the reader and into the object, and the storage used by a long answer. */
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Benchmark, Point } from '../../../scripts/lib/benchmark.ts'
import { newId } from '../clients.ts'
import { type Floor, withFloor } from '../floor.ts'
import { cpuMs, workerdOf } from '../process.ts'
import { figure, interleave, pointOf } from '../sample.ts'
import type { Provider } from './provider.ts'
import { type Asker, newAsker, providerWord, type Reading, reading, withProvider } from './turns.ts'

const blocks = 4
/** Chosen: the pace of most models. */
const wordsPerSecond = 50
const streams = 100
const delayBlocks = 3
/** The pace of the fastest models, alone, and of most models, many at once. Two lengths: their difference consists of chunks only. */
const paces = [
  { at: '1000 a second', count: 1, everyMs: 1, short: 100, long: 2100 },
  { at: `${streams} streams of ${wordsPerSecond}/s`, count: streams, everyMs: 1000 / wordsPerSecond, short: 50, long: 250 },
] as const

async function serverCpuOf(pid: number, turn: () => Promise<void>): Promise<number> {
  const before = cpuMs(pid)
  await turn()
  return cpuMs(pid) - before
}

/** Microseconds per chunk. */
async function perChunk(
  provider: Provider,
  pid: number,
  { everyMs, short, long }: (typeof paces)[number],
  streams: readonly (() => Promise<void>)[],
): Promise<number[]> {
  const turns = async () => void (await Promise.all(streams.map((turn) => turn())))
  provider.pace = { words: short, everyMs }
  const little = await serverCpuOf(pid, turns)
  provider.pace = { words: long, everyMs }
  const much = await serverCpuOf(pid, turns)
  return [((much - little) * 1000) / (long - short) / streams.length]
}

/** The minimum cost of a server on this platform that parses the answer. */
async function relayTurn(floor: Floor, provider: Provider): Promise<Reading> {
  const socket = await floor.connect('relay')
  const name = newId('generation')
  socket.send(JSON.stringify({ name, peerUrl: `${provider.url}/language-model` }))
  const stream = await reading(() => fetch(`${floor.url}/read?name=${name}`), providerWord)
  await stream.untilEnd()
  socket.close()
  return stream
}

async function newAskers(url: string, count: number): Promise<Asker[]> {
  const askers: Asker[] = []
  while (askers.length < count) askers.push(await newAsker(url))
  return askers
}

async function turnOf(asker: Asker): Promise<void> {
  const turn = asker.ask()
  await (await asker.read(turn)).untilEnd()
  await turn.ready
}

/** Stored rows of each answer in its object. */
function segments(stateDir: string): number[] {
  return globSync('**/*.sqlite', { cwd: stateDir }).flatMap((file) => {
    const database = new DatabaseSync(join(stateDir, file))
    try {
      const found = database.prepare("select 1 from sqlite_master where name = 'segment'").get()
      return found
        ? database
            .prepare('select count(*) n from segment having n > 0')
            .all()
            .map(({ n }) => Number(n))
        : []
    } finally {
      database.close()
    }
  })
}

export const benchmarks: readonly Benchmark[] = [
  {
    id: 'T2',
    name: 'a chunk, stored and passed on',
    unit: 'µs CPU',
    run: () =>
      withProvider({ words: 100 }, async (product, provider) => {
        const server = workerdOf(product.pid)
        const points = await withFloor(async (floor) => {
          await relayTurn(floor, provider)
          const found: Point[] = []
          for (const pace of paces) {
            const askers = await newAskers(product.url, pace.count)
            provider.pace = { words: pace.short, everyMs: pace.everyMs }
            await Promise.all(askers.map(turnOf))
            const relayTurns = askers.map(() => async () => void (await relayTurn(floor, provider)))
            const taken = await interleave(blocks, {
              relay: () => perChunk(provider, floor.pid, pace, relayTurns),
              ours: () =>
                perChunk(
                  provider,
                  server,
                  pace,
                  askers.map((asker) => () => turnOf(asker)),
                ),
            })
            await Promise.all(askers.map(({ client }) => client.close()))
            found.push(pointOf(`CPU, ${pace.at}, beside a bare relay`, taken.ours, taken.relay, { mustHold: { timesFloor: 3 } }))
          }
          return found
        })
        const delaysAt = (pace: (typeof paces)[number]) =>
          withFloor((floor) =>
            interleave(delayBlocks, {
              // The isolate of a server that parses answers pauses for garbage collection, and every stream waits.
              relay: () =>
                delaysOf(provider, pace, () => Promise.all(Array.from({ length: pace.count }, () => relayTurn(floor, provider)))),
              ours: () => delaysOf(provider, pace, () => manyTurns(product.url, pace.count)),
            }),
          )
        const [one, many] = [await delaysAt(paces[0]), await delaysAt(paces[1])]
        const delay = ({ ours, relay }: typeof one, share: number) => ({
          value: figure(ours, share),
          floor: figure(relay, share),
          unit: 'ms',
        })
        return [
          ...points,
          // The streams hold: no word falls behind by more than the reader of a fast answer would notice.
          { ...delay(one, 0.99), at: `delay, ${paces[0].at}, p99, beside a bare relay`, mustHold: { most: 1000 } },
          { ...delay(many, 0.5), at: `delay, ${paces[1].at}, p50, beside a bare relay` },
          { ...delay(many, 0.9), at: 'delay, p90' },
          { ...delay(many, 0.99), at: 'delay, p99', mustHold: { most: 1000 } },
        ]
      }),
  },
  {
    id: 'T7',
    name: 'rows that an answer leaves in its object',
    unit: 'rows',
    run: () =>
      withProvider({ words: 1000 }, async (product, provider) => {
        const points: Point[] = []
        for (const everyMs of [0, 5, 20]) {
          provider.pace = { words: 1000, everyMs }
          const asker = await newAsker(product.url)
          await turnOf(asker)
          await asker.client.close()
          const most = Math.max(...segments(product.stateDir))
          points.push({
            at: `1000 chunks, ${everyMs === 0 ? 'at once' : `${1000 / everyMs} a second`}`,
            value: most,
            floor: 1,
            mustHold: { most: 20 },
          })
        }
        return points
      }),
  },
]

/** The latency of each word in milliseconds, over all answers of the pace. */
async function delaysOf(
  provider: Provider,
  { long, everyMs }: (typeof paces)[number],
  read: () => Promise<readonly Reading[]>,
): Promise<number[]> {
  provider.pace = { words: long, everyMs }
  // The first words wait until all requests are sent.
  return (await read()).flatMap(({ words }) => words.slice(50).map(({ receivedAtMs, providerSentAtMs }) => receivedAtMs - providerSentAtMs))
}

/** One turn for each of as many users. */
async function manyTurns(url: string, count: number): Promise<readonly Reading[]> {
  const askers = await newAskers(url, count)
  const readings = await Promise.all(askers.map((asker) => asker.read(asker.ask())))
  await Promise.all(readings.map((stream) => stream.untilEnd()))
  await Promise.all(askers.map(({ client }) => client.close()))
  return readings
}

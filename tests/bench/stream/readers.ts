/** Several tabs of one answer, tabs that reconnect, and tabs that close. */
import type { Benchmark, Point } from '../../../scripts/lib/benchmark.ts'
import { maxStreamReaders } from '../../../worker/contract/limits.ts'
import { newId } from '../clients.ts'
import { type Floor, withFloor } from '../floor.ts'
import { interleave, pointOf, timeEach } from '../sample.ts'
import type { Provider } from './provider.ts'
import { type Asker, newAsker, type Turn, withProvider } from './turns.ts'

/** An answer has at most `maxStreamReaders`. */
const tabs = [1, 10, maxStreamReaders]
const spreadWords = 60

/** Milliseconds between the first and the last tab that receives a word, for each word. */
async function spreads(asker: Asker, provider: Provider, count: number): Promise<number[]> {
  provider.pace = { words: spreadWords, everyMs: 20, thinkMs: 300 }
  const turn = asker.ask()
  const readings = await Promise.all(Array.from({ length: count }, () => asker.read(turn)))
  await Promise.all(readings.map((stream) => stream.untilEnd()))
  await turn.ready
  // A late tab may receive the first words together.
  return Array.from({ length: spreadWords - 10 }, (_, index) => {
    const receivedAtMs = readings.map(({ words }) => words[index + 10]?.receivedAtMs ?? Number.NaN)
    // With one tab: the latency of the word.
    return count === 1
      ? (receivedAtMs[0] ?? 0) - (readings[0]?.words[index + 10]?.providerSentAtMs ?? 0)
      : Math.max(...receivedAtMs) - Math.min(...receivedAtMs)
  })
}

/** The same with sockets of an object that does nothing else. */
const floorSpreads = (count: number): Promise<number[]> =>
  withFloor(async (floor) => {
    const sockets = await Promise.all(Array.from({ length: count }, () => floor.connect('echo', 'tabs')))
    const found: number[] = []
    for (let index = 0; index < spreadWords; index++) {
      const sentAtMs = performance.now()
      const arrivals = sockets.map(
        (socket) => new Promise<number>((resolve) => socket.addEventListener('message', () => resolve(performance.now()), { once: true })),
      )
      sockets[0]?.send('a word')
      const times = await Promise.all(arrivals)
      found.push(Math.max(...times) - (count === 1 ? sentAtMs : Math.min(...times)))
    }
    for (const socket of sockets) socket.close()
    return found
  })

const lengths = [100, 1000, 5000]
const blocks = 5
const resumes = 10

/** Disconnects at some point, resumes from there, and catches up with an answer that has paused. */
async function resumeIn(asker: Asker, turn: Turn, words: number, floor: Floor) {
  // A page that reconnects replaces its own reader.
  const readerId = newId('reader')
  const whole = await asker.read(turn, 0, readerId)
  await whole.untilWord(words)
  const last = whole.last()
  whole.stop()
  let again = 0
  const times = await interleave(blocks, {
    floor: () => timeEach(resumes, async () => void (await (await fetch(`${floor.url}/last?name=last`)).text())),
    ours: () =>
      timeEach(resumes, async () => {
        const back = await asker.read(turn, last - 1, readerId)
        await back.untilWord(1)
        again = Math.max(again, back.bytes())
        back.stop()
      }),
  })
  return { times, again, bytes: whole.bytes() }
}

export const benchmarks: readonly Benchmark[] = [
  {
    id: 'T3',
    name: 'a word at the last of many tabs, after the first',
    unit: 'ms',
    run: () =>
      withProvider({ words: spreadWords }, async (product, provider) => {
        const points: Point[] = []
        const asker = await newAsker(product.url)
        for (const count of tabs) {
          const ours = await spreads(asker, provider, count)
          const floor = await floorSpreads(count)
          const bounds = count === 10 ? { mustHold: { most: 2 } } : count === maxStreamReaders ? { mustHold: { most: 8 } } : {}
          points.push(pointOf(count === 1 ? '1 tab, after the provider' : `${count} tabs, p50`, [ours], [floor], bounds))
        }
        await asker.client.close()
        return points
      }),
  },
  {
    id: 'T4',
    name: 'resume one chunk behind',
    unit: 'ms',
    run: () =>
      withProvider({ words: 100 }, async (product, provider) => {
        const points: Point[] = []
        for (const words of lengths) {
          const asker = await newAsker(product.url)
          provider.pace = { words, isHeld: true }
          const turn = asker.ask()
          const { times, again, bytes } = await withFloor((floor) => resumeIn(asker, turn, words, floor))
          points.push(pointOf(`${words} chunks, p50`, times.ours, times.floor))
          points.push({ at: `${words} chunks, sent again of ${bytes} B`, value: again, floor: 0, unit: 'B', mustHold: { most: 4096 } })
          asker.client.push('threads.stop', { threadId: turn.threadId })
          await turn.ready
          await asker.client.close()
        }
        return points
      }),
  },
]

/** A stopped answer, and an answer whose server crashes. */
import type { Benchmark } from '../../../scripts/lib/benchmark.ts'
import { newId } from '../clients.ts'
import { withFloor } from '../floor.ts'
import { interleave, pointOf } from '../sample.ts'
import { newAsker, reading, turnsPerGuest, withProvider } from './turns.ts'

const blocks = 4
const kills = 4

export const benchmarks: readonly Benchmark[] = [
  {
    id: 'T6',
    name: `kill -9 in the middle of an answer, ${kills} times`,
    unit: 'ms',
    run: () =>
      withProvider({ words: 400 }, async (product, provider) => {
        const lost: number[] = []
        const until: number[] = []
        for (let index = 0; index < kills; index++) {
          provider.pace = { words: 400, everyMs: 5 }
          const asker = await newAsker(product.url)
          const turn = asker.ask()
          const stream = await asker.read(turn)
          await stream.untilWord(120 + 20 * index)
          const receivedBefore = stream.words.length
          await product.kill9()
          await stream.untilEnd().catch(() => undefined)
          await product.restart()
          const restartedMs = performance.now()
          // The reader finds the answer without a writer, which ends it.
          const back = await asker.read(turn)
          await back.untilEnd()
          until.push(performance.now() - restartedMs)
          lost.push(Math.max(0, receivedBefore - back.words.length) * 5)
        }
        return [
          { at: 'of the answer lost, most', value: Math.max(...lost), floor: 0, mustHold: { most: 250 } },
          { at: 'from restart to ended, most', value: Math.max(...until), floor: null, mustHold: { most: 10_000 } },
        ]
      }),
  },
  {
    id: 'T8',
    name: 'stop button to the provider',
    unit: 'ms',
    run: () =>
      withProvider({ words: 10_000, everyMs: 5 }, (product, provider) =>
        withFloor(async (floor) => {
          let further = 0
          const taken = await interleave(blocks, {
            floor: async () => {
              const times: number[] = []
              const [socket, halt] = [await floor.connect('turn'), await floor.connect('halt')]
              for (let index = 0; index < turnsPerGuest; index++) {
                const name = newId('generation')
                const asked = provider.next()
                socket.send(JSON.stringify({ name, peerUrl: `${provider.url}/language-model` }))
                const [call] = await Promise.all([asked, reading(() => fetch(`${floor.url}/read?name=${name}`))])
                await call.firstWordAtMs
                const startMs = performance.now()
                halt.send(JSON.stringify({ name }))
                times.push((await call.brokenOffAtMs) - startMs)
              }
              socket.close()
              halt.close()
              return times
            },
            ours: async () => {
              const times: number[] = []
              const asker = await newAsker(product.url)
              for (let index = 0; index < turnsPerGuest; index++) {
                const asked = provider.next()
                const turn = asker.ask()
                const [call, stream] = await Promise.all([asked, asker.read(turn)])
                await stream.untilWord(2)
                const startMs = performance.now()
                const sentBefore = call.sentWords()
                asker.client.push('threads.stop', { threadId: turn.threadId })
                times.push((await call.brokenOffAtMs) - startMs)
                further = Math.max(further, call.sentWords() - sentBefore)
                await turn.ready
              }
              await asker.client.close()
              return times
            },
          })
          return [
            pointOf('p50', taken.ours, taken.floor),
            pointOf('p99', taken.ours, taken.floor, { share: 0.99, mustHold: { most: 10 } }),
            { at: 'words sent meanwhile, of 200 a second, most', value: further, floor: 0, unit: '', mustHold: { most: 1 } },
          ]
        }),
      ),
  },
]

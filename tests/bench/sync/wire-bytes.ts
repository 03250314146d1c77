/** Bytes that the server sends on the wire: with compression, and to a client that does not offer it. */
import type { Benchmark, Point } from '../../../scripts/lib/benchmark.ts'
import { preloadedThreads } from '../../../worker/contract/preload-limits.ts'
import { metered, startWireMeter } from '../../support/wire-meter.ts'
import { connect, firstVisitQueries, untilWhole } from '../clients.ts'
import { type History, threadIdOf, withHistories } from '../history.ts'

const pasts: { readonly [name: string]: History } = {
  'a new account': { threads: 1, messages: 2 },
  '1,000 threads of 20 messages': { threads: 1000, messages: 20_000 },
}

export const benchmarks: readonly Benchmark[] = [
  {
    id: 'S16',
    name: 'bytes on the wire',
    unit: 'B',
    run: () =>
      withHistories(Object.values(pasts), async (product, guests) => {
        const points: Point[] = []
        for (const [index, name] of Object.keys(pasts).entries()) {
          const guest = guests[index]
          if (!guest) continue
          await untilWhole(guest)
          const { threads } = Object.values(pasts)[index] ?? { threads: 0 }
          const count = Math.min(threads, preloadedThreads)
          const preloadedIds = Array.from({ length: count }, (_, at) => threadIdOf(guest, threads - 1 - at))
          for (const isCompressed of [true, false]) {
            const at = `${name}, ${isCompressed ? 'compressed' : 'not compressed'}`
            const meter = await startWireMeter(product.port, { isCompressed })
            const client = await connect(metered(guest, meter), firstVisitQueries(preloadedIds))
            const firstVisitBytes = meter.receivedBytes()
            await client.confirmed(client.push('settings.update', { nickname: `first ${isCompressed}` }))
            const beforePoke = meter.receivedBytes()
            const threadId = threadIdOf(guest, 0)
            await client.confirmed(client.push('threads.rename', { threadId, title: `Renamed ${isCompressed}`, at: Date.now() }))
            points.push({ at: `first visit of ${at}`, value: firstVisitBytes, floor: null })
            points.push({ at: `poke of a changed row, ${at}`, value: meter.receivedBytes() - beforePoke, floor: null })
            await client.close()
            await meter.stop()
          }
        }
        return points
      }),
  },
]

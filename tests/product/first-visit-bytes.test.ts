// The data that a new browser of a user with many threads receives: the first visit in compressed bytes, and the texts that load afterwards.
import { expect, test } from 'vitest'
import { offlineThreads, preloadedMessages, preloadedThreads } from '../../worker/contract/preload-limits.ts'
import { connect, firstVisitQueries, me, untilWhole } from '../bench/clients.ts'
import { threadIdOf, withHistories } from '../bench/history.ts'
import type { Guest } from '../support/guest.ts'
import { metered, startWireMeter } from '../support/wire-meter.ts'

test('the first visit with 1,000 threads receives at most 40 KB; texts of 200 threads follow in slices that repeat nothing', async () => {
  await withHistories([{ threads: 1000, messages: 20_000 }], async (product, [guest]) => {
    if (!guest) throw new Error('a guest was created')
    await untilWhole(guest)
    const meter = await startWireMeter(product.port)
    const preloadedIds = Array.from({ length: preloadedThreads }, (_, index) => threadIdOf(guest, 999 - index))
    const client = await connect(metered(guest, meter), firstVisitQueries(preloadedIds))
    expect(client.received.rows).toBeGreaterThan(50 + preloadedThreads * preloadedMessages)
    expect(meter.receivedBytes()).toBeLessThan(40_000)
    await client.close()
    await textsInSlices(guest)
    await meter.stop()
  })
})

/** Each slice has the texts of further threads and repeats nothing; a browser that has a slice receives nothing for it. */
async function textsInSlices(guest: Guest): Promise<void> {
  const client = await connect(guest, [me])
  let [heldThreads, heldRows] = [0, client.received.rows]
  for (const limit of offlineThreads) {
    const query = { hash: `whole-${limit}`, name: 'threads.whole', args: [{ limit }] }
    const poked = client.next(([tag]) => tag === 'pokeEnd')
    client.send(['changeDesiredQueries', { desiredQueriesPatch: [{ op: 'put', ttl: 600_000, ...query }] }])
    await poked
    // A thread and its 20 messages.
    expect(client.received.rows - heldRows).toBe((limit - heldThreads) * 21)
    ;[heldThreads, heldRows] = [limit, client.received.rows]
  }
  await client.close()
}

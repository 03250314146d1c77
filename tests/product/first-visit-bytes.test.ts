// Counts the compressed bytes that the first visit of a user with many threads receives.
import { expect, test } from 'vitest'
import { preloadedMessages, preloadedThreads } from '../../worker/contract/limits.ts'
import { connect, firstVisitQueries, untilWhole } from '../bench/clients.ts'
import { threadIdOf, withHistories } from '../bench/history.ts'
import { metered, startWireMeter } from '../support/wire-meter.ts'

test('the first visit with 1,000 threads receives at most 40 KB', async () => {
  await withHistories([{ threads: 1000, messages: 20_000 }], async (product, [guest]) => {
    if (!guest) throw new Error('a guest was created')
    await untilWhole(guest)
    const meter = await startWireMeter(product.port)
    const preloadedIds = Array.from({ length: preloadedThreads }, (_, index) => threadIdOf(guest, 999 - index))
    const client = await connect(metered(guest, meter), firstVisitQueries(preloadedIds))
    expect(client.received.rows).toBeGreaterThan(50 + preloadedThreads * preloadedMessages)
    expect(meter.receivedBytes()).toBeLessThan(40_000)
    await client.close()
    await meter.stop()
  })
})

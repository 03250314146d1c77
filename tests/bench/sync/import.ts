/** Import of a file of ChatGPT's form: reading it, and writing its threads through the socket, one batch after the other as the page does. */
import type { Benchmark } from '../../../scripts/lib/benchmark.ts'
import { importBatches } from '../../../web/features/account/import/import-batches.ts'
import { newAccount } from '../../support/account.ts'
import { jsonFile, manyConversations } from '../../support/import-files.ts'
import { connect } from '../clients.ts'

const threads = 2_000
/** 8 messages a thread: a free account stores 20,000 threads and messages. */
const turns = 4

export const benchmarks: readonly Benchmark[] = [
  {
    id: 'S18',
    name: `import of ${threads} threads with ${2 * turns} messages each`,
    unit: 's',
    async run(context) {
      const { url } = await context.product()
      const account = await newAccount(url, `import-${Date.now()}@example.com`)
      const client = await connect(account)
      const file = jsonFile(manyConversations(threads, turns))
      const batchesOf = () => importBatches({ files: [file], userId: account.userId, nowMs: () => Date.now() })
      const readAt = performance.now()
      for await (const _batch of batchesOf());
      const readMs = performance.now() - readAt
      const begunAt = performance.now()
      for await (const batch of batchesOf()) await client.confirmed(client.push('threads.import', { threads: batch.threads }))
      const totalMs = performance.now() - begunAt
      await client.close()
      return [
        { at: 'read', value: readMs / 1000, floor: null },
        { at: 'read and written', value: totalMs / 1000, floor: null, mustHold: { most: 60 } },
      ]
    },
  },
]

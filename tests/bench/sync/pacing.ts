/** The effect of accounts that import on the mutations of another user: alternating blocks without, with one and with four of them. */
import type { Benchmark, Point } from '../../../scripts/lib/benchmark.ts'
import { type ImportBatch, importBatches } from '../../../web/features/account/import/import-batches.ts'
import { newAccount } from '../../support/account.ts'
import { newGuest } from '../../support/guest.ts'
import { jsonFile, manyConversations } from '../../support/import-files.ts'
import { closeAll, connect, nickname } from '../clients.ts'
import { type Blocks, interleave, pointOf, timeEach } from '../sample.ts'

const blocks = 3
const perBlock = 150
/** A free account stores 20,000 threads and messages. */
const [threads, turns] = [2_000, 4]

let made = 0

type Importer = { readonly isDone: () => boolean; readonly stop: () => Promise<number> }

/** Sends batch after batch without a pause, like a script that ignores the page's rules. `stop` resolves with the imported messages. */
async function importWithoutPause(url: string): Promise<Importer> {
  const account = await newAccount(url, `pacing-${Date.now()}-${++made}@example.com`)
  const client = await connect(account)
  const request = { files: [jsonFile(manyConversations(threads, turns))], userId: account.userId, nowMs: () => Date.now() }
  const batches: ImportBatch[] = []
  for await (const batch of importBatches(request)) batches.push(batch)
  let isDone = false
  const run = async () => {
    let messages = 0
    for (const { threads: part } of batches) {
      if (isDone) break
      await client.confirmed(client.push('threads.import', { threads: part }))
      messages += part.reduce((sum, thread) => sum + thread.messages.length, 0)
    }
    isDone = true
    return messages
  }
  const running = run()
  const stop = async () => {
    isDone = true
    return running.finally(() => client.close())
  }
  return { isDone: () => isDone, stop }
}

export const benchmarks: readonly Benchmark[] = [
  {
    id: 'S19',
    name: 'mutation of another user beside accounts that import (floor: alone)',
    unit: 'ms',
    async run(context): Promise<readonly Point[]> {
      const { url } = await context.product()
      const writer = await connect(await newGuest(url))
      let written = 0
      let messages = 0
      const mutation = () => writer.confirmed(writer.push('settings.update', nickname(++written)))
      const mutations = () => timeEach(perBlock, mutation)
      const beside = (accounts: number) => async () => {
        const importers = await Promise.all(Array.from({ length: accounts }, () => importWithoutPause(url)))
        const samples: number[] = []
        while (samples.length < perBlock && !importers.some(({ isDone }) => isDone())) samples.push(...(await timeEach(1, mutation, 0)))
        for (const { stop } of importers) messages += await stop()
        return samples
      }
      const { alone, one, four } = await interleave(blocks, { alone: mutations, one: beside(1), four: beside(4) })
      await closeAll(writer)
      const ofMean = (samples: Blocks) => samples.flat().reduce((sum, ms) => sum + ms, 0) / samples.flat().length
      const both = (at: string, taken: Blocks): readonly Point[] => [
        { at: `${at}, mean`, value: ofMean(taken), floor: ofMean(alone), mustHold: { timesFloor: 2 } },
        pointOf(`${at}, p50`, taken, alone, { mustHold: { timesFloor: 2 } }),
        pointOf(`${at}, p99`, taken, alone, { share: 0.99 }),
      ]
      return [
        ...both('one imports', one),
        ...both('four import', four),
        { at: 'imported messages', value: messages, floor: null, unit: '' },
      ]
    },
  },
]

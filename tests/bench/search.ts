/**
 * Text search over 20,000 messages of 1,000 threads: the time of the search itself, on the replica in memory, and the time of a request to a
 * running product.
 */
import type { Benchmark, Point } from '../../scripts/lib/benchmark.ts'
import { schema } from '../../worker/contract/schema.ts'
import type { SearchFilter, SearchRequest } from '../../worker/contract/threads/search.ts'
import { createEngine } from '../../worker/sync/engine/engine.ts'
import { findMessages } from '../../worker/thread-search/find-messages.ts'
import { indexNextSlice, isCurrent } from '../../worker/thread-search/index-tables.ts'
import { createNodeSql, type NodeSql } from '../support/node-sql.ts'
import { createRng, type Rng } from '../support/rng.ts'
import { untilWhole } from './clients.ts'
import { withHistories } from './history.ts'
import { percentile, timeEach } from './sample.ts'

const userId = 'ada'
const threads = 1000
const messagesPerThread = 20
const wordsPerMessage = 75
const samples = 200
const oldestMs = 1_780_000_000_000
const minuteMs = 60_000

/** As in a language: the word of rank n is n times as rare as the first. */
const vocabulary = 5000
const word = (rng: Rng): string => `word${Math.floor(vocabulary ** rng.next())}`

function replica(): NodeSql {
  const sql = createNodeSql()
  const engine = createEngine(sql, schema.tables)
  engine.migrate()
  const rng = createRng(7)
  for (let at = 0; at < threads; at++) {
    const id = (index: number) => `m${at}-${index}`
    const times = { createdAt: oldestMs + at * minuteMs, updatedAt: oldestMs + at * minuteMs }
    const messages = Array.from({ length: messagesPerThread }, (_, index) => {
      // One rare word, in an old thread.
      const text = [...Array.from({ length: wordsPerMessage }, () => word(rng)), at === 3 && index === 0 ? 'zephyr' : 'the'].join(' ')
      const metadata = { modelId: at % 10 === 0 ? 'gpt-5' : 'kimi-k2', modelName: 'M', modelIcon: 'i', ending: 'completed', credits: 1 }
      const message = { id: id(index), role: index % 2 === 0 ? 'user' : 'assistant', parts: [{ type: 'text', text }], metadata }
      const row = { id: id(index), threadId: `t${at}`, userId, parentId: index > 0 ? id(index - 1) : null, message, ...times }
      return { table: 'message', id: { id: id(index) }, row }
    })
    const projectId = at < 5 ? 'small' : at < 500 ? 'large' : null
    const row = { id: `t${at}`, userId, title: `Thread ${at}`, status: 'ready', headId: id(messagesPerThread - 1), projectId, ...times }
    sql.transaction(() => void engine.apply([...messages, { table: 'thread', id: { id: `t${at}` }, row }]))
  }
  const source = { sql, engine }
  while (!isCurrent(source)) indexNextSlice(source)
  return sql
}

const kinds: readonly (readonly [name: string, query: string, filter: SearchFilter])[] = [
  ['rare word', 'zephyr', {}],
  ['word of every message', 'the', {}],
  ['beginning of 1,000 words', 'word1', {}],
  ['two words', 'word40 word300', {}],
  ['model', 'word40', { modelId: 'gpt-5' }],
  ['project of 5 threads', 'the', { projectId: 'small' }],
  ['project of 495 threads', 'the', { projectId: 'large' }],
  ['oldest day', 'the', { untilMs: oldestMs + 5 * minuteMs }],
  ['without words', '', { role: 'assistant', modelId: 'gpt-5' }],
  ['no file anywhere', 'the', { hasFiles: true }],
]

async function measureKinds(): Promise<readonly Point[]> {
  const sql = replica()
  const points: Point[] = []
  for (const [name, query, filter] of kinds) {
    const request: SearchRequest = { query, filter, without: [] }
    const times = await timeEach(samples, async () => void findMessages(sql, userId, request))
    points.push({ at: `${name}, p50`, value: percentile(times, 0.5), floor: null, mustHold: { most: 10 } })
    points.push({ at: `${name}, p99`, value: percentile(times, 0.99), floor: null, moonshot: { most: 10 } })
  }
  return points
}

/** Within the burst of the rate limit (worker/thread-search/SPEC.md, L4). */
const requests = 20

const measureRequests = (): Promise<Point> =>
  withHistories([{ threads, messages: threads * messagesPerThread }], async (_product, [guest]) => {
    if (!guest) throw new Error('a history without a user')
    await untilWhole(guest)
    const search = async (filter: SearchFilter) => {
      const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ query: 'message', filter }) }
      const response = await guest.fetch('/api/messages/search', init)
      if (!response.ok) throw new Error(`a search answered ${response.status}`)
      await response.text()
    }
    const times = await timeEach(requests, () => search({ role: 'assistant' }), 5)
    return { at: 'request, p50', value: percentile(times, 0.5), floor: null, mustHold: { most: 25 } }
  })

export const benchmarks: readonly Benchmark[] = [
  {
    id: 'W7',
    name: `search in ${threads * messagesPerThread} messages`,
    unit: 'ms',
    run: async () => [...(await measureKinds()), await measureRequests()],
  },
]

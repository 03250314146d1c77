/**
 * From a message on the sync socket to the first word on the stream, over a vendor that answers at once. The floor does the same job
 * with nothing around it: a D1 batch, a new object that stores its order, the vendor, the stream. Both are measured in turns.
 */
import type { Benchmark } from '../../scripts/lib/benchmark.ts'
import { newGuest } from '../support/guest.ts'
import { startGatewayPeer } from '../support/peers/gateway.ts'
import { startProduct } from '../support/product.ts'
import { connectWire, rowsOf, type WireClient } from '../support/wire-client.ts'
import { type Floor, startFloor } from './floor.ts'
import { percentile, timeEach } from './sample.ts'

const blocks = 5
/** A guest has credits for a day, so each block is another guest's. */
const turnsPerBlock = 14
const warmUpTurns = 2
const queries = [
  { hash: 'me', name: 'me', args: [] },
  { hash: 'list', name: 'threads.list', args: [{ limit: 50 }] },
]

let made = 0
const newId = (kind: string) => `${kind}-${Date.now().toString(36)}-${++made}`

/** Reads a stream to its end, so that its connection is used again; returns when `text` was there. */
const readFor = async (response: Response, text: string): Promise<number> => {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let seen = ''
  let seenAtMs: number | null = null
  while (reader) {
    const { done, value } = await reader.read()
    if (done) break
    seen += value
    if (seen.includes(text)) seenAtMs ??= performance.now()
  }
  if (seenAtMs === null) throw new Error(`the stream ended without ${text}`)
  return seenAtMs
}

/** `turn` starts from rest, comes to rest, and returns the milliseconds to its first word. */
const block = async (turn: () => Promise<number>): Promise<number[]> => {
  const times: number[] = []
  for (let index = -warmUpTurns; index < turnsPerBlock; index++) {
    const timeMs = await turn()
    if (index >= 0) times.push(timeMs)
  }
  return times
}

const askFloor = async (floor: Floor, peerUrl: string): Promise<number[]> => {
  const socket = new WebSocket(`${floor.url.replace('http', 'ws')}/turn?name=${newId('user')}`)
  await new Promise((resolve) => socket.addEventListener('open', resolve, { once: true }))
  const times = await block(async () => {
    const name = newId('generation')
    const startMs = performance.now()
    socket.send(JSON.stringify({ name, peerUrl }))
    return (await readFor(await fetch(`${floor.url}/read?name=${name}`), 'first')) - startMs
  })
  socket.close()
  return times
}

const isReady = (client: WireClient, threadId: string) =>
  client.next((frame) => rowsOf(frame).some(({ value }) => value?.id === threadId && value.status === 'ready'))

const askProduct = async (url: string): Promise<number[]> => {
  const guest = await newGuest(url)
  const client = await connectWire({ guest, token: await guest.token(), queries })
  const times = await block(async () => {
    const [threadId, messageId, answerId] = [newId('thread'), newId('message'), newId('answer')]
    const ready = isReady(client, threadId)
    const startMs = performance.now()
    client.push('threads.send', { threadId, messageId, answerId, parentId: null, text: 'hello', modelId: 'kimi-k2', at: Date.now() })
    const firstMs = await readFor(await guest.fetch(`/api/thread/${threadId}/stream?generation=${answerId}`), 'first')
    await ready
    return firstMs - startMs
  })
  await client.close()
  return times
}

export const benchmarks: readonly Benchmark[] = [
  {
    id: 'T1',
    name: 'send to first token',
    unit: 'ms',
    target: 'at most 2 ms over the floor, p50',
    run: async ({ atEnd }) => {
      const peer = await startGatewayPeer([{ kind: 'answer', words: ['first ', 'second '] }])
      atEnd(() => peer.stop())
      const floor = await startFloor()
      atEnd(() => floor.stop())
      const product = await startProduct({ env: { AI_GATEWAY_API_KEY: 'bench', AI_GATEWAY_URL: peer.url } })
      atEnd(() => product.stop())

      const peerUrl = `${peer.url}/language-model`
      const headers = { 'content-type': 'application/json', 'ai-language-model-streaming': 'true' }
      const upstream = await timeEach(50, async () => {
        await readFor(await fetch(peerUrl, { method: 'POST', headers, body: '{}' }), 'first')
      })
      const ours: number[] = []
      const least: number[] = []
      for (let index = 0; index < blocks; index++) {
        least.push(...(await askFloor(floor, peerUrl)))
        ours.push(...(await askProduct(product.url)))
      }
      return [
        { at: 'p50', value: percentile(ours, 0.5), floor: percentile(least, 0.5) },
        { at: 'p99', value: percentile(ours, 0.99), floor: percentile(least, 0.99) },
        { at: 'the upstream alone, p50', value: percentile(upstream, 0.5), floor: null },
      ]
    },
  },
]

/** What our path adds to a model's answer, over a vendor that keeps an exact schedule. */
import type { Benchmark } from '../../scripts/lib/benchmark.ts'
import { newGuest } from '../support/guest.ts'
import { startGatewayPeer } from '../support/peers/gateway.ts'
import { startProduct } from '../support/product.ts'
import { connectWire } from '../support/wire-client.ts'
import { percentile, timeEach } from './sample.ts'

const turns = 15
let made = 0
const newId = (kind: string) => `${kind}-${Date.now().toString(36)}-${++made}`

/** Reads a stream until it holds `text`. */
const untilText = async (response: Response, text: string): Promise<void> => {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let seen = ''
  while (reader) {
    const { done, value } = await reader.read()
    if (done) throw new Error(`the stream ended without ${text}`)
    seen += value
    if (seen.includes(text)) return reader.cancel()
  }
}

export const benchmarks: readonly Benchmark[] = [
  {
    id: 'T1',
    name: 'send to first token, over the upstream',
    unit: 'ms',
    target: 'at most 2 ms over the floor, p50',
    run: async ({ atEnd }) => {
      const peer = await startGatewayPeer([{ kind: 'answer', words: ['first ', 'second '] }])
      atEnd(() => peer.stop())
      const product = await startProduct({ env: { AI_GATEWAY_API_KEY: 'bench', AI_GATEWAY_URL: peer.url } })
      atEnd(() => product.stop())

      const direct = await timeEach(50, async () => {
        const headers = { 'content-type': 'application/json', 'ai-language-model-streaming': 'true' }
        await untilText(await fetch(`${peer.url}/language-model`, { method: 'POST', headers, body: '{}' }), 'first')
      })
      // A guest has credits for a day, so each few turns are another guest's.
      const added: number[] = []
      for (let guestIndex = 0; guestIndex < 4; guestIndex++) {
        const guest = await newGuest(product.url)
        const client = await connectWire({ guest, token: await guest.token(), queries: [{ hash: 'me', name: 'me', args: [] }] })
        const times = await timeEach(
          turns,
          async () => {
            const [threadId, messageId, answerId] = [newId('thread'), newId('message'), newId('answer')]
            client.push('threads.send', {
              threadId,
              messageId,
              answerId,
              parentId: null,
              text: 'hello',
              modelId: 'kimi-k2',
              at: Date.now(),
            })
            await untilText(await guest.fetch(`/api/thread/${threadId}/stream?generation=${answerId}`), 'first')
          },
          2,
        )
        added.push(...times)
        await client.close()
      }
      return [
        { at: 'p50', value: percentile(added, 0.5), floor: percentile(direct, 0.5) },
        { at: 'p99', value: percentile(added, 0.99), floor: percentile(direct, 0.99) },
      ]
    },
  },
]

/**
 * A model provider on loopback. Each word is its send time, so that a reader in the same process can compute its latency. Uses the
 * gateway's protocol at a given pace.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { close, listen } from '../../support/peers/peer-server.ts'

/** `thinkMs` before the first word, `everyMs` between words; `isHeld`: after the last word the answer stays open without chunks. */
export type Pace = { readonly words: number; readonly thinkMs?: number; readonly everyMs?: number; readonly isHeld?: boolean }

export type Call = {
  readonly arrivedAtMs: number
  readonly firstWordAtMs: Promise<number>
  /** When the other side disconnected before the end. */
  readonly brokenOffAtMs: Promise<number>
  readonly sentWords: () => number
}

export type Provider = { readonly url: string; pace: Pace; next(): Promise<Call>; stop(): Promise<void> }

const basePath = '/v4/ai'
const event = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`
const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } }

/** `12.345 `: the send time in milliseconds of this process. */
const word = () => `${performance.now().toFixed(3)} `

export async function startProvider(pace: Pace): Promise<Provider> {
  const waiting: ((call: Call) => void)[] = []
  const server = createServer((request, response) => void answer(request, response))

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const arrivedAtMs = performance.now()
    for await (const _ of request);
    if (request.headers['ai-language-model-streaming'] !== 'true') {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(
        JSON.stringify({ content: [{ type: 'text', text: 'Title' }], finishReason: { unified: 'stop', raw: 'stop' }, usage, warnings: [] }),
      )
      return
    }
    const { words, thinkMs = 0, everyMs = 0, isHeld = false } = provider.pace
    const first = Promise.withResolvers<number>()
    let sent = 0
    const brokenOffAtMs = new Promise<number>((resolve) => {
      response.once('close', () => !response.writableFinished && resolve(performance.now()))
    })
    waiting.shift()?.({ arrivedAtMs, firstWordAtMs: first.promise, brokenOffAtMs, sentWords: () => sent })
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(event({ type: 'stream-start', warnings: [] }))
    if (thinkMs > 0) await sleep(thinkMs)
    response.write(event({ type: 'text-start', id: 't' }))
    const startMs = performance.now()
    for (; sent < words && !response.destroyed; sent++) {
      const aheadMs = startMs + sent * everyMs - performance.now()
      if (aheadMs > 0) await sleep(aheadMs)
      // Without a pace, it sends as fast as the reader reads.
      else if (sent % 50 === 49) await new Promise((resolve) => setImmediate(resolve))
      if (sent === 0) first.resolve(performance.now())
      response.write(event({ type: 'text-delta', id: 't', delta: word() }))
    }
    if (isHeld || response.destroyed) return
    response.end(event({ type: 'text-end', id: 't' }) + event({ type: 'finish', finishReason: { unified: 'stop', raw: 'stop' }, usage }))
  }

  const port = await listen(server)
  const provider: Provider = {
    url: `http://127.0.0.1:${port}${basePath}`,
    pace,
    next: () => new Promise((resolve) => waiting.push(resolve)),
    stop: () => close(server),
  }
  return provider
}

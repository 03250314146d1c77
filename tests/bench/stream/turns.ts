/** A product whose models all use the provider on loopback, and turns of its guests. */
import { eventStreamDecoder } from '../../../worker/contract/threads/event-stream.ts'
import { type Guest, newGuest } from '../../support/guest.ts'
import { type Product, startProduct, unlimitedWrites } from '../../support/product.ts'
import { rowsOf, type WireClient } from '../../support/wire-client.ts'
import { connect, newId } from '../clients.ts'
import { type Pace, type Provider, startProvider } from './provider.ts'

/** The daily credits of a guest, minus a margin. */
export const turnsPerGuest = 15

export async function withProvider<Result>(pace: Pace, run: (product: Product, provider: Provider) => Promise<Result>): Promise<Result> {
  const provider = await startProvider(pace)
  const product = await startProduct({ env: { ...unlimitedWrites, AI_GATEWAY_API_KEY: 'bench', AI_GATEWAY_URL: provider.url } })
  try {
    return await run(product, provider)
  } finally {
    await product.stop()
    await provider.stop()
  }
}

export type Turn = { readonly threadId: string; readonly answerId: string; readonly sentAtMs: number; readonly ready: Promise<unknown> }
export type Asker = {
  readonly guest: Guest
  readonly client: WireClient
  ask(): Turn
  read(turn: Turn, after?: number, readerId?: string): Promise<Reading>
}

export type Reading = {
  /** Total bytes so far. */
  readonly bytes: () => number
  /** The number of the last chunk received. */
  readonly last: () => number
  /** One entry per word: when it arrived, and when the provider sent it. */
  readonly words: readonly { readonly receivedAtMs: number; readonly providerSentAtMs: number }[]
  untilWord(count: number): Promise<void>
  untilEnd(): Promise<void>
  stop(): void
}

export async function newAsker(url: string): Promise<Asker> {
  const guest = await newGuest(url)
  const client = await connect(guest)
  const headers = { authorization: `Bearer ${await guest.token()}` }
  return {
    guest,
    client,
    ask: () => {
      const [threadId, messageId, answerId] = [newId('thread'), newId('message'), newId('answer')]
      const ready = client.next((frame) => rowsOf(frame).some(({ value }) => value?.id === threadId && value.status === 'ready'))
      // Some callers do not wait for it.
      ready.catch(() => undefined)
      const sentAtMs = performance.now()
      client.push('threads.send', { threadId, messageId, answerId, parentId: null, text: 'hello', modelId: 'kimi-k2', at: Date.now() })
      return { threadId, answerId, sentAtMs, ready }
    },
    // Like the page: with the token of its socket.
    read: ({ threadId, answerId }, after = 0, readerId = newId('reader')) => {
      const path = `/api/thread/${threadId}/stream?generation=${answerId}&after=${after}&reader=${readerId}`
      return reading((signal) => guest.fetch(path, { signal, headers }))
    },
  }
}

/** The words of a floor, which forwards the provider's bytes unchanged. */
export const providerWord = /"delta":"([\d.]+) "/g

/** `foreign` finds the words in a stream with another format. */
export async function reading(request: (signal: AbortSignal) => Promise<Response>, foreign?: RegExp): Promise<Reading> {
  const abort = new AbortController()
  const response = await request(abort.signal)
  if (!response.ok || !response.body) throw new Error(`the stream answered ${response.status}`)
  const decode = eventStreamDecoder()
  const words: { receivedAtMs: number; providerSentAtMs: number }[] = []
  const waiting = new Set<() => void>()
  let [bytes, last, isOver] = [0, 0, false]
  const read = async () => {
    const text = new TextDecoder()
    for await (const part of response.body ?? []) {
      const receivedAtMs = performance.now()
      bytes += part.byteLength
      const piece = text.decode(part, { stream: true })
      if (foreign) for (const [, at] of piece.matchAll(foreign)) words.push({ receivedAtMs, providerSentAtMs: Number(at) })
      for (const event of foreign ? [] : decode(piece)) {
        if (event.type !== 'chunk') continue
        last = event.id
        if (event.chunk.type === 'text-delta')
          for (const at of event.chunk.delta.trim().split(' ')) words.push({ receivedAtMs, providerSentAtMs: Number(at) })
      }
      for (const look of [...waiting]) look()
    }
  }
  const ended = read()
    .catch((error: unknown) => {
      if (!abort.signal.aborted) throw error
    })
    .finally(() => {
      isOver = true
      for (const look of [...waiting]) look()
    })
  ended.catch(() => undefined)
  return {
    bytes: () => bytes,
    last: () => last,
    words,
    untilWord: async (count) => {
      while (words.length < count) {
        if (isOver) throw new Error(`the stream ended after ${words.length} of ${count} words`)
        await new Promise<void>((resolve) => {
          const look = () => {
            waiting.delete(look)
            resolve()
          }
          waiting.add(look)
        })
      }
    },
    untilEnd: () => ended,
    stop: () => abort.abort(),
  }
}

import { describe, expect, test, vi } from 'vitest'
import { followAnswer, retryDelaysMs } from '../../../../../web/features/chat/stream/stream-reader.ts'
import { encodeChunk, encodeEnd, restartEvent, sessionEndedEvent } from '../../../../../worker/contract/threads/event-stream.ts'

const delta = (id: number) => encodeChunk(id, JSON.stringify({ type: 'text-delta', id: 'text', delta: `${id} ` }))
const stream = (...texts: string[]) =>
  new Response(
    new ReadableStream<Uint8Array>({
      start(controller) {
        for (const text of texts) controller.enqueue(new TextEncoder().encode(text))
        controller.close()
      },
    }),
  )

type Reply = () => Response

/** Serves the scripted connections in order; returns the requests and the received events. */
async function follow(replies: readonly Reply[], after = 0, token: () => string | null = () => null) {
  const asked: (string | null)[] = []
  const tokens: (string | null)[] = []
  const received: number[] = []
  const slept: number[] = []
  const abort = new AbortController()
  const result = await followAnswer(
    { url: 'https://parley.test/stream', after },
    { onChunk: (id) => received.push(id), onRestart: () => received.push(0), signal: abort.signal },
    {
      fetch: async (_, init) => {
        asked.push(new Headers(init?.headers).get('last-event-id'))
        tokens.push(new Headers(init?.headers).get('authorization'))
        const reply = replies[asked.length - 1]
        if (reply) return reply()
        abort.abort()
        throw new Error('nothing more is scripted')
      },
      sleep: async (ms) => void slept.push(ms),
      token,
    },
  )
  return { asked, tokens, received, slept, result }
}

const broken: Reply = () => {
  throw new TypeError('Failed to fetch')
}

describe('an answer is read', () => {
  test('with the token of the page at first, and by the cookie alone after a reconnect or without a token', async () => {
    const replies: Reply[] = [broken, () => stream(delta(1)), () => stream(delta(2), encodeEnd('completed'))]
    expect((await follow(replies, 0, () => 'old')).tokens).toEqual(['Bearer old', null, null])
    expect((await follow(replies)).tokens).toEqual([null, null, null])
  })

  test('to its end over one connection', async () => {
    const { result, received, asked } = await follow([() => stream(delta(1), delta(2), encodeEnd('completed'))])
    expect({ result, received, asked }).toEqual({ result: 'ended', received: [1, 2], asked: [null] })
  })

  test('over any number of connections, each resuming after the last', async () => {
    const { result, received, asked } = await follow([
      () => stream(delta(1), delta(2)),
      broken,
      () => stream(delta(3), delta(4)),
      () => stream(delta(5), encodeEnd('stopped')),
    ])
    expect({ result, received, asked }).toEqual({ result: 'ended', received: [1, 2, 3, 4, 5], asked: [null, '2', '2', '4'] })
  })

  test('without duplicates, even if the server repeats chunks', async () => {
    const { received } = await follow([
      () => stream(delta(1), delta(2)),
      () => stream(delta(1), delta(2), delta(3), encodeEnd('completed')),
    ])
    expect(received).toEqual([1, 2, 3])
  })

  test('from its start again if chunks were lost', async () => {
    const { received, asked } = await follow([
      () => stream(delta(1), delta(2), delta(3)),
      () => stream(restartEvent, delta(1)),
      () => stream(delta(2), delta(3), encodeEnd('completed')),
    ])
    expect({ received, asked }).toEqual({ received: [1, 2, 3, 0, 1, 2, 3], asked: [null, '3', '1'] })
  })

  test('from the middle, if the start is known', async () => {
    const { asked, received } = await follow([() => stream(delta(8), encodeEnd('completed'))], 7)
    expect({ asked, received }).toEqual({ asked: ['7'], received: [8] })
  })

  test('from events that arrive in pieces', async () => {
    const whole = delta(1) + delta(2) + encodeEnd('completed')
    const { received, result } = await follow([() => stream(...whole)])
    expect({ received, result }).toEqual({ received: [1, 2], result: 'ended' })
  })

  test('with growing delays while its start command is on the way', async () => {
    const missing: Reply = () => new Response(null, { status: 404 })
    const { slept, result } = await follow([...Array.from({ length: 8 }, () => missing), () => stream(encodeEnd('completed'))])
    expect(result).toBe('ended')
    expect(slept).toEqual([250, 500, 1000, 2000, 4000, 4000, 4000, 4000])
  })

  test('without delay after a connection that received chunks', async () => {
    const { slept } = await follow([broken, broken, () => stream(delta(1)), () => stream(encodeEnd('completed'))])
    expect(slept.at(-1)).toBe(retryDelaysMs[0])
  })

  test('no further when it is no longer streaming', async () => {
    const { result, asked } = await follow([() => new Response(null, { status: 204 })])
    expect({ result, asked }).toEqual({ result: 'finished', asked: [null] })
  })

  test('no further when the session has ended, before or during the stream', async () => {
    const refused = await follow([() => stream(delta(1)), () => new Response(null, { status: 401 })])
    expect(refused).toMatchObject({ result: 'session-ended', received: [1], asked: [null, '1'] })
    const ended = await follow([() => stream(delta(1), sessionEndedEvent)])
    expect(ended).toMatchObject({ result: 'session-ended', received: [1], asked: [null], slept: [] })
  })

  test('with growing delays while it has too many readers', async () => {
    const full: Reply = () => new Response(null, { status: 429 })
    const { result, slept } = await follow([full, full, () => stream(encodeEnd('completed'))])
    expect({ result, slept }).toEqual({ result: 'ended', slept: [250, 500] })
  })

  test('and closes a connection that the server leaves open after the end', async () => {
    const close = vi.fn()
    const open = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new TextEncoder().encode(delta(1) + encodeEnd('completed'))),
      cancel: close,
    })
    expect((await follow([() => new Response(open)])).result).toBe('ended')
    await vi.waitFor(() => expect(close).toHaveBeenCalledOnce(), 60_000)
  })

  test('no further after it was aborted', async () => {
    const { result } = await follow([])
    expect(result).toBe('aborted')
  })
})

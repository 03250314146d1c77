// Reading a live answer through the route and the object: who may, from where on, and how soon.
import { afterEach, describe, expect, test, vi } from 'vitest'
import { streamAnswer } from '../../worker/chat/read-stream.ts'
import { bindings, evict, generationOf, givenTurn, openStream, partsOf, readEvents, readSession, recordOf, untilEnded } from './turns.ts'

const route = (query: string, init?: RequestInit) => new Request(`https://parley.test/api/thread/any/stream${query}`, init)

describe('resuming', () => {
  test('gives exactly what was not seen: twenty readers, each torn off and coming back', async () => {
    const order = await givenTurn('/demo chunks=300 think=5 delay=1')
    await generationOf(order).ensure(order)
    const readers = Array.from({ length: 20 }, async (_, number) => {
      const events = []
      for (let last = 0; ; last = events.flatMap((event) => (event.type === 'chunk' ? [event.id] : [])).at(-1) ?? 0) {
        const more = await readEvents(await openStream(order, last), (seen) => seen.length > number * 3)
        events.push(...more)
        if (events.at(-1)?.type === 'end') return events
      }
    })
    const all = await Promise.all(readers)
    await untilEnded(order)
    const stored = (await recordOf(order)).answer?.parts
    for (const events of all) {
      expect(events.flatMap((event) => (event.type === 'chunk' ? [event.id] : []))).toEqual(
        events.slice(0, -1).map((_, index) => index + 1),
      )
      expect(partsOf(events)).toEqual(stored)
    }
  })

  test('works from the log after the end, also in an object that was evicted', async () => {
    const order = await givenTurn('/demo chunks=50 delay=0')
    await generationOf(order).ensure(order)
    await untilEnded(order)
    const whole = await readEvents(await openStream(order))
    await evict(order)
    const replayed = await readEvents(await openStream(order))
    expect(replayed).toEqual(whole)
    expect(await readEvents(await openStream(order, 40))).toEqual(whole.slice(40))
    expect(await readEvents(await openStream(order, 10_000))).toEqual([{ type: 'end', ending: 'completed' }])
  })
})

describe('a token alone', () => {
  const besideMs = 10_000
  afterEach(() => void vi.useRealTimers())

  test('lets those read that were connected when the answer was ordered, for a moment, and nobody else', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const order = await givenTurn('/demo chunks=3000 delay=2')
    const early = openStream({ ...order, sessionId: 'a tab of theirs', isSessionRead: false })
    await generationOf(order).ensure({ ...order, sessions: ['a tab of theirs', 'their phone'] })
    const askAs = async (sessionId: string | undefined) => {
      const response = await openStream({ ...order, ...(sessionId === undefined ? readSession : { sessionId, isSessionRead: false }) })
      await response.body?.cancel()
      return response.status
    }
    expect((await readEvents(await early, (seen) => seen.length > 5)).length).toBeGreaterThan(5)
    expect(await Promise.all(['their phone', 'somebody', '', undefined].map(askAs))).toEqual([200, 401, 401, 200])
    vi.setSystemTime(Date.now() + besideMs)
    expect(await Promise.all(['their phone', undefined].map(askAs))).toEqual([401, 200])
    await generationOf(order).stop(order.generationId, order.userId)
    await untilEnded(order)
  })

  test('is forgotten with the object that knew who was connected', async () => {
    const order = await givenTurn('/demo chunks=3 delay=0')
    await generationOf(order).ensure({ ...order, sessions: ['theirs'] })
    await untilEnded(order)
    await evict(order)
    expect((await openStream({ ...order, sessionId: 'theirs', isSessionRead: false })).status).toBe(401)
  })
})

describe('the route', () => {
  test('finds the generation that the thread names, and says 204 when none is being written', async () => {
    const order = await givenTurn('/demo chunks=30 delay=3')
    await generationOf(order).ensure(order)
    const response = await streamAnswer(bindings, route(''), { ...order, ...readSession })
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    expect(response.headers.get('cache-control')).toContain('no-store')
    const events = await readEvents(response)
    expect(events.at(-1)).toEqual({ type: 'end', ending: 'completed' })
    await untilEnded(order)
    expect((await streamAnswer(bindings, route(''), { ...order, ...readSession })).status).toBe(204)
    expect((await streamAnswer(bindings, route(''), { threadId: order.threadId, userId: 'somebody-else', ...readSession })).status).toBe(
      204,
    )
    const missed = route(`?generation=${order.generationId}`, { headers: { 'last-event-id': '20' } })
    const again = await streamAnswer(bindings, missed, { ...order, ...readSession })
    expect(await readEvents(again)).toEqual(events.slice(20))
  })

  test('wakes no object for an id that cannot be one of ours', async () => {
    expect((await streamAnswer(bindings, route('?generation=x'), { threadId: 'thread', userId: 'user', ...readSession })).status).toBe(404)
  })

  test('lets a reader wait for the order; a foreign and an absent answer take equally long to be 404', async () => {
    const order = await givenTurn('/demo chunks=3 delay=0')
    const waiting = openStream(order)
    const foreign = openStream({ ...order, userId: 'somebody-else' })
    const elsewhere = openStream({ ...order, threadId: 'another-thread' })
    const absent = openStream({ generationId: 'never-ordered', userId: order.userId, threadId: order.threadId })
    const startedAtMs = performance.now()
    await generationOf(order).ensure(order)
    expect((await readEvents(await waiting)).at(-1)).toEqual({ type: 'end', ending: 'completed' })
    const waitedMs = await Promise.all(
      [foreign, elsewhere, absent].map(async (response) => {
        expect((await response).status).toBe(404)
        return performance.now() - startedAtMs
      }),
    )
    expect(Math.max(...waitedMs) - Math.min(...waitedMs)).toBeLessThan(2000)
    expect(Math.min(...waitedMs)).toBeGreaterThan(9000)
  })
})

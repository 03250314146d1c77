import { describe, expect, test } from 'vitest'
import { keepAliveMs, ResumableStream } from '../../../worker/chat/turn/resumable-stream.ts'
import { SegmentLog } from '../../../worker/chat/turn/segment-log.ts'
import { createTables } from '../../../worker/chat/turn/turn-state.ts'
import { eventStreamDecoder, type StreamEvent } from '../../../worker/contract/threads/event-stream.ts'
import type { StreamChunk } from '../../../worker/contract/threads/message-stream.ts'
import { createRng } from '../../support/rng.ts'
import { createAnswerStorage, createTimers } from '../../support/turn-storage.ts'

const word = (n: number, chars = 0): StreamChunk => ({ type: 'text-delta', id: '1', delta: `${n} `.padEnd(chars, 'x') })

function setup() {
  const storage = createAnswerStorage()
  createTables(storage.sql)
  const timers = createTimers()
  const log = new SegmentLog(storage.sql, timers.later, () => {})
  const readers = new ResumableStream(log, timers.later)
  const write = (chunk: StreamChunk) => {
    log.append(chunk)
    readers.send()
  }
  return { log, timers, readers, write }
}

/** A reader that cancels after `events` events, or reads until the stream ends. */
async function take(stream: ReadableStream<Uint8Array>, events = Number.POSITIVE_INFINITY): Promise<StreamEvent[]> {
  const decode = eventStreamDecoder()
  const text = new TextDecoder()
  const received: StreamEvent[] = []
  const reader = stream.getReader()
  while (received.length < events) {
    const { done, value } = await reader.read()
    if (done) return received
    received.push(...decode(text.decode(value, { stream: true })))
  }
  await reader.cancel()
  return received
}

const numbers = (events: readonly StreamEvent[]) => events.flatMap((event) => (event.type === 'chunk' ? [event.id] : []))

describe('readers', () => {
  test('receive everything once after disconnecting and resuming anywhere', async () => {
    for (let seed = 1; seed <= 40; seed++) {
      const rng = createRng(seed)
      const { log, timers, readers, write } = setup()
      const total = 50 + rng.below(200)
      const readings = Array.from({ length: 4 }, async () => {
        const received: StreamEvent[] = []
        while (received.at(-1)?.type !== 'end')
          received.push(...(await take(readers.open(numbers(received).at(-1) ?? 0), 1 + rng.below(30))))
        return received
      })
      for (let n = 1; n <= total; n++) {
        write(word(n))
        if (rng.chance(0.3)) timers.advance(rng.below(400))
        if (rng.chance(0.5)) await Promise.resolve()
      }
      log.flush()
      readers.end('completed')
      for (const received of await Promise.all(readings)) {
        expect(numbers(received), `seed ${seed}`).toEqual(Array.from({ length: total }, (_, index) => index + 1))
      }
    }
  })

  test('that do not read buffer a bounded amount and still receive everything', async () => {
    const { readers, write, log } = setup()
    const stream = readers.open(0)
    const asked: number[] = []
    const read = log.eventsAfter.bind(log)
    log.eventsAfter = (after) => {
      asked.push(after)
      return read(after)
    }
    for (let n = 1; n <= 500; n++) write(word(n, 1000))
    // About 64 KB of the half megabyte were read from the log; the rest stays there.
    expect(Math.max(...asked)).toBeLessThan(100)
    readers.end('completed')
    expect(numbers(await take(stream))).toHaveLength(500)
  })

  test('get keep-alive comments during a silence until they disconnect', async () => {
    const { readers, timers, write } = setup()
    const stream = readers.open(0)
    write(word(1))
    timers.advance(keepAliveMs * 3)
    const reader = stream.getReader()
    const received = []
    for (let n = 0; n < 3; n++) received.push(new TextDecoder().decode((await reader.read()).value))
    expect(received.join('')).toContain(': still here\n\n: still here\n\n')
    expect(timers.pending).toBe(1)
    await reader.cancel()
    expect(timers.pending).toBe(0)
  })

  test('that have chunks lost in a crash restart before other chunks reuse the numbers', async () => {
    const { readers, write } = setup()
    write(word(1))
    write(word(2))
    const lost = take(readers.open(5))
    write(word(3))
    readers.end('completed')
    expect(await lost).toMatchObject([{ type: 'restart' }, { id: 1 }, { id: 2 }, { id: 3 }, { type: 'end' }])
    expect(numbers(await take(readers.open(2)))).toEqual([3])
  })

  test('connecting before the first chunk get it, or a restart if they have lost chunks', async () => {
    const { log, timers } = setup()
    const readers = new ResumableStream(null, timers.later)
    const fresh = take(readers.open(0), 2)
    const known = take(readers.open(1), 1)
    const lost = take(readers.open(5), 3)
    log.append(word(1))
    log.append(word(2))
    readers.send()
    readers.follow(log)
    expect([await fresh, await known, await lost]).toMatchObject([
      [{ id: 1 }, { id: 2 }],
      [{ id: 2 }],
      [{ type: 'restart' }, { id: 1 }, { id: 2 }],
    ])
  })

  test('connecting after the end get the end', async () => {
    const { readers, write } = setup()
    write(word(1))
    readers.end('stopped')
    expect(await take(readers.open(0))).toMatchObject([{ id: 1 }, { type: 'end', ending: 'stopped' }])
    expect(await take(readers.open(1))).toEqual([{ type: 'end', ending: 'stopped' }])
    // A number lost in a crash.
    expect(await take(readers.open(99))).toEqual([{ type: 'end', ending: 'stopped' }])
  })
})

test('whose part of the log was deleted are notified, without delaying others', async () => {
  const timers = createTimers()
  const log = {
    last: 1,
    eventsAfter: (after: number) => {
      if (after === 0) throw new Error('forgotten')
      return null
    },
  }
  const readers = new ResumableStream(log, timers.later)
  const late = take(readers.open(0))
  const upToDate = take(readers.open(1))
  await expect(late).rejects.toThrow('forgotten')
  readers.end('completed')
  expect(await upToDate).toEqual([{ type: 'end', ending: 'completed' }])
  expect(timers.pending).toBe(0)
})

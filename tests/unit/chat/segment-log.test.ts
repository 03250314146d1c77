import { describe, expect, test } from 'vitest'
import { SegmentLog } from '../../../worker/chat/turn/segment-log.ts'
import { createTables } from '../../../worker/chat/turn/turn-state.ts'
import { segmentFlushBytes, segmentFlushMs } from '../../../worker/contract/limits.ts'
import { eventStreamDecoder } from '../../../worker/contract/threads/event-stream.ts'
import type { StreamChunk } from '../../../worker/contract/threads/message-stream.ts'
import { createRng } from '../../support/rng.ts'
import { createAnswerStorage, createTimers } from '../../support/turn-storage.ts'

const word = (n: number): StreamChunk => ({ type: 'text-delta', id: '1', delta: `word ${n}\n` })

function setup() {
  const storage = createAnswerStorage()
  createTables(storage.sql)
  const { sql } = storage
  const timers = createTimers()
  const fail = (error: unknown) => {
    throw error
  }
  return {
    sql,
    timers,
    log: new SegmentLog(sql, timers.later, fail),
    reopen: () => new SegmentLog(sql, timers.later, fail),
  }
}

const segments = (sql: ReturnType<typeof setup>['sql']) =>
  sql
    .exec('select fromChunk, toChunk from segment order by fromChunk')
    .toArray()
    .map((row) => [row.fromChunk, row.toChunk])

/** Everything after `after`, as a reader requests it. */
function readAll(log: SegmentLog, after: number) {
  const decode = eventStreamDecoder()
  const received = []
  for (let at = after; ; ) {
    const events = log.eventsAfter(at)
    if (!events) return received
    received.push(...decode(events.text))
    at = events.last
  }
}

describe('a segment is stored', () => {
  test('by the clock, counted from its first chunk', () => {
    const { log, sql, timers } = setup()
    log.append(word(1))
    timers.advance(segmentFlushMs - 1)
    log.append(word(2))
    expect(segments(sql)).toEqual([])
    timers.advance(1)
    expect(segments(sql)).toEqual([[1, 2]])
    timers.advance(10_000)
    expect(segments(sql)).toEqual([[1, 2]])
    expect(timers.pending).toBe(0)
  })

  test.each([
    ['x', segmentFlushBytes],
    ['潮', Math.ceil(segmentFlushBytes / 3)],
  ])('by its size in bytes: %s', (letter, letters) => {
    const { log, sql, timers } = setup()
    log.append({ type: 'text-delta', id: '1', delta: letter.repeat(letters) })
    expect(segments(sql)).toEqual([[1, 1]])
    expect(timers.pending).toBe(0)
  })

  test('at a tool boundary', () => {
    const { log, sql } = setup()
    log.append(word(1))
    log.append({ type: 'tool-input-available', toolCallId: 'c', toolName: 't', input: {} })
    log.append({ type: 'tool-output-available', toolCallId: 'c', output: {} })
    expect(segments(sql)).toEqual([[1, 3]])
    log.append(word(4))
    log.append({ type: 'tool-output-available', toolCallId: 'c', output: 'x'.repeat(segmentFlushBytes) })
    expect(segments(sql)).toEqual([
      [1, 3],
      [4, 5],
    ])
  })

  test('in a new row after a restart', () => {
    const { log, reopen, sql } = setup()
    log.append(word(1))
    log.flush()
    const next = reopen()
    next.append(word(2))
    next.flush()
    next.append(word(3))
    next.flush()
    expect(segments(sql)).toEqual([
      [1, 1],
      [2, 3],
    ])
  })

  test.each([1, 5, 20, 200])('in at most 20 rows for 1,000 chunks, one in %d ms', (everyMs) => {
    const { log, sql, timers } = setup()
    for (let n = 1; n <= 1000; n++) {
      log.append({ type: 'text-delta', id: '1', delta: 'word ' })
      timers.advance(everyMs)
    }
    log.flush()
    expect(segments(sql).length).toBeLessThanOrEqual(20)
    expect(segments(sql).at(-1)?.[1]).toBe(1000)
  })

  test('reports a failure to its owner', () => {
    const { sql, timers } = setup()
    const errors: unknown[] = []
    const log = new SegmentLog(sql, timers.later, (error) => errors.push(error))
    log.append(word(1))
    sql.exec('drop table segment')
    timers.advance(segmentFlushMs)
    expect(errors).toHaveLength(1)
  })
})

describe('reading', () => {
  test('after any number returns everything from the next one on, stored or not', () => {
    for (let seed = 1; seed <= 60; seed++) {
      const rng = createRng(seed)
      const { log, timers, reopen, sql } = setup()
      const total = 1 + rng.below(120)
      for (let n = 1; n <= total; n++) {
        log.append(word(n))
        if (rng.chance(0.2)) timers.advance(rng.below(2 * segmentFlushMs))
      }
      expect(log.last).toBe(total)
      for (let after = 0; after <= total + 1; after++) {
        const expected = Array.from({ length: Math.max(0, total - after) }, (_, index) => ({
          type: 'chunk',
          id: after + index + 1,
          chunk: word(after + index + 1),
        }))
        // Compared as JSON, because a comparison of the objects takes most of the time.
        expect(JSON.stringify(readAll(log, after)), `seed ${seed} after ${after}`).toBe(JSON.stringify(expected))
      }
      // A crash: stored chunks are still there, without a gap.
      const stored = Number(segments(sql).at(-1)?.[1] ?? 0)
      const reborn = reopen()
      expect(reborn.last).toBe(stored)
      expect(reborn.chunks()).toEqual(Array.from({ length: stored }, (_, index) => word(index + 1)))
      reborn.append(word(stored + 1))
      expect(readAll(reborn, stored)).toEqual([{ type: 'chunk', id: stored + 1, chunk: word(stored + 1) }])
    }
  })

  test('returns a segment at a time, so that a long log is never in memory as a whole', () => {
    const { log } = setup()
    for (let n = 1; n <= 500; n++) {
      log.append(word(n))
      if (n % 50 === 0) log.flush()
    }
    expect(log.eventsAfter(0)?.last).toBe(50)
    expect(log.eventsAfter(120)?.last).toBe(150)
  })
})

// Clients that are far behind, and the log. Rules: worker/sync/SPEC.md, E4 and E9.
import { describe, expect, test } from 'vitest'
import { countLog, readLog } from '../../../../worker/sync/engine/log.ts'
import { deltaOf } from '../../../support/delta-of.ts'
import { addQuery, buildEngine, putThread, z } from './build.ts'

const myThreads = z.thread.where('userId', 'me')

describe('[E9] a client that is far behind', () => {
  const behind = (changes: number, title = 'new') => {
    const { engine, sql } = buildEngine()
    addQuery(engine, 'q', myThreads)
    engine.load([putThread('t0')])
    const { version } = deltaOf(engine, 'g', null)
    for (let at = 0; at < changes; at += 1000)
      sql.transaction(
        () => void engine.apply(Array.from({ length: Math.min(1000, changes - at) }, (_, i) => putThread(`t${at + i}`, { title }))),
      )
    engine.reset()
    return deltaOf(engine, 'g', version)
  }

  test('by up to 10,000 changes receives the difference, by more all rows', () => {
    expect(behind(10_000)).toMatchObject({ clear: false, rows: { length: 10_000 } })
    expect(behind(10_001)).toMatchObject({ clear: true, rows: { length: 10_001 }, got: ['q'] })
  })

  test('by more text than the limit receives all rows', () => {
    expect(behind(20, 'x'.repeat(400_000))).toMatchObject({ clear: false })
    expect(behind(30, 'x'.repeat(400_000))).toMatchObject({ clear: true, rows: { length: 30 } })
  })
})

test('[E4] old images of one step are one row of the log and readable from any version', () => {
  const { engine, sql } = buildEngine()
  engine.load([])
  const { version } = engine
  engine.apply(Array.from({ length: 250 }, (_, i) => putThread(`t${i}`)))
  expect(sql.all('select count(*) n from z_log')).toEqual([{ n: 3 }])
  expect(countLog(sql, version)).toBe(250)
  for (const skipped of [0, 1, 99, 100, 249, 250])
    expect(readLog(sql, version + skipped).map(({ key }) => key)).toEqual(
      Array.from({ length: 250 - skipped }, (_, i) => `["t${i + skipped}"]`),
    )
  engine.prune(version + 150)
  expect(readLog(sql, version + 150)).toHaveLength(100)
  engine.reset()
  expect(engine.version).toBe(version + 250)
})

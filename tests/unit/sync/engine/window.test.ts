import { describe, expect, test } from 'vitest'
import type { EngineOptions } from '../../../../worker/sync/engine/engine.ts'
import { deltaOf } from '../../../support/delta-of.ts'
import { addQuery, astOf, buildEngine, deleted, opsOf, putMessage, putThread, z } from './build.ts'

const exact: EngineOptions = { hysteresisOf: () => 0 }

/** Messages m1 … in time order, newest last. */
function buildMessages(count: number, options: EngineOptions, limit: number) {
  const built = buildEngine(options)
  built.engine.load(Array.from({ length: count }, (_, i) => putMessage(`m${i + 1}`, { createdAt: i + 1 })))
  addQuery(built.engine, 'q', z.message.orderBy('createdAt', 'desc').limit(limit))
  return { ...built, ...deltaOf(built.engine, 'g', null) }
}

function boundsOf({ sql }: ReturnType<typeof buildMessages>): unknown {
  return JSON.parse(sql.all<{ bounds: string }>('select bounds from z_query')[0]?.bounds ?? '[]')
}

describe('[E6] windows', () => {
  test('contain the first rows and refill when one leaves', () => {
    const { engine, version, rows } = buildMessages(5, exact, 2)
    expect(rows.length).toBe(2)
    engine.apply([deleted(putMessage('m5'))])
    expect(opsOf(deltaOf(engine, 'g', version))).toEqual(['+message/m3', '-message/m5'])
  })

  test('are cut again only above the hysteresis', () => {
    const { engine, version } = buildMessages(3, { hysteresisOf: () => 1 }, 2)
    engine.apply([putMessage('m4', { createdAt: 4 })])
    const second = deltaOf(engine, 'g', version)
    expect(opsOf(second)).toEqual(['+message/m4'])
    engine.apply([putMessage('m5', { createdAt: 5 })])
    expect(opsOf(deltaOf(engine, 'g', second.version))).toEqual(['+message/m5', '-message/m2', '-message/m3'])
  })

  test('are open while they are not full', () => {
    const built = buildMessages(1, exact, 2)
    expect(boundsOf(built)).toEqual([[built.version, null]])
    built.engine.apply([putMessage('m2', { createdAt: 0 })])
    expect(opsOf(deltaOf(built.engine, 'g', built.version))).toEqual(['+message/m2'])
  })

  test('a row that moves across the bound enters or leaves', () => {
    const { engine, version } = buildMessages(3, exact, 2)
    engine.apply([putMessage('m1', { createdAt: 9 })])
    const second = deltaOf(engine, 'g', version)
    expect(opsOf(second)).toEqual(['+message/m1', '-message/m2'])
    engine.apply([putMessage('m3', { createdAt: 0 })])
    expect(opsOf(deltaOf(engine, 'g', second.version))).toEqual(['+message/m2', '-message/m3'])
  })

  test('a bulk insert is cut before it is sent', () => {
    const { engine, version } = buildMessages(2, exact, 2)
    engine.apply(Array.from({ length: 50 }, (_, i) => putMessage(`n${i}`, { createdAt: 100 + i })))
    const delta = deltaOf(engine, 'g', version)
    expect(delta.rows.filter((op) => op.op === 'put').length).toBe(2)
  })

  test('each client is bounded by the bound of its version', () => {
    const { engine, version } = buildMessages(4, exact, 1)
    engine.apply([putMessage('m5', { createdAt: 5 })])
    const second = deltaOf(engine, 'g', version)
    engine.apply([deleted(putMessage('m5')), deleted(putMessage('m4'))])
    expect(opsOf(deltaOf(engine, 'g', second.version))).toEqual(['+message/m3', '-message/m4', '-message/m5'])
    expect(opsOf(deltaOf(engine, 'g', version))).toEqual(['+message/m3', '-message/m4'])
  })

  test('with a deleted bound the delta has all deletes and all puts', () => {
    const built = buildMessages(4, { ...exact, boundHistory: 2 }, 1)
    const { engine, version } = built
    for (let i = 5; i <= 8; i++) {
      engine.apply([putMessage(`m${i}`, { createdAt: i })])
      deltaOf(engine, 'g', engine.version - 1)
    }
    expect(boundsOf(built)).toHaveLength(2)
    const delta = deltaOf(engine, 'g', version)
    expect(opsOf(delta)).toContain('+message/m8')
    expect(opsOf(delta)).toContain('-message/m4')
  })

  test('one() with a fixed key has no bound', () => {
    const { engine } = buildEngine()
    engine.load([putThread('t1')])
    addQuery(engine, 'q', z.thread.where('id', 't1').one())
    const { version } = deltaOf(engine, 'g', null)
    engine.apply([deleted(putThread('t1'))])
    expect(opsOf(deltaOf(engine, 'g', version))).toEqual(['-thread/t1'])
  })
})

describe('[E7] measuring', () => {
  test('a sync does not measure windows that cannot have moved', () => {
    const { engine, sql, version } = buildMessages(9, {}, 2)
    const measured = () => {
      sql.takeStatementCount()
      return deltaOf(engine, 'g', engine.version - 1)
    }
    engine.apply([putMessage('m9', { createdAt: 9, text: 'quiet' })])
    measured()
    const statements = sql.takeStatementCount()
    expect(statements).toBe(0)
    engine.apply([putMessage('m1', { createdAt: 0 })])
    measured()
    expect(sql.takeStatementCount()).toBe(0)
    deltaOf(engine, 'g', version)
    expect(sql.takeStatementCount()).toBeGreaterThan(0)
  })

  test('a query added between two syncs is measured although its row changes cancelled out', () => {
    const { engine } = buildEngine(exact)
    engine.load([putMessage('m1', { createdAt: 1 }), putMessage('m2', { createdAt: 2 })])
    const { version } = deltaOf(engine, 'g', null)
    engine.apply([putMessage('m3', { createdAt: 3 })])
    addQuery(engine, 'q', z.message.orderBy('createdAt', 'desc').limit(1))
    engine.apply([deleted(putMessage('m3'))])
    expect(opsOf(deltaOf(engine, 'g', version))).toEqual(['+message/m2'])
  })

  test('an EXISTS match can fill or empty a window', () => {
    const { engine } = buildEngine(exact)
    engine.load([putThread('t1'), putThread('t2'), putMessage('m2', { threadId: 't2' })])
    addQuery(engine, 'q', z.thread.whereExists('messages').orderBy('title', 'asc').limit(1))
    const first = deltaOf(engine, 'g', null)
    expect(opsOf(first)).toEqual(['+message/m2', '+thread/t2'])
    engine.apply([putMessage('m1', { threadId: 't1' })])
    expect(opsOf(deltaOf(engine, 'g', first.version))).toEqual(['+message/m1', '+thread/t1', '-message/m2', '-thread/t2'])
  })
})

test('[E17] run orders and limits like the client', () => {
  const { engine } = buildMessages(4, exact, 1)
  expect(engine.run(astOf(z.message.orderBy('createdAt', 'desc').limit(2))).map((row) => row.id)).toEqual(['m4', 'm3'])
})

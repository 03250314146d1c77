// A window of rows of which the client has another window sends only the rows beyond. Rules: worker/sync/SPEC.md, E21.
import { describe, expect, test } from 'vitest'
import { createEngine } from '../../../../worker/sync/engine/engine.ts'
import type { Engine } from '../../../../worker/sync/engine/types.ts'
import { deltaOf } from '../../../support/delta-of.ts'
import { addQuery, buildEngine, deleted, opsOf, putMessage, putThread, tables, z } from './build.ts'

const ids = (count: number, from = 1) => Array.from({ length: count }, (_, i) => `t${String(i + from).padStart(3, '0')}`)
const first = (limit: number) => z.thread.orderBy('id', 'asc').limit(limit)
const puts = (count: number, from = 1) => ids(count, from).map((id) => `+thread/${id}`)

/** 100 threads, and a client with the first 10. */
function opened() {
  const built = buildEngine()
  built.engine.load(ids(100).map((id) => putThread(id)))
  addQuery(built.engine, 'first-10', first(10))
  const delta = deltaOf(built.engine, 'g', null)
  expect(opsOf(delta)).toEqual(puts(10))
  return { ...built, since: delta.version }
}

describe('[E21] a larger window', () => {
  test('sends each row once while it grows, and is complete each time', () => {
    const { engine, since } = opened()
    let version = since
    let rows = 10
    for (const limit of [20, 40, 80, 160]) {
      addQuery(engine, `first-${limit}`, first(limit))
      const delta = deltaOf(engine, 'g', version)
      expect([opsOf(delta), delta.got]).toEqual([puts(Math.min(limit, 100) - rows, rows + 1), [`first-${limit}`]])
      rows += delta.rows.length
      version = delta.version
    }
    expect(rows).toBe(100)
  })

  test('sends the same after a wake', () => {
    const { engine, sql, since } = opened()
    addQuery(engine, 'first-20', first(20))
    expect(opsOf(deltaOf(createEngine(sql, tables), 'g', since))).toEqual(puts(10, 11))
  })

  test('sends nothing if it ends before the bound of the other, or if the client has all rows', () => {
    const { engine, since } = opened()
    addQuery(engine, 'first-5', first(5))
    expect(opsOf(deltaOf(engine, 'g', since))).toEqual([])
    addQuery(engine, 'all', z.thread.orderBy('id', 'asc'))
    const { version } = deltaOf(engine, 'g', since)
    addQuery(engine, 'first-50', first(50))
    expect(opsOf(deltaOf(engine, 'g', version))).toEqual([])
  })

  test('begins after rows that the smaller window lost since', () => {
    const { engine, sql, since } = opened()
    addQuery(engine, 'first-20', first(20))
    // The smaller window is cut behind its tenth row, t004. The client had t005 to t010.
    const added = ['a', 'b', 'c', 'd', 'e', 'f'].map((id) => putThread(id))
    sql.transaction(() => void engine.apply(added))
    expect(opsOf(deltaOf(engine, 'g', since))).toEqual([...added.map(({ id }) => `+thread/${id.id}`), ...puts(16, 5)])
  })

  test('includes the rows below its own root rows', () => {
    const { engine } = buildEngine()
    engine.load([...ids(4).map((id) => putThread(id)), ...ids(4).map((threadId) => putMessage(`of-${threadId}`, { threadId }))])
    const withMessages = (limit: number) => first(limit).related('messages')
    addQuery(engine, 'two', withMessages(2))
    const { version } = deltaOf(engine, 'g', null)
    addQuery(engine, 'three', withMessages(3))
    expect(opsOf(deltaOf(engine, 'g', version))).toEqual(['+message/of-t003', '+thread/t003'])
  })

  test.each([
    ['another group', (engine: Engine) => addQuery(engine, 'first-20', first(20), 'other'), 'other', 20],
    ['another order', (engine: Engine) => addQuery(engine, 'last-20', z.thread.orderBy('id', 'desc').limit(20)), 'g', 20],
    ['another condition', (engine: Engine) => addQuery(engine, 'mine', first(20).where('userId', 'me')), 'g', 20],
  ] as const)('sends all its rows if the other is of %s', (_, add, groupID, rows) => {
    const { engine, since } = opened()
    add(engine)
    expect(deltaOf(engine, groupID, groupID === 'g' ? since : null).rows).toHaveLength(rows)
  })

  test('sends all its rows if the other was removed or is as new to the client', () => {
    const { engine, since } = opened()
    addQuery(engine, 'first-20', first(20))
    addQuery(engine, 'first-30', first(30))
    expect(opsOf(deltaOf(engine, 'g', null))).toEqual(puts(30))
    engine.removeQuery('g', 'first-10')
    expect(opsOf(deltaOf(engine, 'g', since))).toEqual(puts(30))
  })

  test('is not confused by a limit of 0, which has no rows', () => {
    const { engine } = buildEngine()
    engine.load(ids(3).map((id) => putThread(id)))
    addQuery(engine, 'none', first(0))
    const { version } = deltaOf(engine, 'g', null)
    addQuery(engine, 'two', first(2))
    expect(opsOf(deltaOf(engine, 'g', version))).toEqual(puts(2))
  })

  test('keeps a row that leaves the smaller window', () => {
    const { engine, sql, since } = opened()
    addQuery(engine, 'first-20', first(20))
    const { version } = deltaOf(engine, 'g', since)
    engine.removeQuery('g', 'first-10')
    expect(opsOf(deltaOf(engine, 'g', version))).toEqual([])
    sql.transaction(() => void engine.apply([deleted(putThread('t001'))]))
    expect(opsOf(deltaOf(engine, 'g', version))).toEqual(['+thread/t021', '-thread/t001'])
  })
})

// When plans are compiled: a group may have hundreds of queries, and a change affects few. Rules: worker/sync/SPEC.md, E15.
import { beforeEach, expect, test, vi } from 'vitest'
import * as compiling from '../../../../worker/sync/engine/compile.ts'
import { hasWindow, tablesOf } from '../../../../worker/sync/engine/compile.ts'
import { createEngine } from '../../../../worker/sync/engine/engine.ts'
import { schema } from '../../../sim/engine/domain.ts'
import { shapes, singleRowShapes } from '../../../sim/engine/shapes.ts'
import { deltaOf } from '../../../support/delta-of.ts'
import { createRng } from '../../../support/rng.ts'
import { addQuery, astOf, buildEngine, opsOf, putMessage, putTag, putThread, tables, z } from './build.ts'

const compile = vi.spyOn(compiling, 'compile')

beforeEach(() => {
  compile.mockClear()
})

const kept = 450
const oneThread = (id: string) => z.thread.where('id', id).related('messages').one()

/** An object that was evicted with many queries, and its client. */
function sleeping() {
  const { engine, sql } = buildEngine()
  sql.transaction(() => void engine.apply([putThread('t1'), putMessage('m1'), putThread('t2')]))
  for (let i = 1; i <= kept; i++) addQuery(engine, `q${i}`, oneThread(`t${i}`))
  addQuery(engine, 'tags', z.tag)
  const { version } = deltaOf(engine, 'g', null)
  const woken = createEngine(sql, tables)
  woken.migrate()
  compile.mockClear()
  return { since: version, sql, woken }
}

test('[E15] a wake compiles no plan without changes', () => {
  const { since, woken } = sleeping()
  expect(woken.queries('g')).toHaveLength(kept + 1)
  const delta = deltaOf(woken, 'g', since)
  expect([delta.rows, delta.got, delta.removed]).toEqual([[], [], []])
  expect(compile).toHaveBeenCalledTimes(0)
})

test('[E15] a change compiles the plans that read its table, once', () => {
  const { since, sql, woken } = sleeping()
  sql.transaction(() => void woken.apply([putTag('t1', 'red')]))
  expect(opsOf(deltaOf(woken, 'g', since))).toEqual(['+tag/t1|red'])
  expect(compile).toHaveBeenCalledTimes(1)
  const { version } = deltaOf(woken, 'g', since)
  sql.transaction(() => void woken.apply([putTag('t1', 'blue')]))
  expect(opsOf(deltaOf(woken, 'g', version))).toEqual(['+tag/t1|blue'])
  expect(compile).toHaveBeenCalledTimes(1)
})

test('[E15] plans that are compiled late give the same deltas', () => {
  const { since, sql, woken } = sleeping()
  sql.transaction(() => void woken.apply([putMessage('m2', { threadId: 't2' }), putMessage('m3', { threadId: 'nobody' })]))
  expect(opsOf(deltaOf(woken, 'g', since))).toEqual(['+message/m2'])
  // Every query that reads messages.
  expect(compile).toHaveBeenCalledTimes(kept)
  woken.removeQuery('g', 'q1')
  expect(opsOf(deltaOf(woken, 'g', since))).toEqual(['+message/m2', '-message/m1', '-thread/t1'])
  expect(opsOf(deltaOf(woken, 'g', null))).toEqual(['+message/m2', '+thread/t2'])
})

test('[E7] after a wake only windows of changed tables are measured', () => {
  const { engine, sql } = buildEngine()
  for (let i = 1; i <= 4; i++) sql.transaction(() => void engine.apply([putThread(`t${i}`)]))
  addQuery(engine, 'first', z.thread.limit(2))
  addQuery(engine, 'messages', z.message.limit(2))
  const { version } = deltaOf(engine, 'g', null)
  const woken = createEngine(sql, tables)
  woken.migrate()
  compile.mockClear()
  expect(deltaOf(woken, 'g', version).rows).toEqual([])
  expect(compile).toHaveBeenCalledTimes(0)
  sql.transaction(() => void woken.apply([{ ...putThread('t1'), row: null }]))
  expect(opsOf(deltaOf(woken, 'g', version))).toEqual(['+thread/t3', '-thread/t1'])
  expect(compile).toHaveBeenCalledTimes(1)
})

test('[E15] tables and windows of stored queries are read correctly from any literal', () => {
  const { engine, sql } = buildEngine()
  const odd = ['plain', 'a "quoted" one', 'ends with \\', '","table":"tag"},"limit":9,"value":"', '\\"value\\":\\"x']
  sql.transaction(() => void engine.apply(odd.map((id) => putThread(id))))
  for (const id of odd) {
    addQuery(engine, `one ${id}`, z.thread.where('id', id).one())
    addQuery(engine, `titled ${id}`, z.thread.where('title', id).one())
    addQuery(engine, `role ${id}`, z.message.where('role', id))
  }
  const { version } = deltaOf(engine, 'g', null)
  const woken = createEngine(sql, tables)
  woken.migrate()
  compile.mockClear()
  sql.transaction(() => void woken.apply([putTag('t1', 'red')]))
  expect(deltaOf(woken, 'g', version).rows).toEqual([])
  expect(compile).toHaveBeenCalledTimes(0)
  sql.transaction(() => void woken.apply([putMessage('m1', { role: odd[3] ?? '' })]))
  expect(opsOf(deltaOf(woken, 'g', version))).toEqual(['+message/m1'])
  expect(compile).toHaveBeenCalledTimes(odd.length)
  compile.mockClear()
  sql.transaction(() => void woken.apply([putThread(odd[1] ?? '', { rank: 1 })]))
  expect(opsOf(deltaOf(woken, 'g', version))).toContain(`+thread/${odd[1]}`)
  // Every query that reads threads.
  expect(compile).toHaveBeenCalledTimes(2 * odd.length)
})

const forms = { ...shapes, ...singleRowShapes }

test.each(Object.keys(forms))('[E11] tables and window of %s, read from its AST, are those of its plan', (name) => {
  const rng = createRng(1)
  for (const limit of [0, 1, 3]) {
    const ast = astOf(forms[name]?.(rng, limit))
    const plan = compile(ast, schema.tables)
    const table = schema.tables[ast.table as keyof typeof schema.tables]
    expect([tablesOf(ast), hasWindow(ast, table)]).toEqual([new Set(plan.byTable.keys()), plan.window !== null])
  }
})

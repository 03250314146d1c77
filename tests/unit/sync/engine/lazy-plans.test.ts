// How many plans are compiled, and when: at a wake a group may keep hundreds of queries, and what has happened concerns few. Rules: SPEC.md, E15.
import { beforeEach, expect, test, vi } from 'vitest'
import * as compiling from '../../../../worker/sync/engine/compile.ts'
import { createEngine } from '../../../../worker/sync/engine/engine.ts'
import { scopeOf } from '../../../../worker/sync/engine/scope.ts'
import { schema } from '../../../sim/engine/domain.ts'
import { shapes } from '../../../sim/engine/shapes.ts'
import { createRng } from '../../../support/rng.ts'
import { addQuery, astOf, buildEngine, opsOf, putMessage, putTag, putThread, tables, z } from './build.ts'

vi.mock('../../../../worker/sync/engine/compile.ts', async (load) => {
  const actual = await load<typeof compiling>()
  return { ...actual, compile: vi.fn(actual.compile) }
})
const compile = vi.mocked(compiling.compile)

beforeEach(() => {
  compile.mockClear()
})

const kept = 450
const oneThread = (id: string) => z.thread.where('id', id).related('messages').one()

/** An object that has gone to sleep with many queries, and its client. */
function sleeping() {
  const { engine, sql } = buildEngine()
  sql.transaction(() => void engine.apply([putThread('t1'), putMessage('m1'), putThread('t2')]))
  for (let i = 1; i <= kept; i++) addQuery(engine, `q${i}`, oneThread(`t${i}`))
  addQuery(engine, 'tags', z.tag)
  const { version } = engine.sync('g', null)
  const woken = createEngine(sql, tables)
  woken.migrate()
  compile.mockClear()
  return { since: version, sql, woken }
}

test('[E15] a wake compiles no plan that nothing has happened to', () => {
  const { since, woken } = sleeping()
  expect(woken.queries('g')).toHaveLength(kept + 1)
  const quiet = woken.sync('g', since)
  expect([quiet.rows, quiet.got, quiet.gone]).toEqual([[], [], []])
  expect(compile).toHaveBeenCalledTimes(0)
})

test('[E15] a change compiles the plans of those that read its table, once, whoever asks', () => {
  const { since, sql, woken } = sleeping()
  sql.transaction(() => void woken.apply([putTag('t1', 'red')]))
  expect(opsOf(woken.sync('g', since))).toEqual(['+tag/t1|red'])
  expect(compile).toHaveBeenCalledTimes(1)
  const { version } = woken.sync('g', since)
  sql.transaction(() => void woken.apply([putTag('t1', 'blue')]))
  expect(opsOf(woken.sync('g', version))).toEqual(['+tag/t1|blue'])
  expect(compile).toHaveBeenCalledTimes(1)
})

test('[E2] [E15] what is compiled late answers as ever', () => {
  const { since, sql, woken } = sleeping()
  sql.transaction(() => void woken.apply([putMessage('m2', { threadId: 't2' }), putMessage('m3', { threadId: 'nobody' })]))
  expect(opsOf(woken.sync('g', since))).toEqual(['+message/m2'])
  expect(compile).toHaveBeenCalledTimes(kept)
  woken.removeQuery('g', 'q1')
  expect(opsOf(woken.sync('g', since))).toEqual(['+message/m2', '-message/m1', '-thread/t1'])
  expect(opsOf(woken.sync('g', null))).toEqual(['+message/m2', '+thread/t2'])
})

test('[E7] windows are measured at a wake all the same', () => {
  const { engine, sql } = buildEngine()
  for (let i = 1; i <= 4; i++) sql.transaction(() => void engine.apply([putThread(`t${i}`)]))
  addQuery(engine, 'first', z.thread.limit(2))
  addQuery(engine, 'all', z.message)
  engine.sync('g', null)
  const woken = createEngine(sql, tables)
  woken.migrate()
  sql.transaction(() => void woken.apply([{ ...putThread('t1'), row: null }]))
  compile.mockClear()
  expect(opsOf(woken.sync('g', woken.version - 1))).toEqual(['+thread/t3', '-thread/t1'])
  expect(compile).toHaveBeenCalledTimes(1)
})

test('[E15] whatever texts stored queries compare with, each is known by its own tables and window', () => {
  const { engine, sql } = buildEngine()
  const odd = ['plain', 'a "quoted" one', 'ends with \\', '","table":"tag"},"limit":9,"value":"', '\\"value\\":\\"x']
  sql.transaction(() => void engine.apply(odd.map((id) => putThread(id))))
  for (const id of odd) {
    addQuery(engine, `one ${id}`, z.thread.where('id', id).one())
    addQuery(engine, `titled ${id}`, z.thread.where('title', id).one())
    addQuery(engine, `role ${id}`, z.message.where('role', id))
  }
  const { version } = engine.sync('g', null)
  const woken = createEngine(sql, tables)
  woken.migrate()
  compile.mockClear()
  sql.transaction(() => void woken.apply([putTag('t1', 'red')]))
  expect(woken.sync('g', version).rows).toEqual([])
  // Those with a window, which is measured.
  expect(compile).toHaveBeenCalledTimes(odd.length)
  sql.transaction(() => void woken.apply([putMessage('m1', { role: odd[3] ?? '' })]))
  expect(opsOf(woken.sync('g', version))).toEqual(['+message/m1'])
  expect(compile).toHaveBeenCalledTimes(2 * odd.length)
})

test.each(Object.keys(shapes))('[E11] the scope of %s is that of its plan', (name) => {
  const rng = createRng(1)
  for (const limit of [0, 1, 3]) {
    const ast = astOf(shapes[name]?.(rng, limit))
    const plan = compile(ast, schema.tables)
    expect(scopeOf(ast, schema.tables)).toEqual({ tables: new Set(plan.byTable.keys()), hasWindow: plan.window !== null })
  }
})

// How many plans are compiled, and when: at a wake a group may keep hundreds of queries, and what has happened concerns few. Rules: SPEC.md, E15.
import { beforeEach, expect, test, vi } from 'vitest'
import * as compiling from '../../../../worker/sync/engine/compile.ts'
import { createEngine } from '../../../../worker/sync/engine/engine.ts'
import { reachFrom, reachText, scopeOf } from '../../../../worker/sync/engine/scope.ts'
import { schema } from '../../../sim/engine/domain.ts'
import { pinnedShapes, shapes } from '../../../sim/engine/shapes.ts'
import { createRng } from '../../../support/rng.ts'
import { addQuery, astOf, buildEngine, opsOf, putMessage, putTag, putThread, tables, z } from './build.ts'

const compile = vi.spyOn(compiling, 'compile')

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
  // The one that is pinned to the thread of a message that came.
  expect(compile).toHaveBeenCalledTimes(1)
  woken.removeQuery('g', 'q1')
  expect(opsOf(woken.sync('g', since))).toEqual(['+message/m2', '-message/m1', '-thread/t1'])
  expect(opsOf(woken.sync('g', null))).toEqual(['+message/m2', '+thread/t2'])
})

test('[E7] of the windows that are kept a wake measures those of a changed table', () => {
  const { engine, sql } = buildEngine()
  for (let i = 1; i <= 4; i++) sql.transaction(() => void engine.apply([putThread(`t${i}`)]))
  addQuery(engine, 'first', z.thread.limit(2))
  addQuery(engine, 'messages', z.message.limit(2))
  const { version } = engine.sync('g', null)
  const woken = createEngine(sql, tables)
  woken.migrate()
  compile.mockClear()
  expect(woken.sync('g', version).rows).toEqual([])
  expect(compile).toHaveBeenCalledTimes(0)
  sql.transaction(() => void woken.apply([{ ...putThread('t1'), row: null }]))
  expect(opsOf(woken.sync('g', version))).toEqual(['+thread/t3', '-thread/t1'])
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
  expect(compile).toHaveBeenCalledTimes(0)
  sql.transaction(() => void woken.apply([putMessage('m1', { role: odd[3] ?? '' })]))
  expect(opsOf(woken.sync('g', version))).toEqual(['+message/m1'])
  expect(compile).toHaveBeenCalledTimes(odd.length)
  compile.mockClear()
  sql.transaction(() => void woken.apply([putThread(odd[1] ?? '', { rank: 1 })]))
  expect(opsOf(woken.sync('g', version))).toContain(`+thread/${odd[1]}`)
  // The one whose thread it is, and the windows of threads by title.
  expect(compile).toHaveBeenCalledTimes(1 + odd.length)
})

const forms = { ...shapes, ...pinnedShapes }

test.each(Object.keys(forms))('[E11] [E21] the scope of %s is that of its plan', (name) => {
  const rng = createRng(1)
  for (const limit of [0, 1, 3]) {
    const ast = astOf(forms[name]?.(rng, limit))
    const plan = compile(ast, schema.tables)
    const scope = scopeOf(ast, schema.tables)
    expect([new Set(scope.tables.keys()), scope.hasWindow]).toEqual([new Set(plan.byTable.keys()), plan.window !== null])
    expect(reachFrom(reachText(scope))).toEqual({ tables: new Map([...scope.tables].toSorted()), hasWindow: scope.hasWindow })
    // What a row must have in a pinned column the plan demands as well.
    for (const [name, column] of scope.tables) {
      if (column === null) continue
      const nodes = (plan.byTable.get(name) ?? []).filter(({ kind }) => kind !== 'exists')
      for (const { pins } of nodes) expect(pins).toContainEqual([column, scope.pin])
    }
  }
})

// Cached results of queries that mutators run repeatedly. Rules: worker/sync/SPEC.md, E10 and E17.
import { expect, test } from 'vitest'
import { createEngine } from '../../../../worker/sync/engine/engine.ts'
import { type Sql, UnsupportedQueryError } from '../../../../worker/sync/engine/types.ts'
import { createRng, type Rng } from '../../../support/rng.ts'
import { astOf, buildEngine, deleted, putMessage, putThread, tables, z } from './build.ts'

const questions = [
  z.thread.where('userId', 'me').one(),
  z.thread.where('id', 't1').one(),
  z.thread.where('id', 't2').where('userId', 'me').one(),
  z.thread.where('title', 'b').where('id', 't3'),
  z.thread.where('id', 't4').where('id', 't5'),
  z.thread.where('id', 't4').where('fixed', true),
  z.thread.where('id', 't4').where('title', '!=', 'a'),
  z.thread.where('id', 't5').limit(0),
  z.thread.where('id', 't6').orderBy('rank', 'asc').one(),
  z.thread.where('id', 't6').whereExists('messages'),
  z.thread.where('title', 'a').orderBy('rank', 'desc'),
  z.thread.orderBy('rank', 'asc').limit(2),
  z.thread.where('fixed', true),
  z.thread.whereExists('messages'),
  z.message.where('threadId', 't1').orderBy('createdAt', 'asc'),
].map(astOf)

/** The same query, once by id only and once in a form that is planned. */
const keyed = [
  [z.thread.where('id', 't1').one(), z.thread.where('id', 'IN', ['t1']).one()],
  [z.thread.where('id', 't2').where('userId', 'me').one(), z.thread.where('id', 'IN', ['t2']).where('userId', 'me').one()],
  [z.thread.where('title', 'b').where('id', 't3'), z.thread.where('title', 'b').where('id', 'IN', ['t3'])],
  [z.thread.where('id', 't4').where('id', 't5'), z.thread.where('id', 'IN', ['t4']).where('id', 'IN', ['t5'])],
  [z.thread.where('id', '\ud800'), z.thread.where('id', 'IN', ['\ud800'])],
  [z.thread.where('id', 't1').where('title', '!=', 'a'), z.thread.where('id', 'IN', ['t1']).where('title', '!=', 'a')],
  [z.thread.where('id', '!=', 't1').orderBy('id', 'asc'), z.thread.where('id', 'NOT IN', ['t1'])],
  [z.thread.where('id', 't1').limit(0), z.thread.where('id', 'IN', ['t1']).limit(0)],
].map((pair) => pair.map(astOf))

const ids = ['t1', 't2', 't3', 't4', 't5', 't6']

function someChange(rng: Rng) {
  const columns = { title: rng.pick(['a', 'b']), fixed: rng.chance(0.5), rank: rng.below(3), userId: rng.pick(['me', 'you']) }
  const thread = putThread(rng.pick(ids), { ...columns, meta: { is: rng.pick(['x', 'y', 'x'.repeat(5000)]) } })
  const message = putMessage(`m${rng.below(6)}`, { threadId: rng.pick(ids), createdAt: rng.below(3), text: rng.pick(['x', 'y']) })
  const change = rng.chance(0.7) ? thread : message
  return rng.chance(0.2) ? deleted(change) : change
}

const refusal = new Error('the host changed its mind')

test.each([1, 2, 3, 4, 5])('[E17] run returns current rows with a warm cache: history %i', (seed) => {
  const rng = createRng(seed)
  const { engine, sql } = buildEngine()
  for (let step = 0; step < 300; step++) {
    const changes = Array.from({ length: 1 + rng.below(2) }, () => someChange(rng))
    const kind = rng.below(10)
    if (kind === 0) engine.load(changes)
    if (kind > 1) engine.apply(changes)
    if (kind === 1) {
      const undone = () =>
        sql.transaction(() => {
          engine.apply(changes)
          for (const ast of questions) engine.run(ast)
          throw refusal
        })
      expect(undone).toThrow(refusal)
      engine.reset()
    }
    // An engine without earlier queries has an empty cache.
    const freshEngine = createEngine(sql, tables)
    for (const ast of questions) if (rng.chance(0.8)) expect(engine.run(ast)).toEqual(freshEngine.run(ast))
    for (const [byId, planned] of keyed) if (byId && planned) expect(engine.run(byId)).toEqual(freshEngine.run(planned))
  }
})

function spied() {
  const { engine, sql } = buildEngine()
  engine.load([putThread('t1'), putMessage('m1')])
  let reads = 0
  const spy: Sql = {
    ...sql,
    all(text, ...binds) {
      if (text.startsWith('select * from')) reads++
      return sql.all(text, ...binds)
    },
  }
  const watched = createEngine(spy, tables)
  const readsOf = (run: () => void): number => {
    const before = reads
    run()
    return reads - before
  }
  return { engine: watched, readsOf }
}

const mine = astOf(z.thread.where('userId', 'me').one())

test('[E17] a repeated query is not read again, also after changes of other columns', () => {
  const { engine, readsOf } = spied()
  engine.run(mine)
  expect(readsOf(() => engine.run(mine))).toBe(0)
  engine.apply([putThread('t1', { title: 'new' }), putMessage('m2')])
  expect(readsOf(() => expect(engine.run(mine)).toMatchObject([{ id: 't1', title: 'new' }]))).toBe(0)
})

test('[E17] a query is read again when its rows may differ', () => {
  const { engine, readsOf } = spied()
  engine.run(mine)
  engine.apply([putThread('t0')])
  expect(readsOf(() => expect(engine.run(mine)).toMatchObject([{ id: 't0' }]))).toBe(1)
  engine.apply([putThread('t0', { userId: 'you' })])
  expect(readsOf(() => expect(engine.run(mine)).toMatchObject([{ id: 't1' }]))).toBe(1)
})

test.each([
  ['asks for what is related', astOf(z.thread.where('id', 't1').related('messages'))],
  ['is in the order of a column that is none', { ...astOf(z.thread.where('id', 't1')), orderBy: [['nothing', 'asc'] as const] }],
])('[E17] a query by id that %s is refused', (_which, ast) => {
  const { engine } = spied()
  expect(() => engine.run(ast)).toThrow(UnsupportedQueryError)
})

test('[E17] large results and results of several tables are not cached', () => {
  const { engine, readsOf } = spied()
  const long = astOf(z.message.where('threadId', 't1'))
  engine.apply([putMessage('m1', { text: 'x'.repeat(5000) })])
  const hasMatch = astOf(z.thread.whereExists('messages'))
  for (const ast of [long, hasMatch]) {
    engine.run(ast)
    expect(readsOf(() => engine.run(ast))).toBe(1)
  }
})

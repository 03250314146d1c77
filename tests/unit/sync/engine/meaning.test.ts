// One condition, evaluated in JavaScript for a row and in SQL for a table, against the naive evaluator.
import type { AST, Condition, SimpleOperator } from '@rocicorp/zero'
import { describe, expect, test } from 'vitest'
import { toStoredRow } from '../../../../worker/sync/engine/codec.ts'
import { compile } from '../../../../worker/sync/engine/compile.ts'
import { createEngine } from '../../../../worker/sync/engine/engine.ts'
import { frag, query } from '../../../../worker/sync/engine/fragment.ts'
import { compareValues, tableSql } from '../../../../worker/sync/engine/plan.ts'
import type { Row, Table, Tables } from '../../../../worker/sync/engine/types.ts'
import { betweenSql, isPossible, isWithin, keyOf, type WindowBound, withinSql } from '../../../../worker/sync/engine/window.ts'
import { deltaOf } from '../../../support/delta-of.ts'
import { matching } from '../../../support/naive-evaluator.ts'
import { createNodeSql } from '../../../support/node-sql.ts'
import { buildEngine, putThread } from './build.ts'

const table: Table = {
  name: 'thing',
  columns: {
    id: { type: 'string' },
    text: { type: 'string', optional: true },
    size: { type: 'number', optional: true },
    on: { type: 'boolean', optional: true },
  },
  primaryKey: ['id'],
}
const tables: Tables = { thing: table }

const rows: readonly Row[] = [null, '', 'a', 'B', 'é', '\uff5e', '\u{1f600}', '10', '9'].flatMap((text, i) =>
  [null, -1, 0, 9, 10, 2.5].map((size, j) => ({ id: `${i}${j}`, text, size, on: [null, true, false][(i + j) % 3] ?? null })),
)

function buildThings() {
  const sql = createNodeSql()
  const engine = createEngine(sql, tables)
  engine.migrate()
  engine.load(rows.map((row) => ({ table: 'thing', id: { id: String(row.id) }, row })))
  return { sql, engine }
}

function simple(column: string, op: SimpleOperator, value: unknown): Condition {
  return { type: 'simple', op, left: { type: 'column', name: column }, right: { type: 'literal', value: value as never } }
}

const comparisons: readonly Condition[] = [
  ...(['=', '!=', '<', '>', '<=', '>=', 'IS', 'IS NOT'] as const).flatMap((op) => [
    ...['', 'B', 'é', '\uff5e', '10', null].map((value) => simple('text', op, value)),
    ...[0, 9, 2.5, null].map((value) => simple('size', op, value)),
    ...[true, false, null].map((value) => simple('on', op, value)),
  ]),
  ...(['IN', 'NOT IN'] as const).flatMap((op) => [
    simple('text', op, []),
    simple('text', op, ['a', '9']),
    simple('text', op, ['a', '9', '', 'é', '\u{1f600}', 'x']),
    simple('size', op, [0, 9, 10, 11, 12, 2.5]),
    simple('on', op, [true]),
  ]),
  { type: 'and', conditions: [] },
  { type: 'or', conditions: [] },
  {
    type: 'or',
    conditions: [simple('size', '>', 5), { type: 'and', conditions: [simple('on', '=', true), simple('text', 'IS NOT', null)] }],
  },
  { type: 'simple', op: '=', left: { type: 'literal', value: 1 }, right: { type: 'literal', value: 1 } },
  { type: 'simple', op: '<', left: { type: 'literal', value: 'b' }, right: { type: 'literal', value: 'a' } },
  { type: 'simple', op: 'IS', left: { type: 'literal', value: null }, right: { type: 'literal', value: null } },
]

describe('[E13] conditions give the same rows in SQL, in JavaScript and in the client', () => {
  const { engine } = buildThings()

  test.each(comparisons.map((where) => [JSON.stringify(where), where] as const))('%s', (_, where) => {
    const ast: AST = { table: 'thing', where }
    const expected = matching(ast, { thing: rows }).map((row) => row.id)
    const { root } = compile(ast, tables)
    expect(rows.filter((row) => isPossible(root, toStoredRow(table, row))).map((row) => row.id)).toEqual(expected)
    expect(engine.run(ast).map((row) => row.id)).toEqual(expected)
  })
})

describe('[E13] orders give the same windows in SQL and in JavaScript', () => {
  const { sql } = buildThings()
  const directions = ['asc', 'desc'] as const
  const orders = directions.flatMap((first) =>
    directions.map(
      (second) =>
        [
          ['text', first],
          ['size', second],
          ['id', first],
        ] as const,
    ),
  )

  test.each(orders.map((orderBy) => [orderBy.map((part) => part.join(' ')).join(', '), orderBy] as const))('%s', (_, orderBy) => {
    const plan = compile({ table: 'thing', orderBy, limit: 3 }, tables)
    const stored = rows.map((row) => toStoredRow(table, row))
    const select = (range: ReturnType<typeof withinSql>) =>
      query<{ id: string }>(sql, frag`select id from ${tableSql(plan.root)} where ${range}`)
        .map((row) => row.id)
        .toSorted()
    const within = (bound: WindowBound) => stored.filter((row) => isWithin(plan.order, row, bound)).map((row) => String(row.id))
    const bounds = stored.map((row) => keyOf(plan.order, row))
    for (const [i, bound] of bounds.entries()) {
      expect(select(withinSql(plan.order, plan.root.alias, bound))).toEqual(within(bound).toSorted())
      const from = bounds[(i * 7) % bounds.length] ?? bound
      const between = within(bound).filter((id) => !within(from).includes(id))
      expect(select(betweenSql(plan.order, plan.root.alias, from, bound))).toEqual(between.toSorted())
    }
  })

  test('text sorts by UTF-8 bytes', () => {
    const texts = ['\u{1f600}', '\uff5e', 'é', 'z', 'B', 'a', '', '\ud7ff', '\u{10ffff}', 'ab']
    const byBytes = texts.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
    expect(texts.toSorted(compareValues)).toEqual(byBytes)
  })

  test('null sorts first', () => {
    expect([1, null, 0].toSorted(compareValues)).toEqual([null, 0, 1])
  })
})

test('[E13] null does not correlate', () => {
  const nullable: Tables = {
    a: { name: 'a', columns: { id: { type: 'string' }, bId: { type: 'string', optional: true } }, primaryKey: ['id'] },
    b: { name: 'b', columns: { id: { type: 'string' }, aId: { type: 'string', optional: true } }, primaryKey: ['id'] },
  }
  const engine = createEngine(createNodeSql(), nullable)
  engine.migrate()
  engine.load([
    { table: 'a', id: { id: 'a1' }, row: { id: 'a1', bId: null } },
    { table: 'b', id: { id: 'b1' }, row: { id: 'b1', aId: null } },
  ])
  const related = { correlation: { parentField: ['bId'], childField: ['aId'] }, subquery: { table: 'b', alias: 'b' } } as const
  engine.addQuery('g', { hash: 'q', name: 'q', args: [], ast: { table: 'a', related: [related] } })
  expect(deltaOf(engine, 'g', null).rows.map((op) => op.tableName)).toEqual(['a'])
  expect(engine.run({ table: 'a', where: { type: 'correlatedSubquery', op: 'EXISTS', related } })).toEqual([])
})

test('[E13] limit 0 returns and covers no rows', () => {
  const { engine } = buildEngine()
  engine.load([putThread('t1')])
  engine.addQuery('g', { hash: 'q', name: 'q', args: [], ast: { table: 'thread', limit: 0 } })
  expect(deltaOf(engine, 'g', null)).toMatchObject({ rows: [], got: ['q'] })
})

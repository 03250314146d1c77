import type { AST, Condition } from '@rocicorp/zero'
import { describe, expect, test } from 'vitest'
import { compile } from '../../../../worker/sync/engine/compile.ts'
import { type Tables, UnsupportedQueryError } from '../../../../worker/sync/engine/types.ts'
import { addQuery, astOf, buildEngine, tables, z } from './build.ts'

const column = (name: string) => ({ type: 'column', name }) as const
const literal = (value: string | number | boolean | null) => ({ type: 'literal', value }) as const
const messages = (subquery: Partial<AST> = {}) =>
  ({
    correlation: { parentField: ['id'], childField: ['threadId'] },
    subquery: { table: 'message', alias: 'messages', ...subquery },
  }) as const

function where(condition: Condition): AST {
  return { table: 'thread', where: condition }
}

describe('[E12] rejected forms', () => {
  test.each<[string, AST, string]>([
    ['limit in related', astOf(z.thread.related('messages', (q) => q.limit(3))), 'limit() inside related() (at related[0].subquery.limit)'],
    [
      'one() in related many',
      astOf(z.thread.related('messages', (q) => q.one())),
      'limit() inside related() (at related[0].subquery.limit)',
    ],
    [
      'limit in exists',
      astOf(z.thread.whereExists('messages', (q) => q.limit(1))),
      'limit() inside exists() (at where.related.subquery.limit)',
    ],
    ['start', astOf(z.thread.start({ id: 't1' })), 'start() (at start)'],
    ['NOT EXISTS', astOf(z.thread.where(({ not, exists }) => not(exists('messages')))), 'NOT EXISTS (at where)'],
    ['scalar', astOf(z.thread.whereExists('messages', { scalar: true })), 'scalar subquery (at where)'],
    ['LIKE', astOf(z.thread.where('title', 'LIKE', 'a%')), 'LIKE (at where)'],
    ['NOT ILIKE', astOf(z.thread.where('userId', 'me').where('title', 'NOT ILIKE', 'a%')), 'NOT ILIKE (at where.and[1])'],
    [
      'a parameter',
      where({ type: 'simple', op: '=', left: column('id'), right: { type: 'static', anchor: 'authData', field: 'sub' } }),
      'comparison with a parameter or a column (at where)',
    ],
    [
      'a column on the right',
      where({ type: 'simple', op: '=', left: column('id'), right: column('title') as never }),
      'comparison with a parameter or a column (at where)',
    ],
    [
      'json in a condition',
      where({ type: 'simple', op: 'IS', left: column('meta'), right: literal(null) }),
      'json column thread.meta in a condition, correlation or order (at where)',
    ],
    [
      'json in an order',
      { table: 'thread', orderBy: [['meta', 'asc']] },
      'json column thread.meta in a condition, correlation or order (at orderBy)',
    ],
    [
      'a literal of another type',
      where({ type: 'simple', op: '=', left: column('rank'), right: literal('1') }),
      'a string literal where a number belongs (at where)',
    ],
    ['an unknown table', { table: 'nothing' }, 'unknown table nothing (at table)'],
    ['an unknown column', where({ type: 'simple', op: '=', left: column('no'), right: literal(1) }), 'unknown column thread.no (at where)'],
    [
      'an unknown correlation column',
      { table: 'thread', related: [{ ...messages(), correlation: { parentField: ['no'], childField: ['threadId'] } }] },
      'unknown column thread.no (at related[0].subquery.correlation)',
    ],
    [
      'correlated types that differ',
      { table: 'thread', related: [{ ...messages(), correlation: { parentField: ['id'], childField: ['createdAt'] } }] },
      'correlation of a string with a number (at related[0].subquery.correlation)',
    ],
    [
      'related inside exists',
      where({ type: 'correlatedSubquery', op: 'EXISTS', related: messages({ related: [messages()] }) }),
      'related() inside exists() (at where.related.subquery.related[0])',
    ],
    [
      'more values than a statement binds',
      where({
        type: 'or',
        conditions: Array.from({ length: 101 }, (_, i) => ({ type: 'simple', op: '=', left: column('id'), right: literal(`t${i}`) })),
      }),
      '101 values in one statement (at thread)',
    ],
  ])('%s', (_, ast, form) => {
    expect(() => compile(ast, tables)).toThrow(new UnsupportedQueryError(`query form not supported by the sync engine: ${form}`))
  })

  test('a refused query stores nothing', () => {
    const { engine, sql } = buildEngine()
    const before = engine.version
    expect(() => addQuery(engine, 'q', z.thread.where('title', 'LIKE', 'a%'))).toThrow(UnsupportedQueryError)
    expect([engine.version, engine.queries('g')]).toEqual([before, []])
    expect(sql.all('select * from z_query')).toEqual([])
    expect(sql.all('select * from z_struct')).toEqual([])
  })
})

describe('[E11] supported forms', () => {
  test.each<[string, unknown]>([
    [
      'long lists',
      z.thread.where(
        'id',
        'IN',
        Array.from({ length: 500 }, (_, i) => `t${i}`),
      ),
    ],
    ['flip', z.thread.whereExists('messages', { flip: true })],
    ['a limit on a fixed related row', z.thread.related('messages', (q) => q.where('id', 'm1').limit(1))],
    ['one() on a fixed row', z.thread.related('messages', (q) => q.where('id', 'm1').one())],
  ])('%s', (_, query) => {
    expect(() => compile(astOf(query), tables)).not.toThrow()
  })

  test('a limit is dropped when the condition fixes the primary key, and kept otherwise', () => {
    expect(compile(astOf(z.thread.where('id', 't1').one()), tables).window).toBeNull()
    expect(compile(astOf(z.tag.where('threadId', 't1').one()), tables).window?.limit).toBe(1)
    expect(compile(astOf(z.tag.where('threadId', 't1').where('name', 'a').limit(9)), tables).window).toBeNull()
  })

  test('the primary key completes the order', () => {
    const { window } = compile(astOf(z.tag.orderBy('name', 'desc').limit(2)), tables)
    expect(window?.order.map(({ column: name, direction }) => `${name} ${direction}`)).toEqual(['name desc', 'threadId asc'])
  })

  test("a fixed parent key fixes the children's correlation", () => {
    const plan = compile(astOf(z.thread.where('id', 't1').related('messages').related('tagInfos')), tables)
    expect(plan.nodes.map((node) => [node.table.name, node.fixedValues])).toEqual([
      ['thread', [['id', 't1']]],
      ['message', [['threadId', 't1']]],
      ['tag', [['threadId', 't1']]],
      ['tagInfo', []],
    ])
  })

  test('structural columns are those of conditions, correlations and order', () => {
    const plan = compile(
      astOf(
        z.thread
          .where('userId', 'me')
          .whereExists('messages', (q) => q.where('role', 'user'))
          .orderBy('rank', 'asc')
          .limit(1),
      ),
      tables,
    )
    expect(new Map([...plan.structural].map(([name, columns]) => [name, [...columns].toSorted()]))).toEqual(
      new Map([
        ['thread', ['id', 'rank', 'userId']],
        ['message', ['role', 'threadId']],
      ]),
    )
  })

  test('a primary key may contain a boolean or a number', () => {
    const odd: Tables = { odd: { name: 'odd', columns: { n: { type: 'number' }, b: { type: 'boolean' } }, primaryKey: ['n', 'b'] } }
    expect(compile({ table: 'odd', limit: 2 }, odd).window?.order.length).toBe(2)
  })
})

import { describe, expect, test } from 'vitest'
import { createEngine } from '../../../../worker/sync/engine/engine.ts'
import { type Sql, type SqlValue, type Tables, UnsupportedQueryError, type Version } from '../../../../worker/sync/engine/types.ts'
import { deltaOf } from '../../../support/delta-of.ts'
import { createNodeSql } from '../../../support/node-sql.ts'
import { addQuery, astOf, buildEngine, deleted, opsOf, putMessage, putTag, putThread, tables, z } from './build.ts'

const myThreads = z.thread.where('userId', 'me')

describe('[E14] apply', () => {
  test('returns the changes that differ and takes a version for each', () => {
    const { engine } = buildEngine()
    engine.load([putThread('t1')])
    const before = engine.version
    const changes = [putThread('t1'), putThread('t1', { title: 'new' }), putThread('t1', { title: 'new' }), deleted(putThread('t2'))]
    expect(engine.apply(changes)).toEqual([changes[1]])
    expect(engine.version).toBe(before + 1)
  })

  test('unknown columns are ignored, missing optional ones become null', () => {
    const { engine } = buildEngine()
    engine.apply([{ table: 'thread', id: { id: 't1' }, row: { userId: 'me', title: 'a', fixed: true, extra: 1 } }])
    expect(engine.get('thread', { id: 't1' })).toEqual({ id: 't1', userId: 'me', title: 'a', fixed: true, rank: null, meta: null })
  })

  test('json values are unchanged', () => {
    const { engine } = buildEngine()
    const meta = { a: [1, 'x', null, { b: true }] }
    engine.apply([putThread('t1', { meta })])
    expect(engine.get('thread', { id: 't1' })?.meta).toEqual(meta)
  })

  test('an unknown table is a TypeError', () => {
    expect(() => buildEngine().engine.apply([{ table: 'nothing', id: { id: 'a' }, row: null }])).toThrow(TypeError)
  })
})

describe('[E15] queries', () => {
  test('adding a live hash changes nothing', () => {
    const { engine } = buildEngine()
    addQuery(engine, 'q', myThreads)
    const before = engine.version
    addQuery(engine, 'q', z.message)
    expect(engine.version).toBe(before)
    expect(engine.queries('g')).toEqual([{ hash: 'q', name: 'q', args: [], ast: astOf(myThreads) }])
  })

  test('a hash removed and added again is neither got nor removed', () => {
    const { engine } = buildEngine()
    engine.load([putThread('t1'), putMessage('m1')])
    addQuery(engine, 'q', z.message)
    const { version } = deltaOf(engine, 'g', null)
    engine.removeQuery('g', 'q')
    addQuery(engine, 'q', myThreads)
    const delta = deltaOf(engine, 'g', version)
    expect(delta).toMatchObject({ got: [], removed: [] })
    expect(opsOf(delta)).toEqual(['+thread/t1', '-message/m1'])
  })

  test('removed queries are not read by a wake or a delta', () => {
    const { engine, sql } = buildEngine()
    engine.load([putThread('t1')])
    addQuery(engine, 'live', myThreads)
    let read = 0
    const spy: Sql = {
      ...sql,
      all<T extends Record<string, SqlValue>>(text: string, ...binds: SqlValue[]) {
        const rows = sql.all<T>(text, ...binds)
        if (text.includes('z_query')) read += rows.length
        return rows
      },
    }
    const readAtWake = (since: Version) => {
      read = 0
      const awake = createEngine(spy, tables)
      expect(awake.queries('g')).toHaveLength(1)
      expect(deltaOf(awake, 'g', since).removed).toHaveLength(engine.version === since ? 0 : 1)
      return read
    }
    const before = readAtWake(engine.version)
    sql.transaction(() => {
      for (let i = 0; i < 5000; i++) {
        addQuery(engine, `closed-${i}`, z.message.where('threadId', `t${i}`))
        engine.removeQuery('g', `closed-${i}`)
      }
    })
    expect(engine.removedCount).toBe(5000)
    expect(readAtWake(engine.version)).toBe(before)
    addQuery(engine, 'last', z.message)
    const { version } = engine
    engine.removeQuery('g', 'last')
    expect(readAtWake(version)).toBe(before + 1)
  })

  test('queriesAt returns the queries that were live at a version', () => {
    const { engine } = buildEngine()
    addQuery(engine, 'stays', myThreads)
    addQuery(engine, 'goes', z.message)
    addQuery(engine, 'moves', z.tag)
    const { version } = engine
    engine.removeQuery('g', 'goes')
    engine.removeQuery('g', 'moves')
    addQuery(engine, 'moves', z.tagInfo)
    addQuery(engine, 'comes', z.message)
    const tablesAt = (at: Version) =>
      Object.fromEntries([...engine.queriesAt('g', at)].map(([hash, { ast }]) => [hash, ast.table]).toSorted())
    expect(tablesAt(version)).toEqual({ stays: 'thread', goes: 'message', moves: 'tag' })
    expect(tablesAt(engine.version)).toEqual({ stays: 'thread', moves: 'tagInfo', comes: 'message' })
    expect(tablesAt(0)).toEqual({})
  })

  test('a query that was added and removed between two versions is not reported', () => {
    const { engine } = buildEngine()
    engine.load([putThread('t1')])
    const { version } = deltaOf(engine, 'g', null)
    addQuery(engine, 'q', myThreads)
    engine.removeQuery('g', 'q')
    expect(deltaOf(engine, 'g', version)).toMatchObject({ rows: [], got: [], removed: [] })
  })

  test('groups are independent', () => {
    const { engine } = buildEngine()
    engine.load([putThread('t1')])
    addQuery(engine, 'q', myThreads, 'g1')
    expect(opsOf(deltaOf(engine, 'g1', null))).toEqual(['+thread/t1'])
    expect(deltaOf(engine, 'g2', null).rows).toEqual([])
    addQuery(engine, 'closed', myThreads, 'g1')
    engine.removeQuery('g1', 'closed')
    engine.dropGroup('g1')
    expect([engine.queries('g1'), engine.removedCount]).toEqual([[], 0])
  })

  test('queries survive an eviction with name and args', () => {
    const { engine, sql } = buildEngine()
    engine.addQuery('g', { hash: 'h', name: 'threads', args: [{ limit: 3 }], ast: astOf(myThreads) })
    expect(createEngine(sql, tables).queries('g')).toEqual([{ hash: 'h', name: 'threads', args: [{ limit: 3 }], ast: astOf(myThreads) }])
  })
})

describe('[E16] load, wipe, prune', () => {
  test('writes pages of rows of any length with the values of single rows', () => {
    const [loaded, applied, added] = [buildEngine(), buildEngine(), buildEngine()]
    const titles = ['', 'a\u0000b', '"\\\n', '😀', 'x'.repeat(100_000), 'ä'.repeat(300_000), 'y'.repeat(100_000)]
    const rows = titles.flatMap((title, i) => [
      putThread(`t${i}`, {
        title,
        fixed: i % 2 === 0,
        rank: i === 0 ? null : i / 3,
        meta: i === 1 ? null : { list: [i, null, title.slice(0, 3)] },
      }),
      putTag(`t${i}`, 'a'),
    ])
    loaded.engine.load([...rows.slice(0, 2).map(deleted), putThread('t1', { title: 'earlier' }), ...rows])
    applied.engine.apply(rows)
    expect(added.engine.apply(rows, () => true)).toEqual(rows)
    const stored = ({ sql }: typeof loaded) => ['thread', 'tag'].map((table) => sql.all(`select * from ${table}`))
    expect(stored(loaded)).toEqual(stored(applied))
    expect(stored(added)).toEqual(stored(applied))
  })

  test('load writes no log, raises the floor and keeps the queries', () => {
    const { engine, sql } = buildEngine()
    addQuery(engine, 'q', myThreads)
    const { version } = deltaOf(engine, 'g', null)
    engine.load([putThread('t1'), deleted(putThread('t2'))])
    expect(sql.all('select * from z_log')).toEqual([])
    expect(engine.floor).toBe(engine.version)
    expect(deltaOf(engine, 'g', version)).toMatchObject({ clear: true, got: ['q'], rows: { length: 1 } })
  })

  test('wipe deletes rows, log and queries', () => {
    const { engine, sql } = buildEngine()
    engine.apply([putThread('t1')])
    addQuery(engine, 'q', myThreads)
    engine.wipe(0)
    expect([engine.queries('g'), engine.get('thread', { id: 't1' })]).toEqual([[], undefined])
    expect(sql.all('select * from z_log union all select 1, 2, 3, 4, 5 from z_struct')).toEqual([])
  })

  test('prune raises the floor to the version at most and never lowers it', () => {
    const { engine, sql } = buildEngine()
    engine.apply([putThread('t1'), putThread('t2')])
    addQuery(engine, 'q', myThreads)
    engine.removeQuery('g', 'q')
    engine.prune(engine.version + 100)
    expect(engine.floor).toBe(engine.version)
    expect(sql.all('select v from z_log union all select got from z_query')).toEqual([])
    engine.prune(1)
    expect(engine.floor).toBe(engine.version)
  })

  test('a column added by a deploy is null until rows are written again', () => {
    const sql = createNodeSql()
    const older: Tables = { note: { name: 'note', columns: { id: { type: 'string' } }, primaryKey: ['id'] } }
    const newer: Tables = {
      note: { name: 'note', columns: { id: { type: 'string' }, text: { type: 'string', optional: true } }, primaryKey: ['id'] },
    }
    const before = createEngine(sql, older)
    before.migrate()
    before.load([{ table: 'note', id: { id: 'n' }, row: { id: 'n' } }])
    const after = createEngine(sql, newer)
    after.migrate()
    expect(after.get('note', { id: 'n' })).toEqual({ id: 'n', text: null })
    after.apply([{ table: 'note', id: { id: 'n' }, row: { id: 'n', text: 'a' } }])
    expect(after.get('note', { id: 'n' })).toEqual({ id: 'n', text: 'a' })
  })
})

describe('[E17] reading', () => {
  test('run evaluates EXISTS and refuses related', () => {
    const { engine } = buildEngine()
    engine.load([putThread('t1'), putThread('t2'), putMessage('m1')])
    expect(engine.run(astOf(z.thread.whereExists('messages'))).map((row) => row.id)).toEqual(['t1'])
    expect(() => engine.run(astOf(z.thread.related('messages')))).toThrow(UnsupportedQueryError)
  })

  test('run and get read rows of the open transaction', () => {
    const { engine, sql } = buildEngine()
    sql.transaction(() => {
      engine.apply([putTag('t1', 'a')])
      expect(engine.get('tag', { threadId: 't1', name: 'a' })).toEqual({ threadId: 't1', name: 'a' })
      expect(engine.run(astOf(z.tag))).toHaveLength(1)
    })
  })
})

describe('[E18] statements', () => {
  test('a long list is one bind', () => {
    const { engine } = buildEngine()
    engine.load(Array.from({ length: 300 }, (_, i) => putThread(`t${i}`)))
    const ids = Array.from({ length: 200 }, (_, i) => `t${i}`)
    expect(engine.run(astOf(z.thread.where('id', 'IN', ids)))).toHaveLength(200)
    expect(engine.run(astOf(z.thread.where('id', 'NOT IN', ids)))).toHaveLength(100)
  })

  test('conditions with the maximum number of binds are not too deep', () => {
    const { engine } = buildEngine()
    engine.load([putThread('t1'), putMessage('m1')])
    const anyTitle = z.thread.where(({ or, cmp }) => or(...Array.from({ length: 80 }, (_, i) => cmp('title', `t${i}`))))
    addQuery(engine, 'q', anyTitle.whereExists('messages').related('messages').related('tagInfos').orderBy('rank', 'asc').limit(3))
    const { version, rows } = deltaOf(engine, 'g', null)
    expect(rows).toHaveLength(2)
    engine.apply([putMessage('m2'), putTag('t1', 'a')])
    expect(opsOf(deltaOf(engine, 'g', version))).toEqual(['+message/m2', '+tag/t1|a'])
  })

  test('a window is measured with its declared index', () => {
    const { engine, sql } = buildEngine({ indexes: { message: [['threadId', 'createdAt']] } })
    engine.load([putMessage('m1')])
    const texts: string[] = []
    const spy: Sql = {
      ...sql,
      all(text, ...binds) {
        texts.push(text)
        return sql.all(text, ...binds)
      },
    }
    const spied = createEngine(spy, tables)
    addQuery(spied, 'q', z.message.where('threadId', 't1').orderBy('createdAt', 'desc').limit(1))
    const measuring = texts.find((text) => text.includes('offset'))
    expect(measuring).toBeDefined()
    const plan = sql.all<{ detail: string }>(`explain query plan ${measuring ?? ''}`, 't1', 0).map((row) => row.detail)
    expect(plan[0]).toContain('INDEX message_threadId_createdAt')
  })
})

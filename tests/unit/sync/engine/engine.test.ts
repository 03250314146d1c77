import { describe, expect, test } from 'vitest'
import { createEngine } from '../../../../worker/sync/engine/engine.ts'
import { readLog } from '../../../../worker/sync/engine/log.ts'
import { deltaOf } from '../../../support/delta-of.ts'
import { addQuery, buildEngine, deleted, opsOf, putMessage, putTag, putThread, tables, z } from './build.ts'

const myThreads = z.thread.where('userId', 'me')

describe('[E1] freshness', () => {
  test('a changed member is put, a changed row that left is deleted', () => {
    const { engine } = buildEngine()
    engine.load([putThread('t1'), putThread('t2', { userId: 'you' })])
    addQuery(engine, 'q', myThreads)
    const { version } = deltaOf(engine, 'g', null)
    engine.apply([putThread('t1', { title: 'new' }), putThread('t2', { userId: 'they' })])
    expect(opsOf(deltaOf(engine, 'g', version))).toEqual(['-thread/t2', '~thread/t1 title'])
  })

  test('new rows outside all queries are not sent; their later deletion is', () => {
    const { engine } = buildEngine()
    addQuery(engine, 'q', myThreads)
    const { version } = deltaOf(engine, 'g', null)
    const foreignRows = Array.from({ length: 500 }, (_, i) => putThread(`t${i}`, { userId: 'you' }))
    engine.apply(foreignRows)
    expect(deltaOf(engine, 'g', version).rows).toEqual([])
    const later = deltaOf(engine, 'g', version).version
    engine.apply([deleted(putThread('t7'))])
    expect(opsOf(deltaOf(engine, 'g', later))).toEqual(['-thread/t7'])
    // A client from before the insert never had the row.
    expect(deltaOf(engine, 'g', version).rows).toEqual([])
  })

  test('a non-structural change of a row outside all queries is not sent', () => {
    const { engine } = buildEngine()
    engine.load([putThread('t2', { userId: 'you' })])
    addQuery(engine, 'q', myThreads)
    const { version } = deltaOf(engine, 'g', null)
    engine.apply([putThread('t2', { userId: 'you', title: 'new' })])
    expect(deltaOf(engine, 'g', version).rows).toEqual([])
  })

  test('a row that left is deleted by its old image, also after an eviction', () => {
    const { engine } = buildEngine()
    engine.load([putThread('t1'), putMessage('m1'), putMessage('m2')])
    addQuery(engine, 'q', myThreads.related('messages'))
    const { version } = deltaOf(engine, 'g', null)
    engine.apply([putThread('t1', { userId: 'you' })])
    engine.reset()
    expect(opsOf(deltaOf(engine, 'g', version))).toEqual(['-message/m1', '-message/m2', '-thread/t1'])
  })
})

describe('[E2] coverage', () => {
  test('a parent that enters brings its children, and a child that moves leaves', () => {
    const { engine } = buildEngine()
    engine.load([putThread('t1'), putThread('t2', { userId: 'you' }), putMessage('m1'), putMessage('m2', { threadId: 't2' })])
    addQuery(engine, 'q', myThreads.related('messages'))
    const first = deltaOf(engine, 'g', null)
    expect(opsOf(first)).toEqual(['+message/m1', '+thread/t1'])
    engine.apply([putThread('t2')])
    const second = deltaOf(engine, 'g', first.version)
    expect(opsOf(second)).toEqual(['+message/m2', '+thread/t2'])
    engine.apply([putMessage('m1', { threadId: 't3' })])
    expect(opsOf(deltaOf(engine, 'g', second.version))).toEqual(['-message/m1'])
  })

  test('EXISTS matches are covered and decide membership', () => {
    const { engine } = buildEngine()
    engine.load([putThread('t1'), putMessage('m1', { role: 'tool' })])
    addQuery(engine, 'q', z.thread.whereExists('messages', (q) => q.where('role', 'tool')).related('tags'))
    engine.load([putTag('t1', 'a')])
    const first = deltaOf(engine, 'g', null)
    expect(opsOf(first)).toEqual(['+message/m1', '+tag/t1|a', '+thread/t1'])
    engine.apply([deleted(putMessage('m1'))])
    expect(opsOf(deltaOf(engine, 'g', first.version))).toEqual(['-message/m1', '-tag/t1|a', '-thread/t1'])
  })

  test('an additional EXISTS match changes only itself', () => {
    const { engine } = buildEngine()
    engine.load([putThread('t1'), putMessage('m1'), putTag('t1', 'a')])
    addQuery(engine, 'q', z.thread.whereExists('messages').related('tags'))
    const first = deltaOf(engine, 'g', null)
    engine.apply([putMessage('m2')])
    expect(opsOf(deltaOf(engine, 'g', first.version))).toEqual(['+message/m2'])
  })

  test('junctions cover both hops', () => {
    const { engine } = buildEngine()
    const info = (name: string) => ({ table: 'tagInfo', id: { name }, row: { name, color: 'red' } })
    engine.load([putThread('t1'), putTag('t1', 'a'), info('a'), info('b')])
    addQuery(engine, 'q', myThreads.related('tagInfos'))
    const first = deltaOf(engine, 'g', null)
    expect(opsOf(first)).toEqual(['+tag/t1|a', '+tagInfo/a', '+thread/t1'])
    engine.apply([putTag('t1', 'b')])
    expect(opsOf(deltaOf(engine, 'g', first.version))).toEqual(['+tag/t1|b', '+tagInfo/b'])
  })
})

describe('[E3] no garbage', () => {
  test('a row that two queries cover leaves with the second', () => {
    const { engine } = buildEngine()
    engine.load([putThread('t1', { fixed: true })])
    addQuery(engine, 'mine', myThreads)
    addQuery(engine, 'fixed', z.thread.where('fixed', true))
    const first = deltaOf(engine, 'g', null)
    engine.removeQuery('g', 'mine')
    const second = deltaOf(engine, 'g', first.version)
    expect(second).toMatchObject({ rows: [], removed: ['mine'] })
    engine.removeQuery('g', 'fixed')
    expect(opsOf(deltaOf(engine, 'g', second.version))).toEqual(['-thread/t1'])
  })

  test('a client that is older than the removal loses the rows too', () => {
    const { engine } = buildEngine()
    engine.load([putThread('t1'), putThread('t2')])
    addQuery(engine, 'q', myThreads)
    const first = deltaOf(engine, 'g', null)
    engine.apply([putThread('t2', { userId: 'you' })])
    engine.removeQuery('g', 'q')
    deltaOf(engine, 'g', first.version)
    expect(opsOf(deltaOf(engine, 'g', first.version))).toEqual(['-thread/t1', '-thread/t2'])
  })
})

describe('[E4] old images', () => {
  test('contain the structural columns of queries, and nothing for non-structural changes', () => {
    const { engine, sql } = buildEngine()
    engine.load([putThread('t1')])
    addQuery(engine, 'q', myThreads.orderBy('rank', 'asc').limit(2))
    engine.apply([
      putThread('t1', { title: 'quiet' }),
      putThread('t1', { title: 'quiet', rank: 3 }),
      deleted(putThread('t1')),
      putThread('t9'),
    ])
    expect(readLog(sql, 0).map(({ op, key, old }) => [op, key, old])).toEqual([
      ['update', '["t1"]', null],
      ['update', '["t1"]', { id: 't1', userId: 'me', rank: null }],
      ['delete', '["t1"]', { id: 't1', userId: 'me', rank: 3 }],
      ['insert', '["t9"]', null],
    ])
  })

  test('the image of the requested version is used, not a later one', () => {
    const { engine } = buildEngine()
    engine.load([putThread('t1', { userId: 'you' }), putMessage('m1')])
    addQuery(engine, 'q', myThreads.related('messages'))
    const first = deltaOf(engine, 'g', null)
    engine.apply([putThread('t1')])
    const second = deltaOf(engine, 'g', first.version)
    engine.apply([putThread('t1', { userId: 'they' })])
    expect(opsOf(deltaOf(engine, 'g', second.version))).toEqual(['-message/m1', '-thread/t1'])
    expect(opsOf(deltaOf(engine, 'g', first.version))).toEqual(['-thread/t1'])
  })
})

describe('[E5] one op per row', () => {
  test('put wins over del', () => {
    const { engine } = buildEngine()
    engine.load([putThread('t1'), putThread('t2'), putMessage('m1')])
    addQuery(engine, 'q', myThreads.related('messages'))
    const first = deltaOf(engine, 'g', null)
    engine.apply([putThread('t1', { userId: 'you' }), putMessage('m1', { threadId: 't2' })])
    expect(opsOf(deltaOf(engine, 'g', first.version))).toEqual(['+message/m1', '-thread/t1'])
  })
})

describe('[E8] versions never decrease', () => {
  test.each<[string, (built: ReturnType<typeof buildEngine>) => void]>([
    ['a change', ({ engine }) => void engine.apply([putThread('t9')])],
    ['a version for something else', ({ engine }) => void engine.nextVersion()],
    ['an added query', ({ engine }) => addQuery(engine, 'q', myThreads)],
    [
      'a removed query',
      ({ engine }) => {
        addQuery(engine, 'q', myThreads)
        engine.removeQuery('g', 'q')
      },
    ],
    [
      'a dropped group',
      ({ engine }) => {
        addQuery(engine, 'q', myThreads)
        engine.dropGroup('g')
      },
    ],
    [
      'a pruned removal',
      ({ engine }) => {
        addQuery(engine, 'q', myThreads)
        engine.removeQuery('g', 'q')
        engine.prune(engine.version)
      },
    ],
    ['a load', ({ engine }) => engine.load([putThread('t9')])],
    ['a wipe', ({ engine }) => engine.wipe(3)],
  ])('the version of %s survives an eviction', (_, act) => {
    const built = buildEngine()
    built.engine.load([putThread('t1')])
    const before = built.engine.version
    act(built)
    const after = built.engine.version
    expect(after).toBeGreaterThan(before)
    built.engine.reset()
    expect(built.engine.version).toBe(after)
    expect(createEngine(built.sql, tables).version).toBe(after)
  })
})

describe('[E9] deltas by cookie', () => {
  test('null gets all rows without clear, below the floor with clear, above the version an error', () => {
    const { engine } = buildEngine()
    engine.load([putThread('t1')])
    addQuery(engine, 'q', myThreads)
    const first = deltaOf(engine, 'g', null)
    expect(first).toEqual({
      version: engine.version,
      rows: [{ op: 'put', tableName: 'thread', value: putThread('t1').row }],
      got: ['q'],
      removed: [],
      clear: false,
    })
    engine.apply([putThread('t2')])
    engine.prune(first.version)
    expect(opsOf(deltaOf(engine, 'g', first.version))).toEqual(['+thread/t2'])
    engine.prune(engine.version)
    expect(deltaOf(engine, 'g', first.version)).toMatchObject({ got: ['q'], clear: true, rows: { length: 2 } })
    expect(() => deltaOf(engine, 'g', engine.version + 1)).toThrow(RangeError)
  })

  test('a rebuilt replica accepts no older cookie', () => {
    const { engine } = buildEngine()
    engine.load([putThread('t1')])
    addQuery(engine, 'q', myThreads)
    const { version } = deltaOf(engine, 'g', null)
    engine.wipe(0)
    engine.load([putThread('t2')])
    addQuery(engine, 'q', myThreads)
    const rebuilt = deltaOf(engine, 'g', version)
    expect(rebuilt).toMatchObject({ clear: true, got: ['q'] })
    expect(opsOf(rebuilt)).toEqual(['+thread/t2'])
    engine.wipe(1_790_000_000_000)
    expect(engine.floor).toBe(1_790_000_000_000)
  })

  test('without changes the delta is empty', () => {
    const { engine } = buildEngine()
    engine.load([putThread('t1')])
    addQuery(engine, 'q', myThreads)
    const { version } = deltaOf(engine, 'g', null)
    expect(deltaOf(engine, 'g', version)).toEqual({ version, rows: [], got: [], removed: [], clear: false })
  })
})

describe('[E10] memory is a cache', () => {
  test('a failing change rolls back the whole step', () => {
    const { engine, sql } = buildEngine()
    engine.load([putThread('t1')])
    addQuery(engine, 'q', myThreads)
    const { version } = deltaOf(engine, 'g', null)
    expect(() => engine.apply([putThread('t2'), { table: 'thread', id: { id: 't3' }, row: { id: 't3' } }])).toThrow(TypeError)
    expect(engine.version).toBe(version)
    expect(sql.all('select * from z_log')).toEqual([])
    expect(deltaOf(engine, 'g', version).rows).toEqual([])
  })

  test('reset returns to the stored state after the caller rolled back', () => {
    const { engine, sql } = buildEngine()
    engine.load([putThread('t1')])
    addQuery(engine, 'q', myThreads.limit(1))
    const { version } = deltaOf(engine, 'g', null)
    expect(() =>
      sql.transaction(() => {
        engine.apply([putThread('t0'), putThread('t2')])
        addQuery(engine, 'other', myThreads)
        deltaOf(engine, 'g', version)
        throw new Error('the host changed its mind')
      }),
    ).toThrow('the host changed its mind')
    engine.reset()
    expect([engine.version, engine.queries('g').map((query) => query.hash)]).toEqual([version, ['q']])
    expect(deltaOf(engine, 'g', version).rows).toEqual([])
  })
})

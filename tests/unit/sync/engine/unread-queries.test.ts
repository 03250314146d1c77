// Queries that a wake leaves unread, and what must be noticed of them all the same. Rules: SPEC.md, E7, E15 and E21.
import { describe, expect, test } from 'vitest'
import { createEngine } from '../../../../worker/sync/engine/engine.ts'
import { createQueryTable } from '../../../../worker/sync/engine/query-table.ts'
import type { Sql, SqlValue } from '../../../../worker/sync/engine/types.ts'
import { toEarlierLayout, wasEarlier } from '../../../sim/engine/earlier-layout.ts'
import { addQuery, astOf, type Built, buildEngine, gone, opsOf, putMessage, putTag, putThread, tables, z } from './build.ts'

const kept = 450
const oneThread = (id: string) => z.thread.where('id', id).related('messages').related('tagInfos').one()

/** The same object after a sleep, and the hashes that it has read since. */
function wake({ sql }: Built) {
  const read: string[] = []
  const spy: Sql = {
    ...sql,
    all<T extends Record<string, SqlValue>>(text: string, ...binds: SqlValue[]) {
      const rows = sql.all<T>(text, ...binds)
      if (/\bz_query\b/.test(text)) read.push(...rows.flatMap(({ hash }) => (typeof hash === 'string' ? [hash] : [])))
      return rows
    },
  }
  const engine = createEngine(spy, tables)
  engine.migrate()
  return { engine, sql: spy, read }
}

function withKept(): Built & { since: number } {
  const built = buildEngine()
  built.engine.load([putThread('t1'), putThread('t2'), putMessage('m1'), putTag('t1', 'red')])
  for (let i = 1; i <= kept; i++) addQuery(built.engine, `q${i}`, oneThread(`t${i}`))
  addQuery(built.engine, 'tags', z.tag)
  return { ...built, since: built.engine.sync('g', null).version }
}

describe('[E21] a sync reads', () => {
  test('nothing when nothing has changed', () => {
    const built = withKept()
    const { engine, read } = wake(built)
    expect(engine.sync('g', built.since)).toMatchObject({ rows: [], got: [], gone: [] })
    expect(read).toEqual([])
  })

  test('those that are pinned to where a changed row is, or was', () => {
    const built = withKept()
    const { engine, sql, read } = wake(built)
    sql.transaction(() => void engine.apply([putMessage('m1', { threadId: 't2' })]))
    expect(opsOf(engine.sync('g', built.since))).toEqual(['+message/m1'])
    expect(read.toSorted()).toEqual(['q1', 'q2'])
  })

  test('those that may cover what another lets go', () => {
    const built = withKept()
    const { engine, sql, read } = wake(built)
    sql.transaction(() => void engine.apply([gone(putThread('t1'))]))
    // Its tag is no longer below it, and still among the tags.
    expect(opsOf(engine.sync('g', built.since))).toEqual(['-message/m1', '-thread/t1'])
    expect(read.toSorted()).toEqual(['q1', 'tags'])
  })

  test('all of one form when a row of it may concern each', () => {
    const built = withKept()
    const { engine, sql, read } = wake(built)
    sql.transaction(() => void engine.apply([{ table: 'tagInfo', id: { name: 'red' }, row: { name: 'red', color: '#f00' } }]))
    expect(opsOf(engine.sync('g', built.since))).toEqual(['+tagInfo/red'])
    expect(read).toHaveLength(kept)
  })

  test('those that came since, whoever asked, and no others', () => {
    const built = withKept()
    const { engine, read } = wake(built)
    addQuery(engine, 'mine', z.message, 'other group')
    expect(engine.sync('g', built.since).got).toEqual([])
    expect(read).toEqual([])
    addQuery(engine, 'new', z.message)
    expect(engine.sync('g', built.since)).toMatchObject({ got: ['new'], gone: [] })
  })

  test.each(['awake', 'after a sleep'])('those that are pinned to a text as it is stored, %s', (when) => {
    const built = buildEngine()
    addQuery(built.engine, 'torn', oneThread('\ud800'))
    const since = built.engine.version
    const { engine, sql } = when === 'awake' ? built : wake(built)
    sql.transaction(() => void engine.apply([putThread('\ud800')]))
    expect(opsOf(engine.sync('g', since))).toEqual(['+thread/\ufffd'])
  })

  test('more rows than may be looked up one by one are looked up together', () => {
    const built = withKept()
    const { engine, sql, read } = wake(built)
    const changes = Array.from({ length: 100 }, (_, i) => putMessage(`new${i}`, { threadId: `t${i + 1}` }))
    sql.transaction(() => void engine.apply(changes))
    expect(opsOf(engine.sync('g', built.since))).toEqual(['+message/new0', '+message/new1'])
    expect(read).toHaveLength(kept)
  })

  test('and one by one, until all together cost less', () => {
    const built = withKept()
    const { engine, sql, read } = wake(built)
    let { since } = built
    for (let i = 1; i <= 100; i++) {
      sql.transaction(() => void engine.apply([putThread(`t${i}`, { title: 'New' })]))
      const { version, rows } = engine.sync('g', since)
      expect(rows).toHaveLength(1)
      since = version
    }
    expect(new Set(read).size).toBe(kept)
    expect(read.length).toBeLessThan(2 * kept)
  })
})

describe('[E7] an edge that moved since the version of a client', () => {
  /** Two clients see one window; what came for the second, and cut it, is gone before the first hears of anything. */
  function cut() {
    const built = buildEngine({ slackOf: () => 0 })
    built.engine.load([putThread('t2'), putThread('t3'), putThread('t4')])
    addQuery(built.engine, 'first', z.thread.orderBy('id', 'asc').limit(2))
    const { version } = built.engine.sync('g', null)
    built.sql.transaction(() => void built.engine.apply([putThread('t1')]))
    expect(opsOf(built.engine.sync('g', version))).toEqual(['+thread/t1', '-thread/t3'])
    built.sql.transaction(() => void built.engine.apply([gone(putThread('t1'))]))
    return { ...built, since: version }
  }
  const edges = ({ sql }: Built) =>
    (JSON.parse(sql.all<{ edges: string }>('select edges from z_query')[0]?.edges ?? '[]') as [number, unknown][]).map(([, edge]) => edge)

  test.each([
    ['awake', null],
    ['after a sleep', () => undefined],
    ['after a sleep of an earlier release', toEarlierLayout],
    ['after going back to an earlier release', wasEarlier],
  ] as const)('is measured again although no row differs, %s', (_when, sleep) => {
    const built = cut()
    sleep?.(built.sql)
    const engine = sleep === null ? built.engine : createEngine(built.sql, tables, { slackOf: () => 0 })
    engine.migrate()
    engine.sync('g', built.since)
    expect(edges(built)).toEqual([['t3'], ['t2'], ['t3']])
  })
})

describe('[E15] the table of an earlier release', () => {
  test('is gone on with: what is alive, what is gone, and the version', () => {
    const built = withKept()
    built.engine.removeQuery('g', 'q1')
    addQuery(built.engine, 'elsewhere', z.message.orderBy('createdAt', 'desc').limit(3), 'g2')
    const before = { version: built.engine.version, alive: built.engine.queries('g'), elsewhere: built.engine.queries('g2') }
    const stored = built.sql.all('select * from z_query order by got')
    toEarlierLayout(built.sql)
    const { engine, sql, read } = wake(built)
    expect({ version: engine.version, alive: engine.queries('g'), elsewhere: engine.queries('g2') }).toEqual(before)
    expect(engine.goneCount).toBe(1)
    // Of one that is gone nobody asks what may concern it.
    const gone = (row: Record<string, SqlValue>) => (row.gone === null ? row : { ...row, reach: null, pin: null })
    expect(sql.all('select * from z_query order by got')).toEqual(stored.map(gone))
    read.length = 0
    const delta = engine.sync('g', built.since)
    expect([delta.gone, opsOf(delta)]).toEqual([['q1'], ['-message/m1', '-thread/t1']])
    expect(read.toSorted()).toEqual(['q1'])
  })

  test('also what that release adds when it is gone back to for a while', () => {
    const built = withKept()
    const add = 'insert into z_query (gid, hash, got, gone, name, args, ast, edges) values (?, ?, ?, null, ?, ?, ?, ?)'
    const got = built.engine.nextVersion()
    built.sql.run(add, 'g', 'added', got, 'added', '[]', JSON.stringify(astOf(z.tagInfo)), JSON.stringify([[got, null]]))
    const { engine, sql } = wake(built)
    expect(engine.sync('g', built.since).got).toEqual(['added'])
    sql.transaction(() => void engine.apply([{ table: 'tagInfo', id: { name: 'blue' }, row: { name: 'blue', color: '#00f' } }]))
    expect(opsOf(engine.sync('g', got))).toEqual(['+tagInfo/blue'])
    expect(engine.queries('g').at(-1)?.hash).toBe('added')
  })

  test('and this one after going back to it: all that is alive is described anew, once', () => {
    const built = withKept()
    const stored = () => built.sql.all('select * from z_query order by got')
    const before = stored()
    wasEarlier(built.sql)
    const { engine, sql, read } = wake(built)
    expect(engine.queries('g')).toHaveLength(kept + 1)
    expect(stored()).toEqual(before)
    read.length = 0
    const next = wake(built)
    sql.transaction(() => void next.engine.apply([putThread('t2', { title: 'New' })]))
    expect(opsOf(next.engine.sync('g', built.since))).toEqual(['~thread/t2 title'])
    expect(next.read).toEqual(['q2'])
  })

  test.each([
    ['its own', toEarlierLayout],
    ['ours', wasEarlier],
  ] as const)('is taken over once: %s', (_whose, leave) => {
    const { sql } = withKept()
    leave(sql)
    expect(createQueryTable(sql)).toBe(true)
    const names = () => sql.all("select name, sql from sqlite_master where tbl_name like 'z_query%' order by name")
    const after = names()
    expect(createQueryTable(sql)).toBe(false)
    expect(names()).toEqual(after)
    expect(after).toEqual(buildEngine().sql.all("select name, sql from sqlite_master where tbl_name like 'z_query%' order by name"))
  })
})

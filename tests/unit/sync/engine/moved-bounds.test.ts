// A window whose bound moved after a client's version is measured again, even if no row differs. Rules: worker/sync/SPEC.md, E7.
import { describe, expect, test } from 'vitest'
import { createEngine } from '../../../../worker/sync/engine/engine.ts'
import { deltaOf } from '../../../support/delta-of.ts'
import { addQuery, type Built, buildEngine, deleted, opsOf, putThread, tables, z } from './build.ts'

describe("[E7] a bound that moved after a client's version", () => {
  /** Two clients have one window. A row that moved its bound for the second client is deleted before the first client syncs. */
  function cut() {
    const built = buildEngine({ hysteresisOf: () => 0 })
    built.engine.load([putThread('t2'), putThread('t3'), putThread('t4')])
    addQuery(built.engine, 'first', z.thread.orderBy('id', 'asc').limit(2))
    const { version } = deltaOf(built.engine, 'g', null)
    built.sql.transaction(() => void built.engine.apply([putThread('t1')]))
    expect(opsOf(deltaOf(built.engine, 'g', version))).toEqual(['+thread/t1', '-thread/t3'])
    built.sql.transaction(() => void built.engine.apply([deleted(putThread('t1'))]))
    return { ...built, since: version }
  }
  const bounds = ({ sql }: Built) =>
    (JSON.parse(sql.all<{ bounds: string }>('select bounds from z_query')[0]?.bounds ?? '[]') as [number, unknown][]).map(
      ([, bound]) => bound,
    )

  test.each(['awake', 'after a sleep'])('is measured again although no row differs, %s', (when) => {
    const built = cut()
    const engine = when === 'awake' ? built.engine : createEngine(built.sql, tables, { hysteresisOf: () => 0 })
    engine.migrate()
    deltaOf(engine, 'g', built.since)
    expect(bounds(built)).toEqual([['t3'], ['t2'], ['t3']])
  })
})

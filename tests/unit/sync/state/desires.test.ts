// How long a query that nobody desires is kept, and who is told of what was desired. Rules: worker/sync/SPEC.md, Q2 and Q3.
import { expect, test } from 'vitest'
import type { DesiredQueriesPatch } from '../../../../worker/sync/protocol/queries-patch.ts'
import { applyDesires, inactivateClients, unsaidDesires } from '../../../../worker/sync/queries/desire.ts'
import { clampTtlMs } from '../../../../worker/sync/state/desires.ts'
import { openUserState, type UserState } from '../../../../worker/sync/user-state.ts'
import { wasEarlier } from '../../../sim/engine/earlier-layout.ts'
import { createNodeSql, type NodeSql } from '../../../support/node-sql.ts'
import { userId } from '../replica.ts'

const minuteMs = 60_000

test.each([
  [undefined, 10 * minuteMs],
  [Number.NaN, 10 * minuteMs],
  [-1, 10 * minuteMs],
  [0, 0],
  [5 * minuteMs, 5 * minuteMs],
  [10 * minuteMs, 10 * minuteMs],
  [24 * 60 * minuteMs, 10 * minuteMs],
])('[Q3] a time to live of %s is kept for %i ms', (ttl, keptMs) => {
  expect(clampTtlMs(ttl)).toBe(keptMs)
})

const groupID = 'group'
const asking = { userId, groupID, clientID: 'client', nowMs: 1 }
const list = (limit: number): DesiredQueriesPatch[number] => ({ op: 'put', hash: `list-${limit}`, name: 'threads.list', args: [{ limit }] })

function givenGroup(): { sql: NodeSql; state: UserState; desire: (...patch: DesiredQueriesPatch) => number } {
  const sql = createNodeSql()
  const state = openUserState(sql)
  state.groups.add(groupID, state.engine.version, 1)
  const desire = (...patch: DesiredQueriesPatch) => {
    sql.transaction(() => void applyDesires(state, asking, patch))
    return state.engine.version
  }
  return { sql, state, desire }
}

test.each([
  ['this release', () => undefined],
  ['an earlier release', (sql: NodeSql) => sql.run('alter table sync_group drop column desiredAt')],
  [
    'an earlier release that somebody went back to',
    (sql: NodeSql) => {
      sql.run('update sync_group set desiredAt = 0')
      wasEarlier(sql)
    },
  ],
] as const)('[Q2] after a sleep of %s whoever was away hears what was desired meanwhile', (_which, leave) => {
  const { sql, desire } = givenGroup()
  const first = desire(list(1))
  const second = desire(list(2), { op: 'del', hash: 'list-1' })
  leave(sql)
  const woken = openUserState(sql)
  expect(woken.desires.changes(groupID, second)).toEqual({})
  const told = [
    { op: 'del', hash: 'list-1' },
    { op: 'put', hash: 'list-2', ttl: 10 * minuteMs },
  ]
  expect(woken.desires.changes(groupID, first)).toEqual({ client: told })
  expect(woken.desires.endedSince(groupID, 'client', first)).toEqual([{ hash: 'list-1', ttlMs: 10 * minuteMs }])
  // And goes on so.
  sql.transaction(() => inactivateClients(woken, groupID, ['client'], 2))
  expect(openUserState(sql).desires.changes(groupID, second)).toEqual({ client: [{ op: 'del', hash: 'list-2' }] })
})

test('[Q2] what was desired in a transaction that was undone is told when it is desired again', () => {
  const { sql, state, desire } = givenGroup()
  const before = desire(list(1))
  const undone = () =>
    sql.transaction(() => {
      applyDesires(state, asking, [list(2)])
      throw new Error('undone')
    })
  expect(undone).toThrow('undone')
  state.engine.reset()
  desire(list(2))
  expect(openUserState(sql).desires.changes(groupID, before)).toMatchObject({ client: [{ op: 'put', hash: 'list-2' }] })
})

test('[H4] the newest change of many desires is known without reading them', () => {
  const { sql, desire } = givenGroup()
  for (let i = 1; i <= 20; i++) desire(...Array.from({ length: 20 }, (_, n) => list(20 * i + n)))
  const version = desire({ op: 'clear' })
  const texts: string[] = []
  const woken = openUserState({
    ...sql,
    all(text, ...binds) {
      texts.push(text)
      return sql.all(text, ...binds)
    },
  })
  expect(woken.desires.changes(groupID, version)).toEqual({})
  expect(texts.filter((text) => text.includes('sync_desire'))).toEqual([])
})

test('[Q2] all that one message changes has one version, which is no row of its own beside a new query', () => {
  const { sql, state, desire } = givenGroup()
  const stored = () => sql.all<{ n: number }>("select n from z_meta where k = 'version'")[0]?.n ?? 0
  desire(list(1))
  const versions = (...hashes: string[]) =>
    sql
      .all<{ hash: string; version: number }>('select hash, version from sync_desire')
      .flatMap((row) => (hashes.includes(row.hash) ? row.version : []))
  const before = [stored(), state.engine.version]
  desire(list(2), list(3), { op: 'del', hash: 'list-1' })
  expect(new Set(versions('list-1', 'list-2', 'list-3')).size).toBe(1)
  expect(versions('list-1')[0]).toBeGreaterThan(before[1] ?? 0)
  expect(stored()).toBe(before[0])
  // Without a new query it is stored by itself, or it would be given again.
  const version = desire({ op: 'del', hash: 'list-2' })
  expect([stored(), openUserState(sql).engine.version, versions('list-2')]).toEqual([version, version, [version]])
})

test('[Q2] a desire that ended unheard is put once more, unless its client says something of it', () => {
  const { sql, state, desire } = givenGroup()
  const heard = desire(list(1), list(2))
  sql.transaction(() => inactivateClients(state, groupID, ['client'], 2))
  const unsaid = (...patch: DesiredQueriesPatch) => unsaidDesires(state, asking, heard, patch).map((op) => ('hash' in op ? op.hash : op.op))
  expect(unsaid()).toEqual(['list-1', 'list-2'])
  expect(unsaid({ op: 'del', hash: 'list-1' })).toEqual(['list-2'])
  expect(unsaid(list(2), list(3))).toEqual(['list-1'])
  expect(unsaid({ op: 'clear' })).toEqual([])
})

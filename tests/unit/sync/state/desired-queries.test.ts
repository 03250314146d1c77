// How long an undesired query stays, and which clients receive changes of desired queries. Rules: worker/sync/SPEC.md, Q2 and Q3.
import { expect, test } from 'vitest'
import type { DesiredQueriesPatch } from '../../../../worker/sync/protocol/up.ts'
import { clampTtlMs } from '../../../../worker/sync/state/desired-queries.ts'
import { endedWhileOffline, inactivateClients, patchDesiredQueries } from '../../../../worker/sync/state/live-queries.ts'
import type { UserState } from '../../../../worker/sync/state/user-state.ts'
import { createNodeSql, type NodeSql } from '../../../support/node-sql.ts'
import { openState, userId } from '../replica.ts'

const minuteMs = 60_000

test.each([
  [undefined, 10 * minuteMs],
  [Number.NaN, 10 * minuteMs],
  [-1, 10 * minuteMs],
  [0, 0],
  [5 * minuteMs, 5 * minuteMs],
  [10 * minuteMs, 10 * minuteMs],
  [24 * 60 * minuteMs, 10 * minuteMs],
])('[Q3] a time to live of %s becomes %i ms', (ttl, keptMs) => {
  expect(clampTtlMs(ttl, 10 * minuteMs)).toBe(keptMs)
})

const groupID = 'group'
const client = { userId, groupID, clientID: 'client', nowMs: 1 }
const list = (limit: number): DesiredQueriesPatch[number] => ({ op: 'put', hash: `list-${limit}`, name: 'threads.list', args: [{ limit }] })

function givenGroup(): { sql: NodeSql; state: UserState; patchQueries: (...patch: DesiredQueriesPatch) => number } {
  const sql = createNodeSql()
  const state = openState(sql)
  state.groups.add(groupID, state.engine.version, 1)
  const patchQueries = (...patch: DesiredQueriesPatch) => {
    sql.transaction(() => void patchDesiredQueries(state, client, patch))
    return state.engine.version
  }
  return { sql, state, patchQueries }
}

test('[Q2] after hibernation an offline client receives the changed desired queries', () => {
  const { sql, patchQueries } = givenGroup()
  const first = patchQueries(list(1))
  const second = patchQueries(list(2), { op: 'del', hash: 'list-1' })
  const woken = openState(sql)
  expect(woken.desiredQueries.changes(groupID, second)).toEqual({})
  const changes = [
    { op: 'del', hash: 'list-1' },
    { op: 'put', hash: 'list-2', ttl: 10 * minuteMs },
  ]
  expect(woken.desiredQueries.changes(groupID, first)).toEqual({ client: changes })
  expect(woken.desiredQueries.endedSince(groupID, 'client', first)).toEqual([{ hash: 'list-1', ttlMs: 10 * minuteMs }])
  sql.transaction(() => inactivateClients(woken, groupID, ['client'], 2))
  expect(openState(sql).desiredQueries.changes(groupID, second)).toEqual({ client: [{ op: 'del', hash: 'list-2' }] })
})

test('[Q2] a rolled back desired query is sent when it is desired again', () => {
  const { sql, state, patchQueries } = givenGroup()
  const before = patchQueries(list(1))
  const rolledBack = () =>
    sql.transaction(() => {
      patchDesiredQueries(state, client, [list(2)])
      throw new Error('rolled back')
    })
  expect(rolledBack).toThrow('rolled back')
  state.engine.reset()
  patchQueries(list(2))
  expect(openState(sql).desiredQueries.changes(groupID, before)).toMatchObject({ client: [{ op: 'put', hash: 'list-2' }] })
})

test('[Q2] all changes of one message have one version, without an extra row next to a new query', () => {
  const { sql, state, patchQueries } = givenGroup()
  const stored = () => sql.all<{ n: number }>("select n from z_meta where k = 'version'")[0]?.n ?? 0
  patchQueries(list(1))
  const versions = (...hashes: string[]) =>
    sql
      .all<{ hash: string; version: number }>('select hash, version from sync_desire')
      .flatMap((row) => (hashes.includes(row.hash) ? row.version : []))
  const before = [stored(), state.engine.version]
  patchQueries(list(2), list(3), { op: 'del', hash: 'list-1' })
  expect(new Set(versions('list-1', 'list-2', 'list-3')).size).toBe(1)
  expect(versions('list-1')[0]).toBeGreaterThan(before[1] ?? 0)
  expect(stored()).toBe(before[0])
  // Without a new query the version has its own row, or it would be given out again.
  const version = patchQueries({ op: 'del', hash: 'list-2' })
  expect([stored(), openState(sql).engine.version, versions('list-2')]).toEqual([version, version, [version]])
})

test('[Q2] a desired query that ended while the client was offline is put again unless the client names it', () => {
  const { sql, state, patchQueries } = givenGroup()
  const version = patchQueries(list(1), list(2))
  sql.transaction(() => inactivateClients(state, groupID, ['client'], 2))
  const restored = (...patch: DesiredQueriesPatch) =>
    endedWhileOffline(state, client, version, patch).map((op) => ('hash' in op ? op.hash : op.op))
  expect(restored()).toEqual(['list-1', 'list-2'])
  expect(restored({ op: 'del', hash: 'list-1' })).toEqual(['list-2'])
  expect(restored(list(2), list(3))).toEqual(['list-1'])
  expect(restored({ op: 'clear' })).toEqual([])
})

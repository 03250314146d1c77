// What an object deletes and what it keeps. Rules: worker/sync/SPEC.md, H3.
import { expect, test } from 'vitest'
import { encodeCookie } from '../../../../worker/sync/engine/versions.ts'
import { composePoke } from '../../../../worker/sync/poke/poke.ts'
import type { DesiredQueriesPatch } from '../../../../worker/sync/protocol/up.ts'
import { collectGarbage } from '../../../../worker/sync/state/gc.ts'
import { patchDesiredQueries } from '../../../../worker/sync/state/live-queries.ts'
import type { UserState } from '../../../../worker/sync/state/user-state.ts'
import { createNodeSql } from '../../../support/node-sql.ts'
import { openState, userId } from '../replica.ts'

const dayMs = 24 * 60 * 60 * 1000
const nowMs = 1000 * dayMs
const groupID = 'group'
const client = { userId, groupID, clientID: 'client', nowMs }
const queries: DesiredQueriesPatch = [
  { op: 'put', hash: 'me', name: 'me', args: [] },
  { op: 'put', hash: 'list', name: 'threads.list', args: [{ limit: 5 }], ttl: 0 },
]
const refused = { error: 'app', message: 'No' } as const

/** A connected group with one live and one ended query, an acknowledged result and an open one. */
function givenGroup(): UserState {
  const state = openState(createNodeSql())
  state.sql.transaction(() => {
    state.groups.add(groupID, state.engine.version, nowMs)
    state.groups.startClock(groupID, nowMs)
    patchDesiredQueries(state, client, queries)
    state.clients.advance(groupID, 'client', 2, state.engine.nextVersion())
    state.results.put(groupID, 'client', 1, refused, state.engine.nextVersion())
    state.results.put(groupID, 'client', 2, refused, state.engine.nextVersion())
    state.results.acknowledge(groupID, 'client', 1, state.engine.nextVersion())
    patchDesiredQueries(state, client, [{ op: 'del', hash: 'list' }])
  })
  return state
}

const storedRows = ({ sql }: UserState) => ({
  queries: sql.all<{ hash: string }>('select hash from z_query order by hash').map(({ hash }) => hash),
  desiredQueries: sql.all<{ hash: string }>('select hash from sync_desire order by hash').map(({ hash }) => hash),
  results: sql.all<{ mutationID: number }>('select mutationID from sync_result order by mutationID').map(({ mutationID }) => mutationID),
  log: sql.all<{ n: number }>('select count(*) n from z_log')[0]?.n,
})

function grow(state: UserState, changes: number): void {
  state.sql.transaction(() => {
    for (let i = 0; i < changes; i++) {
      const row = { id: 'thread', userId, title: `${i}`, status: 'ready', createdAt: 1, updatedAt: i }
      state.engine.apply([{ table: 'thread', id: { id: 'thread' }, row }])
    }
  })
}

test('[H3] keeps a log of up to 50,000 versions and cuts a longer one to 40,000', () => {
  const state = givenGroup()
  const before = composePoke(state, groupID, null, 0)
  grow(state, 50_000 - (state.engine.version - state.engine.floor))
  collectGarbage(state, nowMs)
  expect(storedRows(state)).toMatchObject({ queries: ['list', 'me'], desiredQueries: ['list', 'me'], results: [1, 2] })

  grow(state, 1)
  collectGarbage(state, nowMs)
  expect(state.engine.version - state.engine.floor).toBe(40_000)
  expect(storedRows(state)).toEqual({ queries: ['me'], desiredQueries: ['me'], results: [2], log: 40_000 })

  // A client from before the cut is cleared and receives all current state.
  expect(before.version).toBeLessThan(state.engine.floor)
  const [clear, first] = composePoke(state, groupID, encodeCookie(before.version), 0).head
  expect(clear).toEqual({ rowsPatch: [{ op: 'clear' }] })
  expect(first).toMatchObject({ lastMutationIDChanges: { client: 2 }, gotQueriesPatch: [{ op: 'put', hash: 'me' }] })
})

test('[H3] deletes a group 60 days after its last connection, never a connected one', () => {
  const state = givenGroup()
  collectGarbage(state, nowMs + 100 * dayMs)
  expect(state.groups.ids()).toEqual([groupID])

  state.groups.stopClock(groupID, nowMs)
  collectGarbage(state, nowMs + 60 * dayMs)
  expect(state.groups.ids()).toEqual([groupID])
  collectGarbage(state, nowMs + 60 * dayMs + 1)
  expect(state.groups.ids()).toEqual([])
  expect(storedRows(state)).toMatchObject({ queries: [], desiredQueries: [], results: [] })
  expect(state.clients.lastMutationID(groupID, 'client')).toBe(0)
})

test('[H3] a client that opens and closes queries repeatedly leaves a bounded number of rows', () => {
  const state = givenGroup()
  const before = composePoke(state, groupID, null, 0)
  let most = 0
  for (let frame = 0; frame < 20; frame++) {
    const hashes = Array.from({ length: 250 }, (_, i) => `h${frame}-${i}`)
    state.sql.transaction(() => {
      const patch: DesiredQueriesPatch = [
        ...hashes.map((hash, i) => ({ op: 'put' as const, hash, name: 'threads.list', args: [{ limit: 1 + i }], ttl: 0 })),
        ...hashes.map((hash) => ({ op: 'del' as const, hash })),
        ...hashes.map((hash) => ({ op: 'del' as const, hash: `never-${hash}` })),
      ]
      patchDesiredQueries(state, client, patch)
    })
    collectGarbage(state, nowMs)
    most = Math.max(most, storedRows(state).queries.length, storedRows(state).desiredQueries.length)
  }
  expect(most).toBeLessThanOrEqual(2000 + 1)
  expect(storedRows(state).desiredQueries.filter((hash) => hash.startsWith('never-'))).toEqual([])
  expect(state.engine.queries(groupID).map(({ hash }) => hash)).toEqual(['me'])
  // A client from before the cut is cleared.
  expect(composePoke(state, groupID, encodeCookie(before.version), 0).head[0]).toEqual({ rowsPatch: [{ op: 'clear' }] })
})

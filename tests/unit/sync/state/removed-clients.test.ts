// Effect and cost of a list of deleted clients. Rules: worker/sync/SPEC.md, Q2 and P4.
import { expect, test } from 'vitest'
import { inactivateClients, patchDesiredQueries } from '../../../../worker/sync/state/live-queries.ts'
import { createNodeSql } from '../../../support/node-sql.ts'
import { openState, userId } from '../replica.ts'

const nowMs = 1_000_000
const groupID = 'group'

test('[Q2] [P4] deleting 10,000 clients ends the desired queries and results of known clients; unknown clients cost no statement', () => {
  const sql = createNodeSql()
  const state = openState(sql)
  const { desiredQueries, results, engine, groups } = state
  sql.transaction(() => {
    groups.add(groupID, engine.version, nowMs)
    for (const clientID of ['deleted', 'kept'])
      patchDesiredQueries(state, { userId, groupID, clientID, nowMs }, [{ op: 'put', hash: 'me', name: 'me', args: [] }])
    results.put(groupID, 'withResult', 1, { error: 'app', message: 'No' }, engine.nextVersion())
  })
  const cost = (clientIDs: readonly string[]): number => {
    sql.takeStatementCount()
    sql.transaction(() => inactivateClients(state, groupID, clientIDs, nowMs))
    return sql.takeStatementCount()
  }
  const unknownClients = Array.from({ length: 10_000 }, (_, i) => `unknown-${i}`)
  expect(cost(unknownClients)).toBe(cost(['unknown']))
  expect([desiredQueries.activeClients(groupID), results.waitingClients(groupID)]).toEqual([['deleted', 'kept'], ['withResult']])

  cost(['deleted', ...unknownClients, 'withResult', 'deleted'])
  expect([desiredQueries.activeClients(groupID), results.waitingClients(groupID)]).toEqual([['kept'], []])
})

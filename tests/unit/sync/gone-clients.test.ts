// What a list of clients that are gone does, and what it costs. Rules: worker/sync/SPEC.md, Q2 and P4.
import { expect, test } from 'vitest'
import { applyDesires, inactivateClients } from '../../../worker/sync/queries/desire.ts'
import { openUserState } from '../../../worker/sync/user-state.ts'
import { createNodeSql } from '../../support/node-sql.ts'
import { userId } from './replica.ts'

const nowMs = 1_000_000
const groupID = 'group'

test('[Q2, P4] of ten thousand clients that are gone, those that were here are let go, and the others cost no statement', () => {
  const sql = createNodeSql()
  const state = openUserState(sql)
  const { desires, results, engine, groups } = state
  sql.transaction(() => {
    groups.add(groupID, engine.version, nowMs)
    for (const clientID of ['gone', 'here'])
      applyDesires(state, { userId, groupID, clientID, nowMs }, [{ op: 'put', hash: 'me', name: 'me', args: [] }])
    results.put(groupID, 'silent', 1, { error: 'app', message: 'No' }, engine.nextVersion())
  })
  const cost = (clientIDs: readonly string[]): number => {
    sql.takeStatementCount()
    sql.transaction(() => inactivateClients(state, groupID, clientIDs, nowMs))
    return sql.takeStatementCount()
  }
  const strangers = Array.from({ length: 10_000 }, (_, i) => `stranger-${i}`)
  expect(cost(strangers)).toBe(cost(['stranger']))
  expect([desires.activeClients(groupID), results.waitingClients(groupID)]).toEqual([['gone', 'here'], ['silent']])

  cost(['gone', ...strangers, 'silent', 'gone'])
  expect([desires.activeClients(groupID), results.waitingClients(groupID)]).toEqual([['here'], []])
})

// The limit of live queries in a group. Rules: worker/sync/SPEC.md, Q1.
import { defineQueries, defineQuery } from '@rocicorp/zero'
import { expect, test } from 'vitest'
import { zql } from '../../../../worker/contract/schema.ts'
import type { DesiredQueriesPatch } from '../../../../worker/sync/protocol/up.ts'
import { maxQueriesPerGroup } from '../../../../worker/sync/protocol/wire-limits.ts'
import { patchDesiredQueries } from '../../../../worker/sync/state/live-queries.ts'
import { openUserState } from '../../../../worker/sync/state/user-state.ts'
import { stateConfig } from '../../../../worker/user-sync/config.ts'
import { createNodeSql } from '../../../support/node-sql.ts'
import { userId } from '../replica.ts'

const groupID = 'group'
const put = (hash: string, name: string): DesiredQueriesPatch[number] => ({ op: 'put', hash, name, args: [], ttl: 600_000 })
const queries = defineQueries({
  one: { me: defineQuery(() => zql.user.one()), page: defineQuery(() => zql.thread.start({ id: 'thread' })) },
})

test('[Q1] in a full group an unsupported query is refused and replaces none', () => {
  const sql = createNodeSql()
  const state = openUserState(sql, { ...stateConfig, queries })
  const patch = (...ops: DesiredQueriesPatch) =>
    sql.transaction(() => patchDesiredQueries(state, { userId, groupID, clientID: 'client', nowMs: 1 }, ops))
  const liveHashes = () => state.engine.queries(groupID).map(({ hash }) => hash)
  sql.transaction(() => state.groups.add(groupID, state.engine.version, 1))
  patch(...Array.from({ length: maxQueriesPerGroup }, (_, index) => put(`me-${index}`, 'one.me')), { op: 'del', hash: 'me-0' })

  expect(patch(put('page', 'one.page'))).toMatchObject([{ id: 'page', message: expect.stringContaining('start()') }])
  expect(liveHashes()).toHaveLength(maxQueriesPerGroup)
  expect(liveHashes()).toContain('me-0')

  expect(patch(put('another', 'one.me'))).toEqual([])
  expect(liveHashes()).toHaveLength(maxQueriesPerGroup)
  expect(liveHashes()).not.toContain('me-0')
})

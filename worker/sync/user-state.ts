/** Everything one user's object has in its SQLite, behind one handle. Nothing here knows of sockets or of D1. */

import { createEngine } from './engine/engine.ts'
import type { Indexes } from './engine/replica.ts'
import type { Engine, Sql } from './engine/types.ts'
import { Clients } from './state/clients.ts'
import { Desires } from './state/desires.ts'
import { Groups } from './state/groups.ts'
import { Meta } from './state/meta.ts'
import { Results } from './state/results.ts'
import { createStateTables } from './state/tables.ts'
import { syncedTables } from './synced-tables.ts'

export type UserState = {
  readonly sql: Sql
  readonly engine: Engine
  readonly meta: Meta
  readonly groups: Groups
  readonly clients: Clients
  readonly desires: Desires
  readonly results: Results
}

/** Costs the rows nothing that nobody deleted. */
const deleted: Indexes[string][number] = { columns: ['userId', ['deletedAt', 'desc'], 'id'], present: 'deletedAt' }

/** Correlation columns, and what windows filter and order by. Each is a row more for every row that is written. */
const indexes: Indexes = {
  // In the very order of the list, ties included.
  thread: [['userId', 'deletedAt', ['updatedAt', 'desc'], 'id'], deleted],
  message: [['threadId', 'createdAt', 'id'], deleted],
  queuedMessage: [['threadId']],
  setting: [['userId']],
  usage: [['userId']],
  userCustomer: [['userId']],
  member: [['organizationId', 'createdAt', 'id'], ['userId']],
  invitation: [['organizationId', 'createdAt', 'id']],
  team: [['organizationId', 'createdAt', 'id']],
  teamMember: [['teamId']],
  organizationCustomer: [['organizationId']],
  model: [['position', 'id']],
}

export function openUserState(sql: Sql): UserState {
  const engine = createEngine(sql, syncedTables, { indexes })
  sql.transaction(() => createStateTables(sql, engine.migrate()))
  return {
    sql,
    engine,
    meta: new Meta(sql),
    groups: new Groups(sql),
    clients: new Clients(sql),
    desires: new Desires(sql),
    results: new Results(sql),
  }
}

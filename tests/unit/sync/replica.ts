// A replica of one user in memory, with rows of the contract and default values.
import { schema, type TableName } from '../../../worker/contract/schema.ts'
import { createEngine } from '../../../worker/sync/engine/engine.ts'
import type { Engine, Json, Row, Sql } from '../../../worker/sync/engine/types.ts'
import type { Outcome } from '../../../worker/sync/pull/source.ts'
import { Overlay, runMutation } from '../../../worker/sync/push/apply-mutators.ts'
import { openUserState, type UserState } from '../../../worker/sync/state/user-state.ts'
import { effectsOf } from '../../../worker/turns/server-mutators.ts'
import { mutatorApp, stateConfig } from '../../../worker/user-sync/config.ts'
import { createNodeSql } from '../../support/node-sql.ts'

export const userId = 'ada-of-the-tests'

const defaults: { readonly [Table in TableName]?: Row } = {
  user: { id: userId, name: 'Ada', email: 'ada@example.com', emailVerified: false, isAnonymous: true, createdAt: 1, updatedAt: 1 },
  setting: { id: userId, userId, mode: 'dark', nickname: 'A', biography: null, instructions: 'Be brief.' },
  usage: { id: userId, userId, credits: 0, search: 0, research: 0, day: null },
  model: {
    id: 'kimi-k2',
    name: 'Kimi K2',
    model: 'm',
    provider: 'gateway',
    description: '',
    icon: 'i',
    credits: 2,
    access: 'public',
    position: 1,
    createdAt: 1,
    updatedAt: 1,
  },
  thread: { id: 'thread-one', userId, title: null, status: 'ready', createdAt: 1, updatedAt: 1 },
  message: {
    id: 'message-one',
    threadId: 'thread-one',
    userId,
    parentId: null,
    message: { id: 'message-one', role: 'user', parts: [{ type: 'text', text: 'Hi' }] },
  },
}

export type Given = readonly [table: TableName, changes?: Row]

const rowsOf = (...given: readonly Given[]) =>
  given.map(([table, changes = {}]) => {
    const row = { ...defaults[table], ...changes }
    return { table, id: { id: String(row.id) }, row }
  })

export function replicaOf(...given: readonly Given[]): Engine {
  const sql = createNodeSql()
  const engine = createEngine(sql, schema.tables)
  engine.migrate()
  sql.transaction(() => void engine.apply(rowsOf(...given)))
  return engine
}

export const userRows: readonly Given[] = [['user'], ['setting'], ['usage'], ['model']]

export const userMessage = (id: string, parentId: string | null, text = id): Given => [
  'message',
  { id, parentId, message: { id, role: 'user', parts: [{ type: 'text', text }] } },
]

export const answered = (id: string, parentId: string, text = id): Given => [
  'message',
  {
    id,
    parentId,
    message: {
      id,
      role: 'assistant',
      parts: [{ type: 'text', text, state: 'done' }],
      metadata: { modelId: 'kimi-k2', modelName: 'Kimi K2', modelIcon: 'i', ending: 'interrupted', credits: 2 },
    },
  },
]

/** The state of a user's object, with the tables and queries of the contract. */
export const openState = (sql: Sql): UserState => openUserState(sql, stateConfig)

export const overlayOf = (engine: Engine): Overlay => new Overlay(engine, stateConfig.tables)

/** Runs a mutator of the contract like the server. */
export const runNamed = (overlay: Overlay, name: string, args: Json, nowMs: number, id = 1): Promise<Outcome> =>
  runMutation(mutatorApp, overlay, { id, clientID: 'c', name, args: [args] }, userId, nowMs)

/** The turn that a mutation opens, and the limits that D1 checks. */
export const effectsIn = (outcome: Outcome | undefined) => (outcome?.type === 'applied' ? effectsOf(outcome) : null)

/** Tables, rows and an engine with defaults, so that a test contains only what it tests. */
import { type AST, boolean, createBuilder, createSchema, json, number, relationships, string, table } from '@rocicorp/zero'
import { asQueryInternals } from '@rocicorp/zero/bindings'
import { createEngine, type EngineOptions } from '../../../../worker/sync/engine/engine.ts'
import type { Change, Engine, Json, Row, RowOp, Tables } from '../../../../worker/sync/engine/types.ts'
import type { ParsedDelta } from '../../../support/delta-of.ts'
import { createNodeSql, type NodeSql } from '../../../support/node-sql.ts'

const thread = table('thread')
  .columns({ id: string(), userId: string(), title: string(), fixed: boolean(), rank: number().optional(), meta: json().optional() })
  .primaryKey('id')
const message = table('message')
  .columns({ id: string(), threadId: string(), role: string(), text: string(), createdAt: number() })
  .primaryKey('id')
const tag = table('tag').columns({ threadId: string(), name: string() }).primaryKey('threadId', 'name')
const tagInfo = table('tagInfo').columns({ name: string(), color: string() }).primaryKey('name')

const schema = createSchema({
  tables: [thread, message, tag, tagInfo],
  relationships: [
    relationships(thread, ({ many }) => ({
      messages: many({ sourceField: ['id'], destField: ['threadId'], destSchema: message }),
      tags: many({ sourceField: ['id'], destField: ['threadId'], destSchema: tag }),
      tagInfos: many(
        { sourceField: ['id'], destField: ['threadId'], destSchema: tag },
        { sourceField: ['name'], destField: ['name'], destSchema: tagInfo },
      ),
    })),
    relationships(message, ({ one }) => ({
      thread: one({ sourceField: ['threadId'], destField: ['id'], destSchema: thread }),
    })),
  ],
})

export const tables: Tables = schema.tables
export const z = createBuilder(schema)

type AnyQuery = Parameters<typeof asQueryInternals>[0]

/** Builder queries differ in their row types; the engine receives only the AST. */
export function astOf(query: unknown): AST {
  return asQueryInternals(query as AnyQuery).ast
}

export type Built = { readonly engine: Engine; readonly sql: NodeSql }

export function buildEngine(options: EngineOptions = {}): Built {
  const sql = createNodeSql()
  const engine = createEngine(sql, tables, options)
  engine.migrate()
  return { engine, sql }
}

export function addQuery(engine: Engine, hash: string, query: unknown, groupID = 'g'): void {
  engine.addQuery(groupID, { hash, name: hash, args: [], ast: astOf(query) })
}

export function putThread(id: string, columns: { [column: string]: Json } = {}): Change {
  return { table: 'thread', id: { id }, row: { id, userId: 'me', title: id, fixed: false, rank: null, meta: null, ...columns } }
}

export function putMessage(id: string, columns: { [column: string]: Json } = {}): Change {
  return { table: 'message', id: { id }, row: { id, threadId: 't1', role: 'user', text: id, createdAt: 0, ...columns } }
}

export function putTag(threadId: string, name: string): Change {
  return { table: 'tag', id: { threadId, name }, row: { threadId, name } }
}

export function deleted(change: Change): Change {
  return { ...change, row: null }
}

/** `+thread/t1` for a put, `~thread/t1 title` for an update with its columns, `-thread/t1` for a del, sorted. */
export function opsOf(delta: ParsedDelta): readonly string[] {
  return delta.rows.map(nameOfOp).toSorted()
}

function nameOfOp(op: RowOp): string {
  if (op.op === 'put') return `+${nameOf(op.tableName, op.value)}`
  const name = nameOf(op.tableName, op.id)
  return op.op === 'del' ? `-${name}` : `~${name} ${Object.keys(op.merge).join(' ')}`
}

function nameOf(tableName: string, row: Row): string {
  return `${tableName}/${(tables[tableName]?.primaryKey ?? []).map((column) => String(row[column])).join('|')}`
}

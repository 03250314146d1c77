/** Rows for tests that use D1 directly, with defaults for irrelevant columns. */
import type { ModelRequest } from '../../worker/contract/models/model-use.ts'
import { newId } from '../../worker/db/new-id.ts'

type Value = string | number | null
export type Row = { readonly [column: string]: Value }

export const insertStatement = (db: D1Database, table: string, row: Row): D1PreparedStatement => {
  const columns = Object.keys(row)
  return db
    .prepare(`insert into ${table} (${columns.join(', ')}) values (${columns.map(() => '?').join(', ')})`)
    .bind(...Object.values(row))
}

export async function insert(db: D1Database, table: string, row: Row): Promise<void> {
  await insertStatement(db, table, row).run()
}

const at = 1_800_000_000_000

export const userRow = (fields: Row = {}): Row => {
  const id = newId()
  return { id, name: 'Somebody', email: `${id}@example.test`, emailVerified: 0, createdAt: at, updatedAt: at, ...fields }
}

export const threadRow = (userId: string, fields: Row = {}): Row => ({
  id: newId(),
  userId,
  title: 'A thread',
  status: 'ready',
  createdAt: at,
  updatedAt: at,
  ...fields,
})

export const projectRow = (userId: string, fields: Row = {}): Row => ({
  id: newId(),
  userId,
  name: 'A project',
  createdAt: at,
  updatedAt: at,
  ...fields,
})

export const messageRow = (userId: string, threadId: string, fields: Row = {}): Row => ({
  id: newId(),
  threadId,
  userId,
  message: JSON.stringify({ id: 'm', role: 'user', parts: [{ type: 'text', text: 'hello' }] }),
  createdAt: at,
  updatedAt: at,
  ...fields,
})

export const shareRow = (userId: string, threadId: string, messageId: string, fields: Row = {}): Row => ({
  id: newId(),
  userId,
  threadId,
  messageId,
  title: 'A shared thread',
  createdAt: at,
  ...fields,
})

export const queuedRow = (userId: string, threadId: string, fields: Row = {}): Row => ({
  id: newId(),
  threadId,
  userId,
  answerId: newId(),
  text: 'And then?',
  modelId: 'kimi-k2',
  createdAt: at,
  ...fields,
})

export const generationRow = (userId: string, threadId: string, fields: Row = {}): Row => ({
  id: newId(),
  userId,
  threadId,
  parentId: newId(),
  modelId: 'kimi-k2',
  credits: 1,
  day: 20_000,
  createdAt: at,
  objectId: 'no object',
  ...fields,
})

export const ledgerRow = (userId: string, generationId: string, kind: 'reserve' | 'settle' | 'release', fields: Row = {}): Row => ({
  id: `${generationId}:${kind}`,
  userId,
  generationId,
  kind,
  credits: kind === 'reserve' ? 1 : 0,
  day: 20_000,
  createdAt: at,
  ...fields,
})

/** An answered request, as a generation records it. */
export const modelRequest = (fields: Partial<ModelRequest> = {}): ModelRequest => ({
  model: 'moonshotai/kimi-k2',
  provider: 'gateway',
  inputTokens: 10,
  cachedInputTokens: 4,
  outputTokens: 3,
  reasoningTokens: 1,
  microDollars: 25,
  ...fields,
})

export const requestRow = (userId: string, generationId: string, fields: Row = {}): Row => ({
  id: `${generationId}:answer:1`,
  userId,
  generationId,
  purpose: 'answer',
  day: 20_000,
  ...modelRequest(),
  ...fields,
})

export const organizationRow = (fields: Row = {}): Row => {
  const id = newId()
  return { id, name: 'An organization', slug: id, createdAt: at, ...fields }
}

export const memberRow = (organizationId: string, userId: string, fields: Row = {}): Row => ({
  id: newId(),
  organizationId,
  userId,
  role: 'member',
  createdAt: at,
  ...fields,
})

type FeedLog = 'contentChange' | 'directoryChange'

/** The rows of a feed since a watermark in order, as "op table:row"; of one scope, or of all with the scope as prefix. */
export async function feedOf(db: D1Database, feed: FeedLog, scope: string | null, since = 0): Promise<string[]> {
  const { results } = await db
    .prepare(`select scope, op, tbl, rowId from ${feed} where (scope = ?1 or ?1 is null) and seq > ?2 order by seq`)
    .bind(scope, since)
    .all<{ scope: string; op: string; tbl: string; rowId: string }>()
  return results.map((row) => `${scope === null ? `${row.scope} ` : ''}${row.op} ${row.tbl}:${row.rowId}`)
}

export async function feedEnd(db: D1Database, feed: FeedLog): Promise<number> {
  return (await db.prepare(`select coalesce(max(seq), 0) seq from ${feed}`).first<number>('seq')) ?? 0
}

/** A call that waits for the user in an answer. */
export const approvalRow = (userId: string, threadId: string, messageId: string, fields: Row = {}): Row => ({
  id: newId(),
  userId,
  threadId,
  messageId,
  toolCallId: 'call',
  source: '{"id":"notes","name":"Notes"}',
  tool: 'save_note',
  title: 'Save a note',
  description: 'Saves a note.',
  digest: '1',
  cause: 'changes',
  input: '{"title":"Tea"}',
  createdAt: at,
  expiresAt: at + 24 * 60 * 60 * 1000,
  ...fields,
})

/** The part of the answer that this row decides on. */
export const waitingPart = (approvalId: string) => ({
  ...{ type: 'tool-save_note', toolCallId: 'call', state: 'approval-requested', input: { title: 'Tea' } },
  approval: { id: approvalId },
})

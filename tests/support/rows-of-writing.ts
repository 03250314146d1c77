/** Rows of prompts, drafts, facts and tool servers, for tests that use D1 directly. */
import { newId } from '../../worker/db/new-id.ts'
import { insert, type Row } from './rows.ts'

const at = 1_800_000_000_000

export const promptRow = (userId: string, fields: Row = {}): Row => ({
  id: newId(),
  userId,
  name: 'A prompt',
  text: 'Summarise {{topic}}.',
  createdAt: at,
  updatedAt: at,
  ...fields,
})

export const draftRow = (userId: string, threadId: string | null, fields: Row = {}): Row => ({
  id: threadId ?? `new:${userId}`,
  userId,
  threadId,
  text: 'A draft',
  revision: newId(),
  updatedAt: at,
  ...fields,
})

export const memoryRow = (userId: string, threadId: string, messageId: string, fields: Row = {}): Row => ({
  id: newId(),
  userId,
  threadId,
  messageId,
  path: JSON.stringify([messageId]),
  text: 'Has a dog called Rex.',
  createdAt: at,
  updatedAt: at,
  ...fields,
})

export const toolServerRow = (userId: string, fields: Row = {}): Row => ({
  id: newId(),
  userId,
  name: 'A server',
  // Nothing listens there.
  url: 'http://127.0.0.1:9/mcp',
  login: 'headers',
  state: 'ready',
  tools: '[]',
  createdAt: at,
  checkedAt: at,
  ...fields,
})

/** A tool server with its credentials. */
export async function insertToolServer(db: D1Database, userId: string, fields: Row = {}): Promise<void> {
  const row = toolServerRow(userId, fields)
  await insert(db, 'toolServer', row)
  await insert(db, 'toolServerSecret', { id: String(row.id), userId, sealed: 'AAAA' })
}

/** A tool server of an organization with its credentials. Its address has a key. */
export async function insertOrganizationToolServer(directory: D1Database, organizationId: string, fields: Row = {}): Promise<void> {
  const { userId: _, ...row } = toolServerRow('', { host: '127.0.0.1:9', url: 'http://127.0.0.1:9/mcp?key=secret-key', ...fields })
  await insert(directory, 'organizationToolServer', { ...row, organizationId })
  await insert(directory, 'organizationToolServerSecret', { id: String(row.id), organizationId, sealed: 'AAAA' })
}

/** A prompt, the draft of a thread and that of the next thread, and a tool server. */
export async function insertWriting(db: D1Database, userId: string, threadId: string): Promise<void> {
  await insert(db, 'prompt', promptRow(userId))
  for (const key of [threadId, null]) await insert(db, 'draft', draftRow(userId, key))
  await insertToolServer(db, userId)
}

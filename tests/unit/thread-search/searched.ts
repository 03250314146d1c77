// A replica in memory with messages, and the result of a search.

import type { TableName } from '../../../worker/contract/schema.ts'
import type { SearchFilter, SearchRequest } from '../../../worker/contract/threads/search.ts'
import type { Row } from '../../../worker/sync/engine/types.ts'
import type { UserState } from '../../../worker/sync/state/user-state.ts'
import { findMessages } from '../../../worker/thread-search/find-messages.ts'
import { indexNextSlice, isCurrent } from '../../../worker/thread-search/index-tables.ts'
import { createNodeSql, type NodeSql } from '../../support/node-sql.ts'
import { openState, userId } from '../sync/replica.ts'

export type Given = UserState & { readonly sql: NodeSql }

export const given = (): Given => {
  const sql = createNodeSql()
  return { ...openState(sql), sql }
}

export const write = ({ sql, engine }: Given, table: TableName, id: string, row: Row | null) =>
  sql.transaction(() => void engine.apply([{ table, id: { id }, row: row && { id, userId, createdAt: 1, updatedAt: 1, ...row } }]))

export const thread = (state: Given, id: string, headId: string | null, changes: Row = {}) =>
  write(state, 'thread', id, { title: `Title of ${id}`, status: 'ready', headId, ...changes })
export const message = (state: Given, id: string, threadId: string, parentId: string | null, text: string, changes: Row = {}) =>
  write(state, 'message', id, { threadId, parentId, message: { id, role: 'user', parts: [{ type: 'text', text }] }, ...changes })
/** A thread of one message. */
export const addMessage = (state: Given, id: string, text: string, createdAt = 1) => {
  message(state, `${id}-message`, id, null, text, { createdAt })
  thread(state, id, `${id}-message`)
}

/** The number of slices. */
export function catchUp(state: Given): number {
  let slices = 0
  if (isCurrent(state)) return slices
  do slices += 1
  while (indexNextSlice(state))
  return slices
}

export const searchRequest = (query: string, without: readonly string[] = [], filter: SearchFilter = {}): SearchRequest => ({
  query,
  without,
  filter,
})

export const found = (state: Given, query: string, ownerId = userId, filter: SearchFilter = {}) => {
  catchUp(state)
  return findMessages(state.sql, ownerId, searchRequest(query, [], filter)).found.map(({ threadId }) => threadId)
}

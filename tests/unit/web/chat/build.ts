// Rows and messages with defaults, so that a test names only relevant fields.

import type { MessageRow, ThreadWithMessages } from '../../../../web/sync/rows.ts'
import type { AnswerMetadata, MessagePart } from '../../../../worker/contract/threads/messages.ts'
import { threadRow } from '../build.ts'

export const metadata = (changes: Partial<AnswerMetadata> = {}): AnswerMetadata => ({
  modelId: 'kimi-k2',
  modelName: 'Kimi K2',
  modelIcon: 'moonshot',
  ending: 'completed',
  credits: 1,
  ...changes,
})

export const question = (id: string, parentId: string | null = null, text = id): MessageRow => ({
  id,
  parentId,
  threadId: 'thread-1',
  userId: 'user-1',
  message: { id, role: 'user', parts: [{ type: 'text', text }] },
  createdAt: 1,
  updatedAt: 1,
  deletedAt: null,
  bookmarkedAt: null,
})

export const answer = (id: string, parentId: string, parts: readonly MessagePart[] = [{ type: 'text', text: id }]): MessageRow => ({
  ...question(id, parentId),
  message: { id, role: 'assistant', parts, metadata: metadata() },
})

export const thread = (messages: readonly MessageRow[], changes: Partial<ThreadWithMessages> = {}): ThreadWithMessages => ({
  ...threadRow({ headId: messages.at(-1)?.id ?? null }),
  messages,
  queue: [],
  ...changes,
})
